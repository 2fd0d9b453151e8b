package snapshot

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// OwnAccount is an account of ours, of a component that the specification names or has dropped.
type OwnAccount struct {
	Name       string // without domain
	Component  component.Name
	Generation int // 0 where not in the specification
}

// Principal is its full name on a vCenter, name@domain.
func (a OwnAccount) Principal(s *Snapshot) string { return a.Name + "@" + s.SSO.Domain }

// Account is the one that a component works with on a vCenter.
func (s *Snapshot) Account(c component.Name) spec.Account {
	a := s.Request.Spec.Account(c)
	return a.Of(max(1, s.Domain.Generations[a.Component].Current))
}

// OwnAccounts returns those of the specification in all generations, the one in use first.
func (s *Snapshot) OwnAccounts() []OwnAccount {
	var all []OwnAccount
	for _, c := range s.Request.Spec.ComponentNames() {
		if s.Request.Owns(c) {
			g := s.Domain.Generations[c]
			for _, n := range slices.Concat([]int{max(1, g.Current)}, g.Others, g.Leaving) {
				all = append(all, s.Request.OwnAccount(c, n))
			}
		}
	}
	return all
}

// OwnAccount is the account of a component in one generation.
func (q *Request) OwnAccount(c component.Name, generation int) OwnAccount {
	return OwnAccount{q.Spec.Account(c).Of(generation).Name, c, generation}
}

// InUse reports whether its component works with an account.
func (s *Snapshot) InUse(a OwnAccount) bool {
	return a.Generation == max(1, s.Domain.Generations[a.Component].Current)
}

// Leaves reports whether this run removes an account for another generation of it.
func (s *Snapshot) Leaves(a OwnAccount) bool {
	return slices.Contains(s.Domain.Generations[a.Component].Leaving, a.Generation)
}

// LeavingAccounts returns the accounts that this run removes for another generation.
func (s *Snapshot) LeavingAccounts() []OwnAccount {
	return slices.DeleteFunc(s.OwnAccounts(), func(a OwnAccount) bool { return !s.Leaves(a) })
}

// KnownNames returns our accounts for a vCenter, without domain, and which of these the files have:
// others hardly exist.
func (q *Request) KnownNames(server string) (names, filed []string) {
	files := q.Files()
	for _, c := range q.Spec.ComponentNames() {
		account := q.Spec.Account(c)
		if !account.Ours() && !account.Named {
			continue
		}
		var found []int
		add := func(a credfile.Account) {
			if n := account.Generation(a.User); n > 0 {
				found = lists.AppendNew(found, n)
			}
		}
		here := files.Section(server, c)
		add(here.File)
		add(here.Journal)
		add(here.Earlier)
		for _, v := range q.Spec.VCenters { // perhaps of its SSO domain
			if len(found) > 0 {
				break
			}
			add(files.Section(v.Server, c).File)
		}
		for _, n := range found {
			filed = append(filed, account.Of(n).Name)
		}
		if len(found) == 0 {
			found = []int{1}
		}
		if q.Op == accounts.Replace {
			found = append(found, slices.Max(found)+1)
		}
		for _, n := range found {
			names = append(names, account.Of(n).Name)
		}
	}
	return names, filed
}

// Servers are the vCenters of the request.
func (q *Request) Servers() []string {
	names := make([]string, len(q.Spec.VCenters))
	for i, v := range q.Spec.VCenters {
		names[i] = v.Server
	}
	return names
}

// Files are the ones with the passwords of our accounts.
func (q *Request) Files() accounts.Files {
	return accounts.Files{Credentials: q.Credentials, Journal: q.Journal, Given: q.fromGiven}
}

// Journaled is an account's password in the rotation journal; empty if none.
func (s *Snapshot) Journaled(a OwnAccount) secret.Secret {
	for _, section := range s.Request.Files().Sections(s.Domain.Sections, a.Component) {
		if password := section.Journaled(a.Principal(s)); !password.Empty() {
			return password
		}
	}
	return secret.Secret{}
}

// Generate sets a domain's accounts of ours from its vCenters that were read.
func (q *Request) Generate(d *Domain, sharing []*Snapshot) {
	d.Sections, d.known = nil, nil
	for _, other := range sharing {
		d.Sections = lists.AppendNew(d.Sections, other.VCenter.Server)
		for _, u := range other.SSO.Known() {
			if u.SetByOthers(other.SSO.Policy.LifetimeDays, q.Now) {
				u.PasswordTag = ""
			}
			d.known = append(d.known, u)
		}
	}
	for _, peer := range d.PeerServers {
		for _, v := range q.Spec.Whole().VCenters { // as the specification spells it
			if strings.EqualFold(v.Server, peer) {
				peer = v.Server
			}
		}
		d.Sections = lists.AppendNew(d.Sections, peer)
	}
	d.Accounts, d.Generations = map[component.Name]accounts.Line{}, map[component.Name]accounts.Step{}
	for _, c := range q.Spec.ComponentNames() {
		l := accounts.Classify(q.Spec.Account(c), sso.Mark(q.Spec.Cluster, c), q.Files().Sections(d.Sections, c), d.known)
		d.Accounts[c] = l
		d.Generations[c], _, _ = l.Next(q.Op, sharing[0].AccountConditions(c))
	}
}

