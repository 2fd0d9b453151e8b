package spec

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Whether an account that a specification names for one vCenter (VCenter.Accounts) is somebody else's or ours to create, only
// that vCenter can tell. Until it was asked, such an account is Named; Settle notes the answer.

// At is the specification as it is for one vCenter: components work with the accounts that it names there. One that is for a vCenter
// already stays as it is.
func (s *Spec) At(server string) *Spec {
	if s.Here != nil {
		return s
	}
	return s.on(server, func(_ component.Name, user string) (Component, bool) { return named(user), true })
}

// Settled says of a user that a specification names for a component on one vCenter who it is there.
type Settled struct {
	Principal string // name@domain or DOMAIN\name
	Ours      bool   // nobody else has it, and it is ours to create
}

// Settle is At once the vCenter was asked. A component whose user is not among these gets an account as Accounts.Username says.
func (s *Spec) Settle(server string, who map[component.Name]Settled) *Spec {
	return s.on(server, func(c component.Name, _ string) (Component, bool) {
		is, known := who[c]
		if is.Ours {
			return Component{Name: withoutDomain(is.Principal)}, known
		}
		return Component{Principal: is.Principal, Group: new(bool)}, known
	})
}

// on gives the accounts of one vCenter the standing that f says; where f says none, the component has an account as everywhere.
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

// Makes reports whether a user is an account of ours, in any generation, here or on another vCenter of the specification: linked ones
// have the accounts of both.
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
		return slices.ContainsFunc(at.ComponentNames(), func(c component.Name) bool { return at.Account(c).Makes(user) })
	})
}

// NamesAccounts reports whether the specification names accounts for single vCenters.
func (s *Spec) NamesAccounts() bool {
	return slices.ContainsFunc(s.Whole().VCenters, func(vc VCenter) bool { return len(vc.Accounts) > 0 })
}

// component is what the specification says of a component's account: on the vCenter that it is for, or where all of them have the
// same, else of one that is the same everywhere.
func (s *Spec) component(c component.Name) Component {
	of := s.Components[c]
	if s.Here != nil {
		if at, own := s.Here[c]; own {
			at.Disabled = of.Disabled
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
	at.Disabled = of.Disabled
	return at
}

// named is a user of whom nothing else is known. Somebody who logs in is no group.
func named(user string) Component {
	return Component{Principal: user, Group: new(bool), Name: withoutDomain(user)}
}

// NameAccounts sets the accounts of single vCenters, by server. What the specification does not list is left out.
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

// SameUser reports whether two spellings can be of one user: name@domain, DOMAIN\name, or the name alone.
func SameUser(a, b string) bool {
	of, or := domainOf(a), domainOf(b)
	return strings.EqualFold(withoutDomain(a), withoutDomain(b)) && (of == "" || or == "" || strings.EqualFold(of, or))
}

// domainOf is the domain of a user; "" = it has none.
func domainOf(user string) string {
	if domain, _, found := strings.Cut(user, `\`); found {
		return domain
	}
	_, domain, _ := strings.Cut(user, "@")
	return domain
}
