package snapshot

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// builtIn is the user of an SSO domain that every installation of vCenter begins with.
const builtIn = "administrator"

// ssoAdministrators is the group of an SSO domain whose members administer it, and by default every vCenter of the domain.
const ssoAdministrators = "Administrators"

// powerful are the other groups of an SSO domain whose members have rights that no permission shows: they issue certificates, take the
// place of others, or administer services and appliances (vSphere Authentication, "Groups in the vCenter Single Sign-On Domain").
var powerful = []string{
	"ActAsUsers", "CAAdmins", "DCAdmins", "ComponentManager.Administrators", "LicenseService.Administrators", "SystemConfiguration.Administrators",
	"SystemConfiguration.BashShellAdministrators", "TrustedAdmins", "RegistryAdministrators", "NsxAdministrators", "NsxViAdministrators",
}

// SSOAdministrators is the group of the SSO domain whose members administer it, name@domain.
func (s *Snapshot) SSOAdministrators() string { return ssoAdministrators + "@" + s.SSO.Domain }

// GroupsOf are the groups that a principal is known to be in, through other groups too.
func (s *Snapshot) GroupsOf(p access.Principal) []string {
	if found, asked := s.SSO.Principal(p.Name); asked {
		return found.Groups
	}
	name, domain := s.SSO.Split(p.Name)
	u, exists := s.SSO.Own(name)
	if !exists || !strings.EqualFold(domain, s.SSO.Domain) {
		return nil
	}
	return u.Groups
}

// Administrating is the one of some groups that administers the vCenter, or its SSO domain; "" where none does. Who lists
// accounts alone reads no permissions, and knows the group of the SSO domain only.
func (s *Snapshot) Administrating(groups []string) string {
	i := slices.IndexFunc(groups, func(g string) bool {
		return s.SSO.Same(g) == s.SSO.Same(s.SSOAdministrators()) || s.Perms != nil &&
			slices.ContainsFunc(s.PermissionsOf(access.Principal{Name: g, Group: true}), s.Administers)
	})
	if i < 0 {
		return ""
	}
	return groups[i]
}

// Administers reports whether a permission lets its holder do everything everywhere.
func (s *Snapshot) Administers(p perms.Permission) bool {
	return p.RoleID == roles.AdminID && p.Entity == s.Root
}

// Empowering is the one of some groups that is powerful; "" where none is.
func (s *Snapshot) Empowering(groups []string) string {
	for _, g := range groups {
		if slices.ContainsFunc(powerful, func(name string) bool { return s.SSO.Same(g) == s.SSO.Same(name+"@"+s.SSO.Domain) }) {
			return g
		}
	}
	return ""
}

// IsAdministrator reports whether a principal is the built-in administrator of the SSO domain, who reads this vCenter, or a group
// of theirs: a hint that takes its rights would take them from who follows it.
func (s *Snapshot) IsAdministrator(p access.Principal) bool {
	same := s.SSO.Same(p.Name)
	if p.Group {
		return slices.ContainsFunc(s.LoginGroups, func(g string) bool { return s.SSO.Same(g) == same })
	}
	return s.IsBuiltIn(p) || same == s.SSO.Same(s.Administrator)
}

// IsBuiltIn reports whether a principal is the built-in administrator of the SSO domain.
func (s *Snapshot) IsBuiltIn(p access.Principal) bool {
	return !p.Group && s.SSO.Same(p.Name) == s.SSO.Same(builtIn+"@"+s.SSO.Domain)
}

// Leaving is how the principal of a component leaves a group that it was put into. govc knows a principal of another domain by its
// full name only, and changes no groups of other directories.
func (s *Snapshot) Leaving(c component.Name, p access.Principal, group string) string {
	if s.IsAdministrator(p) {
		return OfItsOwn(c)
	}
	from, of := s.SSO.Split(group)
	if !strings.EqualFold(of, s.SSO.Domain) {
		return "take it out of the group " + group + " in its own directory"
	}
	who, domain := s.SSO.Split(p.Name)
	if domain = s.SSO.Source(domain).Name; !strings.EqualFold(domain, s.SSO.Domain) {
		who += "@" + domain
	}
	words := []string{"govc", "sso.group.update", "-r", who, from}
	if p.Group {
		words = slices.Insert(words, 2, "-g")
	}
	return "take it out of the group: " + script.Line(words...)
}

// OfItsOwn is the remedy for a component whose principal is somebody's who administers a vCenter.
func OfItsOwn(c component.Name) string { return "give " + string(c) + " an account of its own" }

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
