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

const builtIn = "administrator"

// ssoAdministrators administer an SSO domain and, by default, its vCenters.
const ssoAdministrators = "Administrators"

// powerful are other groups of an SSO domain with rights that no permission shows: they issue
// certificates, act as others, or administer services and appliances (vSphere Authentication,
// "Groups in the vCenter Single Sign-On Domain").
var powerful = []string{
	"ActAsUsers", "CAAdmins", "DCAdmins", "ComponentManager.Administrators",
	"LicenseService.Administrators", "SystemConfiguration.Administrators",
	"SystemConfiguration.BashShellAdministrators", "TrustedAdmins", "RegistryAdministrators",
	"NsxAdministrators", "NsxViAdministrators",
}

// SSOAdministrators is the group that administers the SSO domain, name@domain.
func (s *Snapshot) SSOAdministrators() string { return ssoAdministrators + "@" + s.SSO.Domain }

// GroupsOf returns the known groups of a principal, nested ones included.
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

// Administrating returns one of the groups that administers the vCenter or its SSO domain; "" if
// none does. Without permissions it knows the group of the SSO domain only.
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

// Empowering returns one of the groups that is powerful; "" if none is.
func (s *Snapshot) Empowering(groups []string) string {
	for _, g := range groups {
		if slices.ContainsFunc(powerful, func(name string) bool { return s.SSO.Same(g) == s.SSO.Same(name+"@"+s.SSO.Domain) }) {
			return g
		}
	}
	return ""
}

// IsAdministrator reports whether a principal is the built-in administrator, the one that reads
// this vCenter, or a group of theirs: a hint must not take their rights.
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

// Leaving is the command that removes a component's principal from a group. govc knows principals
// of another domain by full name only, and changes no groups of other directories.
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

// OfItsOwn is the remedy for a component whose principal administers a vCenter.
func OfItsOwn(c component.Name) string { return "give " + string(c) + " an account of its own" }

// HeldGlobally returns an account's global permissions, except of groups that administer a vCenter.
func (s *Snapshot) HeldGlobally(a access.Account) []perms.Permission {
	who := s.Subject(a.Principal, s.GroupsOf(a.Principal))
	return slices.DeleteFunc(slices.Clone(s.Perms.Global), func(p perms.Permission) bool {
		mine := p.Key == who.Key ||
			p.Group && slices.Contains(who.Groups, p.Key) && s.Administrating([]string{p.Principal}) == ""
		return !mine || !s.Roles.Reads(p.RoleID)
	})
}

// Globally reports whether a global permission belongs to an account of the specification.
func (s *Snapshot) Globally(p perms.Permission) bool {
	return slices.ContainsFunc(s.Logins(), func(a access.Account) bool { return slices.Contains(s.HeldGlobally(a), p) })
}

// Key is the same for every spelling of a principal.
func (s *Snapshot) Key(g access.Principal) string { return s.KeyOf(g.Name, g.Group) }

// KeyOf is the key of a principal by name.
func (s *Snapshot) KeyOf(principal string, group bool) string {
	return access.Key(s.SSO.Same(principal), group)
}

// UserKey is the key of a user.
func (s *Snapshot) UserKey(name string) string { return s.KeyOf(name, false) }

// Subject returns a principal with its known groups.
func (s *Snapshot) Subject(p access.Principal, groups []string) access.Subject {
	who := access.Subject{Key: s.Key(p), Group: p.Group}
	for _, g := range groups {
		who.Groups = append(who.Groups, s.Key(access.Principal{Name: g, Group: true}))
	}
	return who
}

// Explain returns the permissions that decide a subject's rights; see [access.Explain].
func (s *Snapshot) Explain(who access.Subject, o *inventory.Object) []access.Evidence[perms.Permission] {
	on := func(at *inventory.Object) []perms.Permission { return s.Perms.On(at.Ref) }
	return access.Explain(who, o, on, func(p perms.Permission) access.Entry {
		return access.Entry{Key: p.Key, Group: p.Group, Propagate: p.Propagate}
	})
}

