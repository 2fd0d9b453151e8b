package accounts

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Files are the credentials file and the journal of its rotations, either of which may be nil.
//
// At every moment one of them has, on disk, a password for each account. Every run makes a change
// in this order: [Files.Announce] before the first vCenter, [Files.Take] when it is done, then
// [Files.Forget]. Running again completes an interrupted run.
type Files struct {
	Credentials, Journal *credfile.File

	// Given is an install-config's account that precedes filed of the credentials file; nil = none.
	Given func(server string, c component.Name, filed credfile.Account) (credfile.Account, bool)
}

// Section is what the files have for a component under one vCenter; the zero value is nothing.
type Section struct {
	File    credfile.Account // of the credentials file
	Journal credfile.Account // of its journal: about to be set, or created
	Earlier credfile.Account // of its journal: replaced, or taken back
}

// Section is what the files have for a component under a vCenter.
func (f Files) Section(server string, c component.Name) Section {
	s := Section{Journal: f.journaled(server, c), Earlier: f.journaled(server, credfile.Earlier(c))}
	if f.Credentials != nil {
		s.File, _ = f.Credentials.Get(server, c)
	}
	if f.Given != nil {
		if a, ok := f.Given(server, c, s.File); ok {
			s.File = a
		}
	}
	if s.Journal.User != "" && !s.takenBack() {
		s.Journal.Password = s.Journal.Password.Drawn()
	}
	return s
}

// Sections is what the files have for a component under several vCenters.
func (f Files) Sections(servers []string, c component.Name) []Section {
	all := make([]Section, len(servers))
	for i, server := range servers {
		all[i] = f.Section(server, c)
	}
	return all
}

func (f Files) journaled(server string, slot component.Name) credfile.Account {
	if f.Journal == nil || f.Journal.Inherited(server, slot) != "" {
		return credfile.Account{}
	}
	a, _ := f.Journal.Get(server, slot)
	return a
}

// Settled reports whether the journal repeats the credentials file, after an interrupted run.
func (s Section) Settled() bool {
	return s.Journal.User != "" && strings.EqualFold(s.Journal.User, s.File.User) &&
		s.Journal.Password.Equal(s.File.Password)
}

// takenBack reports whether the journal has what the credentials file had before an undone
// rotation, maybe a person's password. Other passwords in the journal are random.
func (s Section) takenBack() bool {
	return s.Earlier.User == "" && s.File.User != "" && !strings.EqualFold(s.Journal.User, s.File.User)
}

// Pending is the journal's account whose password the credentials file lacks; "" = none.
func (s Section) Pending() string {
	if s.Settled() {
		return ""
	}
	return s.Journal.User
}

// Journaled is the password of an account in the journal, empty where there is none.
func (s Section) Journaled(principal string) secret.Secret {
	for _, a := range []credfile.Account{s.Journal, s.Earlier} {
		if strings.EqualFold(a.User, principal) {
			return a.Password
		}
	}
	return secret.Secret{}
}

// Has reports whether the files have the password of an account.
func (s Section) Has(principal string) bool {
	return strings.EqualFold(s.File.User, principal) && !s.File.Password.Empty() ||
		!s.Journaled(principal).Empty()
}

// Record is a component's account for the credentials file under some vCenters.
type Record struct {
	Component component.Name
	Servers   []string
	From      string           // that it has, name@domain
	To        credfile.Account // that it gets
	Back      bool             // To is an earlier generation than From
}

// Announce saves new accounts, and those that they replace, before any change of a vCenter. A
// sealed credentials file has no journal and takes the passwords itself.
func (f Files) Announce(records ...Record) error {
	if f.Credentials != nil && f.Credentials.Sealed() {
		return f.Take(records...)
	}
	if f.Journal == nil || len(records) == 0 {
		return nil
	}
	if err := cmp.Or(f.Journal.CheckReplace(), f.Credentials.CheckReplace()); err != nil {
		return err
	}
	var entries []credfile.Entry
	for _, r := range records {
		for _, server := range r.Servers {
			had := f.Section(server, r.Component).File
			next, earlier := r.To, credfile.Account{}
			switch {
			case r.Back:
				next = had
			case strings.EqualFold(had.User, r.From) && !strings.EqualFold(r.From, r.To.User):
				earlier = had
			}
			for i, slot := range credfile.Slots(r.Component) {
				a := []credfile.Account{next, earlier}[i]
				if a.User != "" {
					entries = append(entries, credfile.Entry{Server: server, Component: slot, Account: a, From: f.journaled(server, slot).User})
				}
			}
		}
	}
	if err := f.Journal.SetAll(entries); err != nil {
		return fmt.Errorf("rotation journal: %w", err)
	}
	return f.Journal.Save()
}

// Take has the credentials file hold the accounts that took over.
func (f Files) Take(records ...Record) error {
	if err := f.Credentials.SetAll(entriesOf(records)); err != nil {
		return err
	}
	return f.Credentials.Save()
}

// Withdraw removes what was not done from a sealed credentials file, before an import of it.
func (f Files) Withdraw(records ...Record) error {
	f.Credentials.RemoveAll(entriesOf(records))
	return f.Credentials.Save()
}

func entriesOf(records []Record) (all []credfile.Entry) {
	for _, r := range records {
		for _, server := range r.Servers {
			all = append(all, credfile.Entry{Server: server, Component: r.Component, Account: r.To, From: r.From})
		}
	}
	return all
}

// Forget removes from the journal what the credentials file has now, or what is not needed.
func (f Files) Forget(records ...Record) error {
	if f.Journal == nil {
		return nil
	}
	var gone []credfile.Entry
	for _, r := range records {
		for _, server := range r.Servers {
			for _, slot := range credfile.Slots(r.Component) {
				if strings.EqualFold(f.journaled(server, slot).User, r.To.User) {
					gone = append(gone, credfile.Entry{Server: server, Component: slot})
				}
			}
		}
	}
	f.Journal.RemoveAll(gone)
	return f.Journal.Save()
}
