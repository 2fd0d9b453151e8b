package provision

import (
	"cmp"
	"slices"
	"strings"

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

// generations are those of a component's account in one SSO domain.
type generations struct {
	current int   // whose password the credentials file has, or will have after the run; 0 = nothing was read, which is 1
	others  []int // that stay beside it, lowest first: earlier ones until their rotation is finished, and one that a rotation makes
	leaving []int // that this run removes, lowest first
	former  int   // when reverting, the one that the credentials file has now; 0 = it does not change
	making  int   // when replacing, the one that takes over; 0 = none does

	stored   bool // the credentials file has current
	disputed bool // it has different ones in the sections of the SSO domain
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
	return a.Of(max(1, s.generations[a.Component].current))
}

// ownAccounts are those of the specification on a vCenter, in all generations, the one in use first.
func (q *asked) ownAccounts(s *snapshot) []ownAccount {
	var all []ownAccount
	for _, c := range q.Spec.ComponentNames() {
		if q.owns(c) {
			g := s.generations[c]
			for _, n := range slices.Concat([]int{max(1, g.current)}, g.others, g.leaving) {
				all = append(all, q.ownAccount(c, n))
			}
		}
	}
	return all
}

func (q *asked) ownAccount(c component.Name, generation int) ownAccount {
	return ownAccount{q.Spec.Account(c).Of(generation).Name, c, generation}
}

// inUse tells whether an account is the one that its component works with.
func (s *snapshot) inUse(a ownAccount) bool {
	return a.generation == max(1, s.generations[a.component].current)
}

// leaves tells whether this run removes an account for another generation of it.
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

// keeps tells whether the credentials file or its journal has the password of one of our accounts in the section of a vCenter.
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
		s.known = append(s.known, other.sso.Known()...)
	}
	for _, peer := range s.peerServers {
		for _, v := range q.Spec.Whole().VCenters { // as the specification spells it
			if strings.EqualFold(v.Server, peer) {
				peer = v.Server
			}
		}
		s.sections = appendNew(s.sections, peer)
	}
	s.generations = map[component.Name]generations{}
	for _, c := range q.Spec.ComponentNames() {
		if q.owns(c) {
			s.generations[c] = q.turned(s, c, q.standing(s, c))
		}
	}
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

// standing are the generations of an account as they are. The one in use is that of the credentials file; where it has none, the
// latest that exists.
func (q *asked) standing(s *snapshot, c component.Name) generations {
	account, mark := q.Spec.Account(c), sso.Mark(q.Spec.Cluster, c)
	var g generations
	next := 0
	for _, server := range s.sections {
		if n := account.Generation(q.user(server, c)); n > 0 {
			g.current = cmp.Or(g.current, n)
			g.disputed = g.disputed || n != g.current
		}
		next = cmp.Or(next, account.Generation(q.journaled(server, c).User))
	}
	g.stored = g.current > 0
	var exist []int
	for _, u := range s.known {
		if n := account.Generation(u.Name); n > 0 && u.Description == mark {
			exist = appendNew(exist, n)
		}
	}
	slices.Sort(exist)
	if g.current == 0 && len(exist) > 0 {
		g.current = exist[len(exist)-1]
		if g.current == next && len(exist) > 1 { // a rotation made it, and did not get as far as to hand it over
			g.current = exist[len(exist)-2]
		}
	}
	g.current = max(1, g.current)
	g.others = slices.DeleteFunc(exist, func(n int) bool { return n == g.current })
	return g
}

// begins is the generation that a rotation began to make, by the journal; 0 = none. A name that somebody else has taken meanwhile
// is none.
func (q *asked) begins(s *snapshot, c component.Name, g generations) int {
	for _, server := range s.sections {
		n := q.Spec.Account(c).Generation(q.journaled(server, c).User)
		if n > g.current && !q.taken(s, c, n) {
			return n
		}
	}
	return 0
}

// taken tells whether somebody else has the name of a generation.
func (q *asked) taken(s *snapshot, c component.Name, generation int) bool {
	a := q.ownAccount(c, generation)
	_, ours := q.ours(s, a)
	return !ours && slices.ContainsFunc(s.known, func(u sso.User) bool { return strings.EqualFold(u.Name, a.name) })
}

// next is the generation that a rotation makes: the one that it began, if any, else one whose name nobody has.
func (q *asked) next(s *snapshot, c component.Name, g generations) int {
	n := q.begins(s, c, g)
	if n == 0 {
		n = slices.Max(append([]int{g.current}, g.others...)) + 1
	}
	for q.taken(s, c, n) {
		n++
	}
	return n
}

// unfinished are the generations before the one in use.
func (g generations) unfinished() []int {
	return slices.DeleteFunc(slices.Clone(g.others), func(n int) bool { return n > g.current })
}

// earlier are the accounts of a component that the one in use has replaced.
func (q *asked) earlier(s *snapshot, c component.Name) []string {
	var principals []string
	for _, n := range s.generations[c].unfinished() {
		principals = append(principals, q.ownAccount(c, n).principal(s))
	}
	return principals
}

// begun are the generations after the one in use.
func (g generations) begun() []int {
	return slices.DeleteFunc(slices.Clone(g.others), func(n int) bool { return n < g.current })
}

// replaced says which accounts are still there that another one has replaced.
func (q *asked) replaced(s *snapshot) []*plan.Change {
	var notes []*plan.Change
	if q.turn != keeping || !q.does(plan.User) {
		return nil
	}
	for _, b := range q.beside(s) {
		if b.generation < s.generations[b.component].current {
			note := q.principal(s, b.component) + " has replaced it; it is kept until rotate finish"
			if q.retired(s, b.ownAccount) {
				note = q.principal(s, b.component) + " has replaced it; it is disabled: remove it with rotate finish"
			}
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: b.principal(s), Note: note})
		}
	}
	return notes
}

// retired tells whether an account that another one has replaced is disabled, and stays: a rotate finish began to remove it and did
// not come to its end. Its permissions, all or what is left of them, wait for the next one.
func (q *asked) retired(s *snapshot, a ownAccount) bool {
	u, exists := q.ours(s, a)
	return exists && u.Disabled && a.generation < s.generations[a.component].current && !s.leaves(a) && !q.Spec.Disabled(a.component)
}

// turned are the generations with what this run does about them.
func (q *asked) turned(s *snapshot, c component.Name, g generations) generations {
	if why, _ := q.hinders(s, c, g); why != "" {
		return g
	}
	switch q.turn {
	case keeping:
	case replacing:
		g.making = q.next(s, c, g)
		g.others = appendNew(g.others, g.making)
	case finishing:
		g.others, g.leaving = g.begun(), g.unfinished()
	case withdrawing:
		g.others, g.leaving = g.unfinished(), g.begun()
	case reverting:
		before := g.unfinished()
		g.others = appendNew(slices.DeleteFunc(g.others, func(n int) bool { return n == before[len(before)-1] }), g.current)
		g.former, g.current = g.current, before[len(before)-1]
	}
	return g
}
