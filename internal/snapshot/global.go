package snapshot

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
)

// HeldGlobally are the global permissions that give an account something, by itself or through a group. Those of the groups that
// administer a vCenter are omitted: they are said as that.
func (s *Snapshot) HeldGlobally(a access.Account) []perms.Permission {
	who := s.Subject(a.Principal, s.GroupsOf(a.Principal))
	return slices.DeleteFunc(slices.Clone(s.Perms.Global), func(p perms.Permission) bool {
		mine := p.Key == who.Key || p.Group && slices.Contains(who.Groups, p.Key) && s.Administrating([]string{p.Principal}) == ""
		return !mine || !s.Roles.Reads(p.RoleID)
	})
}

// Globally reports whether a global permission gives an account of the specification something.
func (s *Snapshot) Globally(p perms.Permission) bool {
	return slices.ContainsFunc(s.Principals(), func(a access.Account) bool { return slices.Contains(s.HeldGlobally(a), p) })
}
