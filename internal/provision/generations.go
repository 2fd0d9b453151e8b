package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// ownAccount is one of ours: of a component of the specification, or of one that it no longer names.
type ownAccount struct {
	name       string // without domain
	component  component.Name
	generation int // 0 where not in the specification
}

// principal is its full name on a vCenter, name@domain.
func (a ownAccount) principal(s *snapshot) string { return a.name + "@" + s.sso.Domain }

// account is the one that a component works with on a vCenter.
func (s *snapshot) account(c component.Name) spec.Account {
	a := s.request.Spec.Account(c)
	return a.Of(max(1, s.generations[a.Component].Current))
}

// ownAccounts are those of the specification on a vCenter, in all generations, the one in use first.
func (s *snapshot) ownAccounts() []ownAccount {
	var all []ownAccount
	for _, c := range s.request.Spec.ComponentNames() {
		if s.request.owns(c) {
			g := s.generations[c]
			for _, n := range slices.Concat([]int{max(1, g.Current)}, g.Others, g.Leaving) {
				all = append(all, s.request.ownAccount(c, n))
			}
		}
	}
	return all
}

// ownAccount is the account of a component in one generation.
func (q *Request) ownAccount(c component.Name, generation int) ownAccount {
	return ownAccount{q.Spec.Account(c).Of(generation).Name, c, generation}
}

// inUse reports whether an account is the one that its component works with.
func (s *snapshot) inUse(a ownAccount) bool {
	return a.generation == max(1, s.generations[a.component].Current)
}

// leaves reports whether this run removes an account for another generation of it.
func (s *snapshot) leaves(a ownAccount) bool {
	return slices.Contains(s.generations[a.component].Leaving, a.generation)
}

// leavingAccounts are the accounts that this run removes for another generation of them.
func (s *snapshot) leavingAccounts() []ownAccount {
	return slices.DeleteFunc(s.ownAccounts(), func(a ownAccount) bool { return !s.leaves(a) })
}

// knownNames are the accounts of ours that can be in use on a vCenter, without domain, as far as the files tell before it is
// read.
func (q *Request) knownNames(server string) []string {
	var names []string
	for _, c := range q.Spec.ComponentNames() {
		if !q.owns(c) {
			continue
		}
		account := q.Spec.Account(c)
		var found []int
		for _, at := range append([]string{server}, q.servers()...) { // of its SSO domain, perhaps
			files := q.files().Section(at, c)
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
		if q.op == accounts.Replace {
			found = append(found, slices.Max(found)+1)
		}
		for _, n := range found {
			names = append(names, account.Of(n).Name)
		}
	}
	return names
}

func (q *Request) servers() []string {
	names := make([]string, len(q.Spec.VCenters))
	for i, v := range q.Spec.VCenters {
		names[i] = v.Server
	}
	return names
}

// files are those that have the passwords of our accounts.
func (q *Request) files() accounts.Files {
	return accounts.Files{Credentials: q.Credentials, Journal: q.Journal}
}

// journaled is the password of an account in the rotation journal, empty where there is none.
func (s *snapshot) journaled(a ownAccount) secret.Secret {
	return accounts.Journaled(s.request.files().Sections(s.sections, a.component), a.principal(s))
}

// generate works out what an SSO domain has of accounts of ours, from the vCenters of it that were read.
func (q *Request) generate(d *domain, sharing []*snapshot) {
	d.sections, d.known = nil, nil
	for _, other := range sharing {
		d.sections = lists.AppendNew(d.sections, other.spec.Server)
		for _, u := range other.sso.Known() {
			if u.SetByOthers(other.sso.Policy.LifetimeDays, q.Now) {
				u.PasswordTag = ""
			}
			d.known = append(d.known, u)
		}
	}
	for _, peer := range d.peerServers {
		for _, v := range q.Spec.Whole().VCenters { // as the specification spells it
			if strings.EqualFold(v.Server, peer) {
				peer = v.Server
			}
		}
		d.sections = lists.AppendNew(d.sections, peer)
	}
	d.accounts, d.generations = map[component.Name]accounts.Line{}, map[component.Name]accounts.Step{}
	for _, c := range q.Spec.ComponentNames() {
		l := accounts.Classify(q.Spec.Account(c), sso.Mark(q.Spec.Cluster, c), q.files().Sections(d.sections, c), d.known)
		d.accounts[c] = l
		d.generations[c], _, _ = l.Next(q.op, sharing[0].accountConditions(c))
	}
}

// accountConditions are what decides about the account of a component beside its phases.
func (s *snapshot) accountConditions(c component.Name) accounts.Conditions {
	return accounts.Conditions{
		Disabled: s.request.Spec.Disabled(c), NoFile: s.request.Credentials != nil && s.request.Credentials.Sealed(),
		Limits: s.request.limits, LifetimeDays: s.sso.Policy.LifetimeDays, Now: s.request.Now,
	}
}

// ours finds an account of ours by name on any vCenter of the SSO domain.
func (s *snapshot) ours(a ownAccount) (u sso.User, exists bool) {
	mark := sso.Mark(s.request.Spec.Cluster, a.component)
	for _, u := range s.known {
		if strings.EqualFold(u.Name, a.name) && u.Description == mark {
			return u, true
		}
	}
	return sso.User{}, false
}

// compared is an account of ours of a name beside its mark.
func (s *snapshot) compared(name string, c component.Name) sso.Compared {
	return sso.Compare(sso.Want{Name: name, Component: c, Description: sso.Mark(s.request.Spec.Cluster, c)}, s.sso)
}

// earlier are the accounts of a component that the one in use has replaced.
func (s *snapshot) earlier(c component.Name) []string {
	var principals []string
	for _, n := range s.generations[c].Former() {
		principals = append(principals, s.request.ownAccount(c, n).principal(s))
	}
	return principals
}

// replaced says which accounts are still there that another one has replaced.
func (s *vcenterPlan) replaced() []*plan.Change {
	var notes []*plan.Change
	if s.request.op != accounts.Keep || !s.request.does(plan.User) {
		return nil
	}
	for _, b := range s.otherGenerations() {
		if b.generation < s.generations[b.component].Current {
			note := s.principal(b.component) + " has replaced it; it is kept until rotate finish"
			if s.retired(b.ownAccount) {
				note = s.principal(b.component) + " has replaced it; it is disabled: remove it with rotate finish"
			}
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: b.principal(s.snapshot), Note: note})
		}
	}
	return notes
}

// retired reports whether an account that another one has replaced is disabled, and stays: a rotate finish began to remove it and did
// not come to its end. Its permissions, all or what is left of them, wait for the next one.
func (s *snapshot) retired(a ownAccount) bool {
	u, exists := s.ours(a)
	return exists && u.Disabled && a.generation < s.generations[a.component].Current && !s.leaves(a) && !s.request.Spec.Disabled(a.component)
}
