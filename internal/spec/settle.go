package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Only the vCenter can tell whether an account in VCenter.Accounts is another's or ours to create.
// Until it was asked, the account is Named; Settle notes the answer.

// At returns the specification for one vCenter, with the accounts that it names there. One that is
// for a vCenter already stays as it is.
func (s *Spec) At(server string) *Spec {
	if s.Here != nil {
		return s
	}
	return s.on(server, func(_ component.Name, user string) (Component, bool) { return named(user), true })
}

// Settled says of a user that a specification names for a component on one vCenter who it is there.
type Settled struct {
	Principal string // name@domain or DOMAIN\name
	Ours      bool   // it does not exist, and we create it
}

// Settle is At after the vCenter answered. Other components have accounts by Accounts.Username.
func (s *Spec) Settle(server string, who map[component.Name]Settled) *Spec {
	return s.on(server, func(c component.Name, _ string) (Component, bool) {
		is, known := who[c]
		if is.Ours {
			return Component{Name: withoutDomain(is.Principal)}, known
		}
		return Component{Principal: is.Principal, Group: new(bool)}, known
	})
}

// on sets the accounts of one vCenter to those of f, or else the usual ones.
func (s *Spec) on(server string, f func(component.Name, string) (Component, bool)) *Spec {
	i := slices.IndexFunc(s.VCenters, func(vc VCenter) bool { return vc.Server == server })
	if !s.NamesAccounts() || i < 0 {
		return s
	}
	out := *s
	out.Here = map[component.Name]Component{}
	for c, user := range s.VCenters[i].Accounts {
		if of, ok := f(c, user); ok && s.accountOf(c) == c {
			out.Here[c] = of
		}
	}
	if s.Before != nil {
		out.Before = s.Before.on(server, f)
	}
	return &out
}

// Makes reports whether a user is an account of ours, in any generation, on any vCenter of the
// specification: linked ones share accounts.
func (s *Spec) Makes(user string) bool {
	there := *s
	there.Here = nil
	all := []*Spec{s}
	for _, vc := range s.VCenters {
		if len(vc.Accounts) > 0 {
			all = append(all, there.At(vc.Server))
		}
	}
	return slices.ContainsFunc(all, func(at *Spec) bool {
		return slices.ContainsFunc(at.ComponentNames(),
			func(c component.Name) bool { return at.Account(c).Makes(user) })
	})
}

// Through is the component whose account has its rights through a group of the SSO domain; "" if
// there is none.
func (s *Spec) Through(group string) component.Name {
	for _, c := range s.ComponentNames() {
		if a := s.Account(c); a.ByGroup() && strings.EqualFold(a.MemberOf, withoutDomain(group)) {
			return c
		}
	}
	return ""
}

// NamesAccounts reports whether the specification names accounts for single vCenters.
func (s *Spec) NamesAccounts() bool {
	return slices.ContainsFunc(s.Whole().VCenters, func(vc VCenter) bool { return len(vc.Accounts) > 0 })
}

// component describes a component's account: on the vCenter of s, or that of all, else the usual
// one.
func (s *Spec) component(c component.Name) Component {
	of := s.Components[c]
	if s.Here != nil {
		if at, own := s.Here[c]; own {
			at.Disabled, at.MemberOf = of.Disabled, of.MemberOf
			return at
		}
		return of
	}
	for i, vc := range s.VCenters {
		if user := vc.Accounts[c]; user == "" || i > 0 && !strings.EqualFold(user, s.VCenters[0].Accounts[c]) {
			return of
		}
	}
	if len(s.VCenters) == 0 {
		return of
	}
	at := named(s.VCenters[0].Accounts[c])
	at.Disabled, at.MemberOf = of.Disabled, of.MemberOf
	return at
}

// named is a user of unknown kind; a user that logs in is not a group.
func named(user string) Component {
	return Component{Principal: user, Group: new(bool), Name: withoutDomain(user)}
}

// NameAccounts sets the accounts of single vCenters, by server; it ignores unknown servers.
func (s *Spec) NameAccounts(users map[string]map[component.Name]string) {
	for i, vc := range s.VCenters {
		if of := users[vc.Server]; len(of) > 0 {
			s.VCenters[i].Accounts = maps.Clone(of)
		}
	}
}

// withoutDomain is the name of a user alone.
func withoutDomain(user string) string {
	name, _, _ := strings.Cut(user[strings.Index(user, `\`)+1:], "@")
	return name
}

// SameUser reports whether two names may be of one user: name@domain, DOMAIN\name or name alone.
func SameUser(a, b string) bool {
	of, or := domainOf(a), domainOf(b)
	return strings.EqualFold(withoutDomain(a), withoutDomain(b)) &&
		(of == "" || or == "" || strings.EqualFold(of, or))
}

// domainOf is the domain of a user; "" = it has none.
func domainOf(user string) string {
	if domain, _, found := strings.Cut(user, `\`); found {
		return domain
	}
	_, domain, _ := strings.Cut(user, "@")
	return domain
}

// Disabled reports whether a component's account keeps its permissions and cannot log in.
func (s *Spec) Disabled(c component.Name) bool { return s.Components[s.accountOf(c)].Disabled }

// Disable returns a copy with the accounts of these components disabled or enabled; it skips
// components that the specification lacks. One that names none then names all.
func (s *Spec) Disable(components []component.Name, disabled bool) *Spec {
	want := *s
	want.Components = s.with()
	for _, c := range components {
		if of, named := want.Components[c]; named {
			of.Disabled = disabled
			want.Components[c] = of
		}
	}
	return &want
}

// CheckDisabled refuses to disable an account that other components use or that another one created.
func (s *Spec) CheckDisabled(c component.Name) error {
	whole := s.Whole()
	if principal := whole.Components[whole.accountOf(c)].Principal; principal != "" {
		return hint.Errorf("ask its owner to disable it",
			"%s belongs to somebody else, so it is not disabled", principal)
	}
	if why := whole.unused(c); why != "" {
		return errors.New(why)
	}
	var others []string
	for _, other := range component.Names() {
		if other != c && whole.accountOf(other) == c && (!other.OptIn() || whole.Has(other)) {
			others = append(others, string(other))
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("profile %s gives %s the same account", whole.Profile, strings.Join(others, ", "))
	}
	if c != component.Installer || !whole.profile().Main {
		return nil
	}
	for _, other := range component.Default() {
		if !whole.Has(other) {
			others = append(others, string(other))
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("the specification has no account for %s: profile %s gives them that of %s",
			strings.Join(others, ", "), whole.Profile, c)
	}
	return nil
}
