package snapshot

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
)

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
