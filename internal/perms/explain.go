package perms

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// Explain says which permissions decide what a subject may do on an object; see [access.Explain].
func (s *State) Explain(who access.Subject, o *inventory.Object) []access.Evidence[Permission] {
	on := func(at *inventory.Object) []Permission { return s.On(at.Ref) }
	return access.Explain(who, o, on, s.entry)
}

// entry is what inheritance asks of a permission.
func (s *State) entry(p Permission) access.Entry {
	return access.Entry{Key: access.Key(s.same(p.Principal), p.Group), Name: p.Principal, Group: p.Group, Propagate: p.Propagate}
}

// On lists the permissions of one object.
func (s *State) On(ref inventory.Ref) []Permission {
	var found []Permission
	for _, p := range s.All {
		if p.Entity == ref {
			found = append(found, p)
		}
	}
	return found
}
