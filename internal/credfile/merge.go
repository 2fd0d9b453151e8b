package credfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Outcome is what a merge does with one account.
type Outcome string

const (
	// Added says that there was none.
	Added Outcome = "added"
	// Changed is another password for the same user, or another user's account.
	Changed Outcome = "changed"
	// Kept says that it is there already.
	Kept Outcome = "kept"
	// Conflicting is another user, or another password without leave: nothing is replaced.
	Conflicting Outcome = "conflict"
)

// Merged is one account of a merge.
type Merged struct {
	Server    string
	Component component.Name
	User      string  // the one to be merged
	Was       Account // the account that is there, zero if none
	Outcome   Outcome
}

// Leave is what a merge may replace.
type Leave struct {
	Passwords bool                                     // of the same user
	Accounts  func(c component.Name, user string) bool // may user replace another user's account? nil = no
}

// Merge sets accounts by server and component, in the order of names, the main account first.
// Another user name is a conflict ([ErrForeign]), and so is another password for the same user,
// unless leave allows it. The list has what is replaced, to be saved elsewhere before this file.
// After an error nothing is changed, and the list has the accounts at fault. Merge writes nothing
// to disk.
func (f *File) Merge(accounts map[string]map[component.Name]Account, leave Leave) ([]Merged, error) {
	var all []Merged
	var errs []error
	for _, server := range slices.Sorted(maps.Keys(accounts)) {
		names := slices.SortedFunc(maps.Keys(accounts[server]), func(a, b component.Name) int {
			return cmp.Compare(strings.TrimSuffix(prefix(a), "."), strings.TrimSuffix(prefix(b), "."))
		})
		for _, name := range names {
			m, err := f.judgeMerge(server, name, accounts[server][name], leave)
			all = append(all, m)
			if err != nil {
				errs = append(errs, err)
			}
		}
	}
	err := errors.Join(errs...)
	if err == nil && leave.Accounts != nil {
		err = f.checkRotating(all)
	}
	if err != nil {
		return all, err
	}
	undo := f.undo()
	var entries []Entry
	for _, m := range all {
		if m.Outcome != Kept {
			entries = append(entries, Entry{m.Server, m.Component, accounts[m.Server][m.Component], m.Was.User})
		}
	}
	if err = f.SetAll(entries); err == nil {
		err = f.Check()
	}
	if err != nil {
		undo()
	}
	return all, err
}

func (f *File) judgeMerge(server string, c component.Name, a Account, leave Leave) (Merged, error) {
	m := Merged{Server: server, Component: c, User: a.User, Outcome: Added}
	was, ok := f.Get(server, c)
	if !ok || f.Inherited(server, c) != "" {
		return m, nil
	}
	m.Was = was
	switch {
	case was.User == "" || was.Password.Empty():
		m.Outcome = Changed
	case !strings.EqualFold(was.User, a.User) && leave.Accounts != nil && leave.Accounts(c, a.User):
		m.Outcome = Changed
	case !strings.EqualFold(was.User, a.User):
		m.Outcome = Conflicting
		return m, fmt.Errorf("%s: %s would become %s, but is %s: %w", server, c, a.User, was.User, ErrForeign)
	case was.Password.Equal(a.Password):
		m.Outcome = Kept
	case !leave.Passwords:
		m.Outcome = Conflicting
		return m, fmt.Errorf("%s: %s: the password of %s would change, but %s has another one in the credentials file", server, c, a.User, was.User)
	default:
		m.Outcome = Changed
	}
	return m, nil
}

// undo remembers the text, to go back to it.
func (f *File) undo() func() {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, now, changes, warnings := f.text, f.now, maps.Clone(f.changes), slices.Clone(f.warnings)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.text, f.now, f.changes, f.warnings = text, now, changes, warnings
	}
}

// Parse reads the text of a credentials file that is not on disk; name stands for its path in
// errors. Do not Save it.
func Parse(name string, data []byte) (*File, error) {
	if err := fits(name, string(data)); err != nil {
		return nil, err
	}
	return newFile(name, string(data))
}

// checkRotating refuses to replace an account during its rotation, whose journal would keep a
// useless password.
func (f *File) checkRotating(merged []Merged) error {
	journal, err := f.Journal()
	if err != nil {
		return err
	}
	var errs []error
	for _, m := range merged {
		replaced := m.Outcome == Changed && m.Was.User != "" && !strings.EqualFold(m.Was.User, m.User)
		if begun, ok := journal.Get(m.Server, m.Component); replaced && ok &&
			!strings.EqualFold(begun.User, m.User) {
			errs = append(errs, hint.Errorf("finish it with the command that began it, and import then",
				"%s: %s: %s is not replaced, because %s has an unfinished rotation of %s; nothing was written",
				m.Server, m.Component, m.Was.User, journal.Path(), begun.User))
		}
	}
	return errors.Join(errs...)
}

// KeepFormer saves the accounts that a merge replaces in a new file and returns its path; "" if it
// replaces none. The new accounts are unproved, so it never overwrites such a file.
func KeepFormer(path string, merged []Merged) (string, error) {
	former := map[string]map[component.Name]Account{}
	for _, m := range merged {
		if m.Outcome == Changed && m.Was.User != "" && !m.Was.Password.Empty() {
			if former[m.Server] == nil {
				former[m.Server] = map[component.Name]Account{}
			}
			former[m.Server][m.Component] = m.Was
		}
	}
	if len(former) == 0 {
		return "", nil
	}
	text, err := Compose(former)
	if err != nil {
		return "", fmt.Errorf("the accounts that would be replaced cannot be saved: %w", err)
	}
	kept := path + FormerSuffix
	for n := 2; ; n++ {
		switch err := files.CreatePrivate(kept, text); {
		case errors.Is(err, fs.ErrExist):
			kept = fmt.Sprintf("%s%s-%d", path, FormerSuffix, n)
		default:
			return kept, err
		}
	}
}