// Holder returns the principal that holds a component's permissions.
func (s *Snapshot) Holder(c component.Name) access.Principal {
	if of := s.Request.Spec.Account(c); of.ByGroup() {
		return access.Principal{Name: of.MemberOf + "@" + s.SSO.Domain, Group: true}
	}
	return s.Login(c)
}

// Login returns who logs in for a component: its account, or members of its group.
func (s *Snapshot) Login(c component.Name) access.Principal {
	return access.Principal{Name: s.Principal(c), Group: s.IsGroup(c)}
}

// Working returns an account of ours with the group that holds its permissions, if one does.
func (s *Snapshot) Working(c component.Name, user string) access.Subject {
	var groups []string
	if holder := s.Holder(c); s.Request.Spec.Account(c).ByGroup() {
		groups = append(groups, holder.Name)
	}
	return s.Subject(access.Principal{Name: user}, groups)
}

// Outside reports whether an account of ours is known not to be in the group with its permissions.
func (s *Snapshot) Outside(c component.Name, user string) bool {
	name, _ := s.SSO.Split(user)
	u, exists := s.SSO.Own(name)
	return exists && s.Request.Spec.Account(c).ByGroup() && !s.SSO.Joined(u, s.Holder(c).Name)
}

// Logins returns the accounts of all components, without the groups that hold their permissions.
func (s *Snapshot) Logins() []access.Account {
	all := s.Principals()
	for i, a := range all {
		if s.Request.Spec.Account(a.Component).ByGroup() {
			all[i].Principal = s.Login(a.Component)
			all[i].Key = s.Key(all[i].Principal)
		}
	}
	return all
}

// IsGroup reports whether a component's principal is a group, as specified or found.
func (s *Snapshot) IsGroup(c component.Name) bool {
	of := s.Request.Spec.Account(c)
	if of.Principal == "" {
		return false
	}
	if declared := s.Request.declaredGroup(of.Principal, of.Group); declared != nil {
		return *declared
	}
	found, _ := s.SSO.Principal(of.Principal)
	return found.Group && !found.User
}

// declaredGroup is what the specification says of a principal for any of its components; nil if
// nothing. The roles of all depend on it, even where identity sources are not asked.
func (q *Request) declaredGroup(principal string, group *bool) *bool {
	for _, c := range q.Spec.ComponentNames() {
		if other := q.Spec.Account(c); group == nil && strings.EqualFold(other.Principal, principal) {
			group = other.Group
		}
	}
	return group
}

// Adoptees returns the principals of others that get permissions, each once.
func (s *Snapshot) Adoptees() []access.Principal {
	var all []access.Principal
	for _, c := range s.Request.Spec.ComponentNames() {
		if g := s.Holder(c); !s.Request.OwnsHolder(c) &&
			!slices.ContainsFunc(all, func(had access.Principal) bool { return s.Key(had) == s.Key(g) }) {
			all = append(all, g)
		}
	}
	return all
}

// PermissionsOf returns the permissions of a principal. One that left the directory keeps them.
func (s *Snapshot) PermissionsOf(g access.Principal) []perms.Permission {
	all := s.Perms.Held(s.Key(g))
	if s.vanished(g) {
		all = append(all, s.Perms.Held(s.KeyOf(g.Name, !g.Group))...)
	}
	return all
}

// vanished reports whether the directory no longer has a principal.
func (s *Snapshot) vanished(g access.Principal) bool {
	found, asked := s.SSO.Principal(g.Name)
	return asked && !found.User && !found.Group
}

// Holds reports whether a principal holds a permission.
func (s *Snapshot) Holds(g access.Principal, p perms.Permission) bool {
	return s.SSO.Same(g.Name) == s.SSO.Same(p.Principal) && (g.Group == p.Group || s.vanished(g))
}
