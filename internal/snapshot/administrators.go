package snapshot

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
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

// Key is equal for every spelling of one principal.
func (s *Snapshot) Key(g access.Principal) string { return s.KeyOf(g.Name, g.Group) }

// KeyOf is key of a principal by its name.
func (s *Snapshot) KeyOf(principal string, group bool) string {
	return access.Key(s.SSO.Same(principal), group)
}

// UserKey is the key of a user.
func (s *Snapshot) UserKey(name string) string { return s.KeyOf(name, false) }

// Subject is a principal with the groups that it is known to be in.
func (s *Snapshot) Subject(p access.Principal, groups []string) access.Subject {
	who := access.Subject{Key: s.Key(p), Group: p.Group}
	for _, g := range groups {
		who.Groups = append(who.Groups, s.Key(access.Principal{Name: g, Group: true}))
	}
	return who
}

// Explain says which permissions decide what a subject may do on an object; see [access.Explain].
func (s *Snapshot) Explain(who access.Subject, o *inventory.Object) []access.Evidence[perms.Permission] {
	on := func(at *inventory.Object) []perms.Permission { return s.Perms.On(at.Ref) }
	return access.Explain(who, o, on, func(p perms.Permission) access.Entry {
		return access.Entry{Key: p.Key, Name: p.Principal, Group: p.Group, Propagate: p.Propagate}
	})
}

// Holder is who holds the permissions of a component on a vCenter.
func (s *Snapshot) Holder(c component.Name) access.Principal {
	return access.Principal{Name: s.Principal(c), Group: s.IsGroup(c)}
}

// IsGroup reports whether a component's principal is a group: the specification says so, or the identity sources do.
func (s *Snapshot) IsGroup(c component.Name) bool {
	of := s.Request.Spec.Account(c)
	if of.Principal == "" {
		return false
	}
	if said := s.Request.declaredGroup(of.Principal, of.Group); said != nil {
		return *said
	}
	found, _ := s.SSO.Principal(of.Principal)
	return found.Group && !found.User
}

// declaredGroup is what the specification says of a principal, for one component or for another one of the same principal; nil if
// nothing. The roles of both depend on it, also where the identity sources are not asked.
func (q *Request) declaredGroup(principal string, group *bool) *bool {
	for _, c := range q.Spec.ComponentNames() {
		if other := q.Spec.Account(c); group == nil && strings.EqualFold(other.Principal, principal) {
			group = other.Group
		}
	}
	return group
}

// Adoptees are the principals that others made, each once.
func (s *Snapshot) Adoptees() []access.Principal {
	var all []access.Principal
	for _, c := range s.Request.Spec.ComponentNames() {
		if g := s.Holder(c); !s.Request.Owns(c) && !slices.ContainsFunc(all, func(had access.Principal) bool { return s.Key(had) == s.Key(g) }) {
			all = append(all, g)
		}
	}
	return all
}

// PermissionsOf are the permissions of a principal. What a component was given stays its own when its principal is gone from the
// directory, and with it the knowledge whether it was a group.
func (s *Snapshot) PermissionsOf(g access.Principal) []perms.Permission {
	all := s.Perms.Held(s.Key(g))
	if s.vanished(g) {
		all = append(all, s.Perms.Held(s.KeyOf(g.Name, !g.Group))...)
	}
	return all
}

// vanished reports whether the directory has no principal of that name any more.
func (s *Snapshot) vanished(g access.Principal) bool {
	found, asked := s.SSO.Principal(g.Name)
	return asked && !found.User && !found.Group
}

// Holds reports whether a permission is one of those that held gives.
func (s *Snapshot) Holds(g access.Principal, p perms.Permission) bool {
	return s.SSO.Same(g.Name) == s.SSO.Same(p.Principal) && (g.Group == p.Group || s.vanished(g))
}
