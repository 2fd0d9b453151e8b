package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// turn is what a run does about the generations of accounts.
type turn int

const (
	keeping     turn = iota // every generation stays as it is
	replacing               // the next one is made, and is in use
	reverting               // an earlier one is in use again
	finishing               // the earlier ones go
	withdrawing             // the later ones go
)

// generations are those of a component's account in one SSO domain, as this run leaves them.
type generations struct {
	accounts.Line
	leaving []int // that this run removes, lowest first
	former  int   // when reverting, the one that the credentials file has now; 0 = it does not change
	making  int   // when replacing, the one that takes over; 0 = none does
}

// ownAccount is one of ours: of a component of the specification, or of one that it no longer names.
type ownAccount struct {
	name       string // without domain
	component  component.Name
	generation int // 0 where not in the specification
}

func (a ownAccount) principal(s *snapshot) string { return a.name + "@" + s.sso.Domain }

// account is the one that a component works with on a vCenter.
func (q *asked) account(s *snapshot, c component.Name) spec.Account {
	a := q.Spec.Account(c)
	return a.Of(max(1, s.generations[a.Component].Current))
}

// ownAccounts are those of the specification on a vCenter, in all generations, the one in use first.
func (q *asked) ownAccounts(s *snapshot) []ownAccount {
	var all []ownAccount
	for _, c := range q.Spec.ComponentNames() {
		if q.owns(c) {
			g := s.generations[c]
			for _, n := range slices.Concat([]int{max(1, g.Current)}, g.Others, g.leaving) {
				all = append(all, q.ownAccount(c, n))
			}
		}
	}
	return all
}

func (q *asked) ownAccount(c component.Name, generation int) ownAccount {
	return ownAccount{q.Spec.Account(c).Of(generation).Name, c, generation}
}

// inUse reports whether an account is the one that its component works with.
func (s *snapshot) inUse(a ownAccount) bool {
	return a.generation == max(1, s.generations[a.component].Current)
}

// leaves reports whether this run removes an account for another generation of it.
func (s *snapshot) leaves(a ownAccount) bool {
	return slices.Contains(s.generations[a.component].leaving, a.generation)
}

// leaving are the accounts that this run removes for another generation of them.
func (q *asked) leaving(s *snapshot) []ownAccount {
	return slices.DeleteFunc(q.ownAccounts(s), func(a ownAccount) bool { return !s.leaves(a) })
}

// knownNames are the accounts of ours that can be in use on a vCenter, without domain, as far as the files tell before it is
// read.
func (q *asked) knownNames(server string) []string {
	var names []string
	for _, c := range q.Spec.ComponentNames() {
		if !q.owns(c) {
			continue
		}
		account := q.Spec.Account(c)
		var found []int
		for _, at := range append([]string{server}, q.servers()...) { // of its SSO domain, perhaps
			if n := account.Generation(q.user(at, c)); n > 0 && len(found) == 0 {
				found = append(found, n)
			}
			for _, slot := range credfile.Slots(c) {
				if n := account.Generation(q.journaled(at, slot).User); n > 0 && at == server {
					found = appendNew(found, n)
				}
			}
		}
		if len(found) == 0 {
			found = append(found, 1)
		}
		if q.turn == replacing {
			found = append(found, slices.Max(found)+1)
		}
		for _, n := range found {
			names = append(names, account.Of(n).Name)
		}
	}
	return names
}

func (q *asked) servers() []string {
	names := make([]string, len(q.Spec.VCenters))
	for i, v := range q.Spec.VCenters {
		names[i] = v.Server
	}
	return names
}

// user is who the credentials file has for a component, "" where nobody.
func (q *asked) user(server string, c component.Name) string {
	if q.Credentials == nil {
		return ""
	}
	a, _ := q.Credentials.Get(server, c)
	return a.User
}

// journaled is what the rotation journal has for a component, or under [credfile.Earlier] for the account before it.
func (q *asked) journaled(server string, slot component.Name) credfile.Account {
	if q.Journal == nil || q.Journal.Inherited(server, slot) != "" {
		return credfile.Account{}
	}
	a, _ := q.Journal.Get(server, slot)
	return a
}

// keeps reports whether the credentials file or its journal has the password of one of our accounts in the section of a vCenter.
func (q *asked) keeps(server string, c component.Name, principal string) bool {
	inUse, _ := q.Credentials.Get(server, c)
	all := []credfile.Account{inUse}
	for _, slot := range credfile.Slots(c) {
		all = append(all, q.journaled(server, slot))
	}
	return slices.ContainsFunc(all, func(a credfile.Account) bool { return strings.EqualFold(a.User, principal) && !a.Password.Empty() })
}

