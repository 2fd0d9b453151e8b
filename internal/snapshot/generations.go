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

// OwnAccount is one of ours: of a component of the specification, or of one that it no longer names.
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
	return a.Of(max(1, s.Generations[a.Component].Current))
}

// OwnAccounts are those of the specification on a vCenter, in all generations, the one in use first.
func (s *Snapshot) OwnAccounts() []OwnAccount {
	var all []OwnAccount
	for _, c := range s.Request.Spec.ComponentNames() {
		if s.Request.Owns(c) {
			g := s.Generations[c]
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

// InUse reports whether an account is the one that its component works with.
func (s *Snapshot) InUse(a OwnAccount) bool {
	return a.Generation == max(1, s.Generations[a.Component].Current)
}

// Leaves reports whether this run removes an account for another generation of it.
func (s *Snapshot) Leaves(a OwnAccount) bool {
	return slices.Contains(s.Generations[a.Component].Leaving, a.Generation)
}

// LeavingAccounts are the accounts that this run removes for another generation of them.
func (s *Snapshot) LeavingAccounts() []OwnAccount {
	return slices.DeleteFunc(s.OwnAccounts(), func(a OwnAccount) bool { return !s.Leaves(a) })
}

// KnownNames are the accounts of ours that can be in use on a vCenter, without domain, as far as the files tell before it is
// read.
func (q *Request) KnownNames(server string) []string {
	var names []string
	for _, c := range q.Spec.ComponentNames() {
		account := q.Spec.Account(c)
		if !account.Ours() && !account.Named {
			continue
		}
		var found []int
		for _, at := range append([]string{server}, q.Servers()...) { // of its SSO domain, perhaps
			files := q.Files().Section(at, c)
			if n := account.Generation(files.File.User); n > 0 && len(found) == 0 {
				found = append(found, n)
			}
			for _, a := range []credfile.Account{files.Journal, files.Earlier} {
				if n := account.Generation(a.User); n > 0 && at == server {
					found = lists.AppendNew(found, n)
				}
			}
		}
		if len(found) == 0 {
			found = append(found, 1)
		}
		if q.Op == accounts.Replace {
			found = append(found, slices.Max(found)+1)
		}
		for _, n := range found {
			names = append(names, account.Of(n).Name)
		}
	}
	return names
}

// Servers are the vCenters of the request.
func (q *Request) Servers() []string {
	names := make([]string, len(q.Spec.VCenters))
	for i, v := range q.Spec.VCenters {
		names[i] = v.Server
	}
	return names
}

// Files are those that have the passwords of our accounts.
func (q *Request) Files() accounts.Files {
	return accounts.Files{Credentials: q.Credentials, Journal: q.Journal, Given: q.fromGiven}
}

// Journaled is the password of an account in the rotation journal, of the first section that has one; empty where there is none.
func (s *Snapshot) Journaled(a OwnAccount) secret.Secret {
	for _, section := range s.Request.Files().Sections(s.Sections, a.Component) {
		if password := section.Journaled(a.Principal(s)); !password.Empty() {
			return password
		}
	}
	return secret.Secret{}
}

// Generate works out what an SSO domain has of accounts of ours, from the vCenters of it that were read.
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

// AccountConditions are what decides about the account of a component beside its phases.
func (s *Snapshot) AccountConditions(c component.Name) accounts.Conditions {
	return accounts.Conditions{
		Disabled: s.Request.Spec.Disabled(c), NoFile: s.Request.Credentials != nil && s.Request.Credentials.Sealed(),
		Limits: s.Request.Limits, LifetimeDays: s.SSO.Policy.LifetimeDays, Now: s.Request.Now,
	}
}

// Ours finds an account of ours by name on any vCenter of the SSO domain.
func (s *Snapshot) Ours(a OwnAccount) (u sso.User, exists bool) {
	mark := sso.Mark(s.Request.Spec.Cluster, a.Component)
	for _, u := range s.known {
		if strings.EqualFold(u.Name, a.Name) && u.Description == mark {
			return u, true
		}
	}
	return sso.User{}, false
}

// Compared is an account of ours of a name beside its mark.
func (s *Snapshot) Compared(name string, c component.Name) sso.Compared {
	return sso.Compare(sso.Want{Name: name, Component: c, Description: sso.Mark(s.Request.Spec.Cluster, c)}, s.SSO)
}

// Earlier are the accounts of a component that the one in use has replaced.
func (s *Snapshot) Earlier(c component.Name) []string {
	var principals []string
	for _, n := range s.Generations[c].Former() {
		principals = append(principals, s.Request.OwnAccount(c, n).Principal(s))
	}
	return principals
}

// Retired reports whether an account that another one has replaced is disabled, and stays: a rotate finish began to remove it and did
// not come to its end. Its permissions, all or what is left of them, wait for the next one.
func (s *Snapshot) Retired(a OwnAccount) bool {
	u, exists := s.Ours(a)
	return exists && u.Disabled && a.Generation < s.Generations[a.Component].Current && !s.Leaves(a) && !s.Request.Spec.Disabled(a.Component)
}

// Touches reports whether the run creates an account, enables it, or removes it.
func (s *Snapshot) Touches(a OwnAccount) bool {
	step := s.Generations[a.Component]
	return s.Leaves(a) || a.Generation == step.Making || step.Replaced > 0 && a.Generation == step.Current
}

// LeftOutError refuses to do something to an account on a vCenter only, because another one is left out.
func (s *Snapshot) LeftOutError(principal string, why accounts.Refusal) error {
	way := "omit --vcenters, or name all of them"
	switch {
	case why.Code == accounts.Unread:
		way = "name " + why.Server + " too; if its name leads nowhere from here: --connect-to " + why.Server + "=ADDRESS; if it no longer exists, unregister it from the SSO domain"
	case !s.Request.Specifies(why.Server):
		way = "name " + why.Server + " too, in the specification or with --vcenters"
		file := s.Request.Credentials
		if slices.ContainsFunc(component.Names(), func(c component.Name) bool { _, has := file.Get(why.Server, c); return has }) {
			way += "; if this vCenter no longer exists, remove its entries from " + s.Request.Credentials.Path() + " by hand"
		}
	}
	return hint.Errorf(way, "%s: %s: %s", s.VCenter.Server, principal, s.Request.Refusal(why))
}

// Announced are the accounts that the journal has and that were never made.
func (s *Snapshot) Announced() []OwnAccount {
	var all []OwnAccount
	for _, c := range s.Request.Spec.ComponentNames() {
		for _, server := range s.Sections {
			n := s.Request.Spec.Account(c).Generation(s.Request.Files().Section(server, c).Journal.User)
			if _, exists := s.Ours(s.Request.OwnAccount(c, n)); n > 0 && s.Request.Owns(c) && !exists {
				all = append(all, s.Request.OwnAccount(c, n))
			}
		}
	}
	return all
}

// MustDisable reports whether the specification disables an account that is enabled.
func (s *Snapshot) MustDisable(a OwnAccount) bool {
	u, exists := s.SSO.Own(a.Name)
	return exists && s.SSO.Why == nil && !u.Disabled && s.Request.Spec.Disabled(a.Component)
}

// Owned are the accounts whose permissions are all ours.
func (s *Snapshot) Owned() []string {
	var all []string
	for _, a := range s.OwnAccounts() {
		all = append(all, a.Principal(s))
	}
	return all
}

// OtherGenerations are the accounts that exist beside those that are in use, before their rotation began or after it.
func (s *Snapshot) OtherGenerations() []OwnAccount {
	return slices.DeleteFunc(s.OwnAccounts(), func(a OwnAccount) bool {
		_, exists := s.SSO.Own(a.Name)
		return !exists || s.InUse(a)
	})
}