// AccountConditions are what decides about a component's account besides its phases.
func (s *Snapshot) AccountConditions(c component.Name) accounts.Conditions {
	return accounts.Conditions{
		Disabled: s.Request.Spec.Disabled(c), NoFile: s.Request.Credentials != nil && s.Request.Credentials.Sealed(),
		Limits: s.Request.Limits, LifetimeDays: s.SSO.Policy.LifetimeDays, Now: s.Request.Now,
	}
}

// Ours finds an account of ours by name on any vCenter of the SSO domain.
func (s *Snapshot) Ours(a OwnAccount) (u sso.User, exists bool) {
	mark := sso.Mark(s.Request.Spec.Cluster, a.Component)
	for _, u := range s.Domain.known {
		if strings.EqualFold(u.Name, a.Name) && u.Description == mark {
			return u, true
		}
	}
	return sso.User{}, false
}

// Compared compares an account of ours with its mark.
func (s *Snapshot) Compared(name string, c component.Name) sso.Compared {
	return sso.Compare(sso.Want{Name: name, Component: c, Description: sso.Mark(s.Request.Spec.Cluster, c)}, s.SSO)
}

// Earlier returns the accounts that the one in use has replaced.
func (s *Snapshot) Earlier(c component.Name) []string {
	var principals []string
	for _, n := range s.Domain.Generations[c].Former() {
		principals = append(principals, s.Request.OwnAccount(c, n).Principal(s))
	}
	return principals
}

// Retired reports whether a replaced account is disabled and waits for the next rotate finish.
func (s *Snapshot) Retired(a OwnAccount) bool {
	u, exists := s.Ours(a)
	return exists && u.Disabled && a.Generation < s.Domain.Generations[a.Component].Current &&
		!s.Leaves(a) && !s.Request.Spec.Disabled(a.Component)
}

// Touches reports whether the run creates, enables or removes an account.
func (s *Snapshot) Touches(a OwnAccount) bool {
	step := s.Domain.Generations[a.Component]
	return s.Leaves(a) || a.Generation == step.Making || step.Replaced > 0 && a.Generation == step.Current
}

// LeftOutError refuses to change an account because a vCenter that has it is left out.
func (s *Snapshot) LeftOutError(principal string, why accounts.Refusal) error {
	way := "omit --vcenters, or name all of them"
	switch {
	case why.Code == accounts.Unread:
		way = "name " + why.Server + " too; if its name leads nowhere from here: --connect-to " +
			why.Server + "=ADDRESS; if it no longer exists, unregister it from the SSO domain"
	case !s.Request.Specifies(why.Server):
		way = "name " + why.Server + " too, in the specification or with --vcenters"
		file := s.Request.Credentials
		if slices.ContainsFunc(component.Names(),
			func(c component.Name) bool { _, has := file.Get(why.Server, c); return has }) {
			way += "; if this vCenter no longer exists, remove its entries from " + s.Request.Credentials.Path() + " by hand"
		}
	}
	return hint.Errorf(way, "%s: %s: %s", s.VCenter.Server, principal, s.Request.Refusal(why))
}

// Announced returns the accounts of the journal that do not exist.
func (s *Snapshot) Announced() []OwnAccount {
	var all []OwnAccount
	for _, c := range s.Request.Spec.ComponentNames() {
		for _, server := range s.Domain.Sections {
			section := s.Request.Files().Section(server, c)
			for _, user := range []string{section.Journal.User, section.Earlier.User} {
				n := s.Request.Spec.Account(c).Generation(user)
				if _, exists := s.Ours(s.Request.OwnAccount(c, n)); n > 0 && s.Request.Owns(c) && !exists {
					all = append(all, s.Request.OwnAccount(c, n))
				}
			}
		}
	}
	return all
}

// MustDisable reports whether the specification disables an enabled account.
func (s *Snapshot) MustDisable(a OwnAccount) bool {
	u, exists := s.SSO.Own(a.Name)
	return exists && s.SSO.Why == nil && !u.Disabled && s.Request.Spec.Disabled(a.Component)
}

// Owned returns the accounts whose permissions are all ours.
func (s *Snapshot) Owned() []string {
	var all []string
	for _, a := range s.OwnAccounts() {
		all = append(all, a.Principal(s))
	}
	return all
}

// OtherGenerations returns existing accounts that are not in use yet or any more.
func (s *Snapshot) OtherGenerations() []OwnAccount {
	return slices.DeleteFunc(s.OwnAccounts(), func(a OwnAccount) bool {
		_, exists := s.SSO.Own(a.Name)
		return !exists || s.InUse(a)
	})
}
