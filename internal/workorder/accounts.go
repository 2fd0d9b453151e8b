package workorder

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Group holds the accounts of one directory; the embedded one is the first.
type Group struct {
	*Account
	All     []*Account
	On      []string // servers of all of them
	VCenter *VCenter // on which they are made
}

// Groups are the accounts by where they are made. vCenters with equal names of SSO domains need not
// share one; a directory of several vCenters is one in any spelling.
func (o *Order) Groups() []Group {
	var all []Group
	for _, a := range o.Accounts {
		i := slices.IndexFunc(all, func(g Group) bool {
			return strings.EqualFold(g.Domain, a.Domain) && (g.Policy == nil) == (a.Policy == nil) &&
				(a.Policy == nil || slices.Equal(g.Servers, a.Servers))
		})
		if i < 0 {
			i = len(all)
			at := slices.IndexFunc(o.VCenters, func(v *VCenter) bool { return v.Server == a.Servers[0] })
			all = append(all, Group{Account: a, VCenter: o.VCenters[at]})
		}
		g := &all[i]
		g.All = append(g.All, a)
		g.On = lists.AppendNew(g.On, a.Servers...)
	}
	return all
}

// Made reports whether accounts are made that the commands of the order make.
func (o *Order) Made() bool {
	return slices.ContainsFunc(o.Accounts, func(a *Account) bool { return a.Policy != nil })
}

// Afterwards are the commands that look whether everything is done.
func (o *Order) Afterwards() []string {
	if o.Made() {
		return o.Again.Adopting
	}
	return o.Again.Same
}

// Entries are the new accounts in a credentials file, without users of groups.
func (o *Order) Entries() []credfile.Blank {
	var all []credfile.Blank
	for _, v := range o.VCenters {
		for _, a := range o.Accounts {
			if slices.Contains(a.Servers, v.Server) {
				user := term.Line(a.Principal)
				if a.Group {
					user = ""
				}
				all = append(all, o.entries(v.Server, user, a.Components)...)
			}
		}
	}
	return all
}

// Renewed are the entries of the accounts that need new passwords.
func (o *Order) Renewed() []credfile.Blank {
	var servers []string
	byServer := map[string][]credfile.Blank{}
	for _, r := range o.Renewals {
		servers = lists.AppendNew(servers, r.Servers...)
		for _, server := range r.Servers {
			byServer[server] = append(byServer[server], o.entries(server, term.Line(r.Principal), r.Components)...)
		}
	}
	var all []credfile.Blank
	for _, server := range servers {
		all = append(all, byServer[server]...)
	}
	return all
}

func (o *Order) entries(server, user string, components []component.Name) []credfile.Blank {
	var all []credfile.Blank
	for _, c := range components {
		if o.Spec.Account(c).Component == c { // another one works with another one's
			all = append(all, credfile.Blank{Server: server, Component: c, User: user})
		}
	}
	return all
}

// rules are the policy of an SSO domain in words.
func rules(p *sso.Policy) []string {
	if *p == (sso.Policy{}) { // not read
		return nil
	}
	length := fmt.Sprintf("%d characters or more", p.MinLength)
	if p.MaxLength > 0 {
		length = fmt.Sprintf("%d to %d characters", p.MinLength, p.MaxLength)
	}
	all := []string{length}
	for _, r := range []struct {
		n    int
		what string
	}{
		{p.MinAlphabetic, "letter"},
		{p.MinUpper, "upper-case letter"},
		{p.MinLower, "lower-case letter"},
		{p.MinNumeric, "digit"},
		{p.MinSpecial, "special character"},
	} {
		switch {
		case r.n == 1:
			all = append(all, "at least one "+r.what)
		case r.n > 1:
			all = append(all, fmt.Sprintf("at least %d %ss", r.n, r.what))
		}
	}
	if p.MaxIdenticalAdjacent > 0 {
		all = append(all, fmt.Sprintf("at most %d identical adjacent characters", p.MaxIdenticalAdjacent))
	}
	if p.ProhibitedOld > 0 {
		all = append(all, fmt.Sprintf("none of the last %d passwords", p.ProhibitedOld))
	}
	return all
}

// Adoption is a provisioning file for the vCenters of one name of SSO domain.
type Adoption struct {
	Domain  string
	Servers []string
	Text    string
}

// Adopting are the provisioning files that adopt what others made. A file has one name for a
// component's account, so vCenters with other names of SSO domains get their own file.
func (o *Order) Adopting() []Adoption {
	var all []Adoption
	for _, v := range o.VCenters {
		domain := strings.ToLower(v.Domain)
		i := slices.IndexFunc(all, func(a Adoption) bool { return a.Domain == domain })
		if i < 0 {
			i = len(all)
			all = append(all, Adoption{Domain: domain})
		}
		all[i].Servers = append(all[i].Servers, v.Server)
	}
	for i, a := range all {
		all[i].Text = o.adopting(a.Servers)
	}
	return all
}

func (o *Order) adopting(servers []string) string {
	s := *o.Spec
	s.Components = maps.Clone(s.Components)
	if len(s.Components) == 0 { // all, since another's account does their work
		s.Components = map[component.Name]spec.Component{}
		for _, c := range s.Named() {
			s.Components[c] = spec.Component{}
		}
	}
	s.VCenters = nil
	for _, v := range o.VCenters {
		if slices.Contains(servers, v.Server) {
			s.VCenters = append(s.VCenters, v.VCenter)
		}
	}
	for _, a := range o.Accounts {
		if a.Policy == nil || !slices.Contains(servers, a.Servers[0]) {
			continue
		}
		for _, c := range a.Components {
			if c == o.Spec.Account(c).Component {
				s.Components[c] = spec.Component{Principal: a.Principal}
			}
		}
	}
	return string(s.YAML())
}
