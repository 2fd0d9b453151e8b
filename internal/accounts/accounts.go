// Package accounts says which accounts of ours an SSO domain has: the generations of each
// component's account, and their phases. It reads and changes nothing: all follows from the
// specification, what was read of SSO, and the credentials file with its journal.
package accounts

import (
	"cmp"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Phase is where one generation of an account is in its life.
type Phase int

const (
	// Absent is an account that does not exist; a stored password may be a removed one's.
	Absent Phase = iota
	// Announced is an account that a run was about to create: the journal has its password.
	Announced
	// Current is the account that its component works with.
	Current
	// Former is an account that the current one has replaced.
	Former
	// Next is an account that is to replace the current one, or did so until that was undone.
	Next
	// Elsewhere is a later account without a password here: the credentials file is outdated.
	Elsewhere
)

// Line is the account of a component in one SSO domain, in all its generations. The first is 1.
type Line struct {
	Current  int   // that of the credentials file, else the latest, or 1
	Others   []int // that exist beside it with our mark, lowest first
	Begun    int   // after the current one, which a rotation began to make by the journal; 0 = none
	Stored   bool  // the credentials file has the current one
	Disputed bool  // it has different ones in the sections of the SSO domain
	Outdated bool  // SSO has another password of the current one than it and its journal have
	Pending  bool  // the journal has a password that the credentials file does not have

	User sso.User // the current one; the zero value where it does not exist

	account  spec.Account
	adopted  bool  // another's, without generations
	known    []int // whose password a file here has
	foreign  []int // whose names are others' accounts
	disabled []int // ours that are disabled in SSO
	inFlight bool  // the journal has the password that the credentials file has of the current one
}

// Classify finds the generations of an account. mark is the description of ours, sections are the
// SSO domain's, the preferred one first, and users those of SSO.
func Classify(account spec.Account, mark string, sections []Section, users []sso.User) Line {
	l := Line{account: account, adopted: !account.Ours()}
	if l.adopted {
		l.Current = 1
		return l
	}
	journaled := 0
	for _, s := range sections {
		if n := account.Generation(s.File.User); n > 0 {
			l.Current = cmp.Or(l.Current, n)
			l.Disputed = l.Disputed || n != l.Current
		}
		journaled = cmp.Or(journaled, account.Generation(s.Journal.User))
		for _, a := range []credfile.Account{s.File, s.Journal, s.Earlier} {
			if n := account.Generation(a.User); n > 0 && !a.Password.Empty() {
				l.known = append(l.known, n)
			}
		}
	}
	l.Stored = l.Current > 0
	ours := slices.DeleteFunc(slices.Clone(users),
		func(u sso.User) bool { return u.Description != mark })
	var exist []int
	for _, u := range ours {
		if n := account.Generation(u.Name); n > 0 {
			exist = append(exist, n)
			if u.Disabled {
				l.disabled = append(l.disabled, n)
			}
		}
	}
	slices.Sort(exist)
	exist = slices.Compact(exist)
	for _, u := range users {
		if n := account.Generation(u.Name); n > 0 && !slices.Contains(exist, n) {
			l.foreign = append(l.foreign, n)
		}
	}
	if l.Current == 0 && len(exist) > 0 {
		l.Current = exist[len(exist)-1]
		if l.Current == journaled && len(exist) > 1 { // a rotation stopped after making it
			l.Current = exist[len(exist)-2]
		}
	}
	l.Current = max(1, l.Current)
	current := slices.DeleteFunc(ours,
		func(u sso.User) bool { return account.Generation(u.Name) != l.Current })
	if len(current) > 0 {
		l.User = current[0]
	}
	l.Others = slices.DeleteFunc(exist, func(n int) bool { return n == l.Current })
	l.Outdated = l.Exists() && outdated(account, l.Current, sections, current)
	for _, s := range sections {
		n := account.Generation(s.Journal.User)
		if n > l.Current && l.Begun == 0 && !slices.Contains(l.foreign, n) {
			l.Begun = n
		}
		l.inFlight = l.inFlight || n == l.Current && s.Settled()
		l.Pending = l.Pending || s.Pending() != ""
	}
	return l
}

// outdated reports whether the credentials file's sections, or the journal, have a password of an
// account that is not the latest in any vCenter's record: another machine set that. Replication
// takes up to a minute, and the journal may have one that is being set.
func outdated(account spec.Account, generation int, sections []Section, current []sso.User) bool {
	var tags []string
	for _, u := range current {
		tags = append(tags, u.PasswordTag)
	}
	is := func(c credfile.Account) bool {
		return !c.Password.Empty() && account.Generation(c.User) == generation
	}
	borne := func(c credfile.Account) bool { return is(c) && slices.ContainsFunc(tags, c.Password.Bears) }
	if slices.Contains(tags, "") ||
		slices.ContainsFunc(sections, func(s Section) bool { return borne(s.Journal) }) {
		return false
	}
	return slices.ContainsFunc(sections, func(s Section) bool {
		return is(s.File) && !borne(s.File) || is(s.Journal) && !is(s.File)
	})
}

// Phase is that of a generation.
func (l Line) Phase(generation int) Phase {
	switch {
	case generation == l.Current && l.Exists():
		return Current
	case generation == l.Current && l.inFlight, generation == l.Begun && !slices.Contains(l.Others, generation):
		return Announced
	case !slices.Contains(l.Others, generation):
		return Absent
	case generation < l.Current:
		return Former
	case slices.Contains(l.known, generation):
		return Next
	}
	return Elsewhere
}

// Former are the generations before the current one.
func (l Line) Former() []int {
	return slices.DeleteFunc(slices.Clone(l.Others), func(n int) bool { return n > l.Current })
}

// Later are the generations after the current one.
func (l Line) Later() []int {
	return slices.DeleteFunc(slices.Clone(l.Others), func(n int) bool { return n < l.Current })
}

// Elsewhere are the later generations without a password here, if the file has an earlier one.
func (l Line) Elsewhere() []int {
	return slices.DeleteFunc(l.Later(), func(n int) bool { return l.Phase(n) != Elsewhere })
}

// Exists reports whether the current one does.
func (l Line) Exists() bool { return l.User.Name != "" }

// before is the generation that the current one replaced; 0 = none.
func (l Line) before() int { return slices.Max(append([]int{0}, l.Former()...)) }

// Following is the generation that a rotation makes: the begun one, else one with a free name.
func (l Line) Following() int {
	n := l.Begun
	if n == 0 {
		n = slices.Max(append([]int{l.Current}, l.Others...)) + 1
	}
	for slices.Contains(l.foreign, n) {
		n++
	}
	return n
}