// journaledOf is the password of an account in the rotation journal, empty where there is none.
func (q *asked) journaledOf(s *snapshot, a ownAccount) secret.Secret {
	for _, server := range s.sections {
		for _, slot := range credfile.Slots(a.component) {
			if had := q.journaled(server, slot); strings.EqualFold(had.User, a.principal(s)) {
				return had.Password
			}
		}
	}
	return secret.Secret{}
}

// generate works out what a vCenter's SSO domain has of accounts of ours, from the vCenters of it that were read.
func (q *asked) generate(s *snapshot, sharing []*snapshot) {
	s.sections, s.known = []string{s.spec.Server}, nil
	for _, other := range sharing {
		s.sections = appendNew(s.sections, other.spec.Server)
		for _, u := range other.sso.Known() {
			if setByOthers(u, other.sso.Policy.LifetimeDays, q.Now) {
				u.PasswordTag = ""
			}
			s.known = append(s.known, u)
		}
	}
	for _, peer := range s.peerServers {
		for _, v := range q.Spec.Whole().VCenters { // as the specification spells it
			if strings.EqualFold(v.Server, peer) {
				peer = v.Server
			}
		}
		s.sections = appendNew(s.sections, peer)
	}
	s.accounts, s.generations = map[component.Name]accounts.Line{}, map[component.Name]generations{}
	for _, c := range q.Spec.ComponentNames() {
		if q.owns(c) {
			s.accounts[c] = accounts.Classify(q.Spec.Account(c), sso.Mark(q.Spec.Cluster, c), q.filed(s.sections, c), s.known)
			s.generations[c] = q.turned(s, c)
		}
	}
}

// filed is what the files have for a component in sections of the credentials file.
func (q *asked) filed(servers []string, c component.Name) []accounts.Section {
	all := make([]accounts.Section, len(servers))
	for i, server := range servers {
		all[i] = accounts.Section{Journal: q.journaled(server, c), Earlier: q.journaled(server, credfile.Earlier(c))}
		if q.Credentials != nil {
			all[i].File, _ = q.Credentials.Get(server, c)
		}
	}
	return all
}

// ours finds an account of ours by name on any vCenter of the SSO domain.
func (q *asked) ours(s *snapshot, a ownAccount) (u sso.User, exists bool) {
	mark := sso.Mark(q.Spec.Cluster, a.component)
	for _, u := range s.known {
		if strings.EqualFold(u.Name, a.name) && u.Description == mark {
			return u, true
		}
	}
	return sso.User{}, false
}

// earlier are the accounts of a component that the one in use has replaced.
func (q *asked) earlier(s *snapshot, c component.Name) []string {
	var principals []string
	for _, n := range s.generations[c].Former() {
		principals = append(principals, q.ownAccount(c, n).principal(s))
	}
	return principals
}

// replaced says which accounts are still there that another one has replaced.
func (q *asked) replaced(s *snapshot) []*plan.Change {
	var notes []*plan.Change
	if q.turn != keeping || !q.does(plan.User) {
		return nil
	}
	for _, b := range q.beside(s) {
		if b.generation < s.generations[b.component].Current {
			note := q.principal(s, b.component) + " has replaced it; it is kept until rotate finish"
			if q.retired(s, b.ownAccount) {
				note = q.principal(s, b.component) + " has replaced it; it is disabled: remove it with rotate finish"
			}
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: b.principal(s), Note: note})
		}
	}
	return notes
}

// retired reports whether an account that another one has replaced is disabled, and stays: a rotate finish began to remove it and did
// not come to its end. Its permissions, all or what is left of them, wait for the next one.
func (q *asked) retired(s *snapshot, a ownAccount) bool {
	u, exists := q.ours(s, a)
	return exists && u.Disabled && a.generation < s.generations[a.component].Current && !s.leaves(a) && !q.Spec.Disabled(a.component)
}

// turned are the generations with what this run does about them.
func (q *asked) turned(s *snapshot, c component.Name) generations {
	g := generations{Line: s.accounts[c]}
	if why, _ := q.hinders(s, c, g.Line); why != "" {
		return g
	}
	switch q.turn {
	case keeping:
	case replacing:
		g.making = g.Next()
		g.Others = appendNew(g.Others, g.making)
	case finishing:
		g.Others, g.leaving = g.Later(), g.Former()
	case withdrawing:
		g.Others, g.leaving = g.Former(), g.Later()
	case reverting:
		before := g.Former()
		g.Others = appendNew(slices.DeleteFunc(slices.Clone(g.Others), func(n int) bool { return n == before[len(before)-1] }), g.Current)
		g.former, g.Current = g.Current, before[len(before)-1]
	}
	return g
}
