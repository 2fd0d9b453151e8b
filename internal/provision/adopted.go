package provision

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// principalOf is whose a permission is.
func principalOf(p perms.Permission) access.Principal {
	return access.Principal{Name: p.Principal, Group: p.Group}
}

// key is equal for every spelling of one principal.
func (s *snapshot) key(g access.Principal) string { return s.keyOf(g.Name, g.Group) }

// keyOf is key of a principal by its name.
func (s *snapshot) keyOf(principal string, group bool) string {
	return access.Key(s.sso.Same(principal), group)
}

// userKey is the key of a user.
func (s *snapshot) userKey(name string) string { return s.keyOf(name, false) }

// subject is a principal with the groups that it is known to be in.
func (s *snapshot) subject(p access.Principal, groups []string) access.Subject {
	who := access.Subject{Key: s.key(p), Group: p.Group}
	for _, g := range groups {
		who.Groups = append(who.Groups, s.key(access.Principal{Name: g, Group: true}))
	}
	return who
}

// explain says which permissions decide what a subject may do on an object; see [access.Explain].
func (s *snapshot) explain(who access.Subject, o *inventory.Object) []access.Evidence[perms.Permission] {
	on := func(at *inventory.Object) []perms.Permission { return s.perms.On(at.Ref) }
	return access.Explain(who, o, on, func(p perms.Permission) access.Entry {
		return access.Entry{Key: p.Key, Name: p.Principal, Group: p.Group, Propagate: p.Propagate}
	})
}

// holder is who holds the permissions of a component on a vCenter.
func (s *snapshot) holder(c component.Name) access.Principal {
	return access.Principal{Name: s.principal(c), Group: s.isGroup(c)}
}

// isGroup reports whether a component's principal is a group: the specification says so, or the identity sources do.
func (s *snapshot) isGroup(c component.Name) bool {
	of := s.request.Spec.Account(c)
	if of.Principal == "" {
		return false
	}
	if said := s.request.declaredGroup(of.Principal, of.Group); said != nil {
		return *said
	}
	found, _ := s.sso.Principal(of.Principal)
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

// adoptees are the principals that others made, each once.
func (s *snapshot) adoptees() []access.Principal {
	var all []access.Principal
	for _, c := range s.request.Spec.ComponentNames() {
		if g := s.holder(c); !s.request.owns(c) && !slices.ContainsFunc(all, func(had access.Principal) bool { return s.key(had) == s.key(g) }) {
			all = append(all, g)
		}
	}
	return all
}

// permissionsOf are the permissions of a principal. What a component was given stays its own when its principal is gone from the
// directory, and with it the knowledge whether it was a group.
func (s *snapshot) permissionsOf(g access.Principal) []perms.Permission {
	all := s.perms.Held(s.key(g))
	if s.vanished(g) {
		all = append(all, s.perms.Held(s.keyOf(g.Name, !g.Group))...)
	}
	return all
}

// vanished reports whether the directory has no principal of that name any more.
func (s *snapshot) vanished(g access.Principal) bool {
	found, asked := s.sso.Principal(g.Name)
	return asked && !found.User && !found.Group
}

// holds reports whether a permission is one of those that held gives.
func (s *snapshot) holds(g access.Principal, p perms.Permission) bool {
	return s.sso.Same(g.Name) == s.sso.Same(p.Principal) && (g.Group == p.Group || s.vanished(g))
}

// checkPrincipals refuses principals that cannot be granted anything: because no identity source has them, or because it
// cannot be looked up.
func (s *vcenterPlan) checkPrincipals() error {
	var errs []error
	said := map[string]bool{}
	for _, c := range s.request.Spec.ComponentNames() {
		of := s.request.Spec.Account(c)
		found, asked := s.sso.Principal(of.Principal)
		if s.request.owns(c) || !asked || s.request.Ordering && s.lacks(of.Principal) {
			continue
		}
		if err := s.refused(found, of.Group, "components."+string(c)); err != nil && !said[err.Error()] {
			errs = append(errs, err)
			said[err.Error()] = true
		}
	}
	return errors.Join(errs...)
}

// refused says why a principal cannot be taken for what the specification says, nil when it can. field is where it
// stands.
func (s *vcenterPlan) refused(found sso.Found, group *bool, field string) error {
	server := s.spec.Server
	sources := "the identity sources of this vCenter: " + strings.Join(s.sso.Sources(), ", ")
	switch {
	case found.Unknown:
		return hint.Errorf(sources, "%s: principal %s not found: no identity source has its domain", server, found.Principal)
	case found.Err != nil:
		return hint.Errorf("check the directory server: the identity source does not answer",
			"%s: cannot look up principal %s in its identity source: %w", server, found.Principal, found.Err)
	case !found.User && !found.Group:
		near := nearestPrincipal(found)
		hints := []string{sources}
		if near == "" {
			hints = append(hints, "plan --work-order FILE writes a request for the directory team")
		}
		return hint.Wrap(fmt.Errorf("%s: principal %s not found%s", server, found.Principal, near), hints...)
	case found.User && found.Group && group == nil:
		return hint.Errorf("write group: true or group: false beside "+field+".principal", "%s: %s is both a user and a group", server, found.Principal)
	case group != nil && *group && !found.Group:
		return hint.Errorf("omit "+field+".group", "%s: %s is a user, not a group", server, found.Principal)
	case group != nil && !*group && !found.User:
		return hint.Errorf("omit "+field+".group", "%s: %s is a group, not a user", server, found.Principal)
	}
	return nil
}

func nearestPrincipal(found sso.Found) string {
	name, put := found.Principal, func(near string) string { return near }
	if d, n, ok := strings.Cut(name, `\`); ok {
		name, put = n, func(near string) string { return d + `\` + near }
	} else if i := strings.LastIndex(name, "@"); i >= 0 {
		d := name[i:]
		name, put = name[:i], func(near string) string { return near + d }
	}
	if near := hint.Nearest(name, found.Nearest); near != "" {
		return "; did you mean " + put(near) + "?"
	}
	return ""
}
