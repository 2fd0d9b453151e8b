package accounts

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Files are the credentials file and the journal of its rotations. One that is nil has nothing.
//
// At every moment one of them has, on the disk, a password that opens each account. A run that changes one goes the same way whatever
// it changes: [Files.Announce] before it is sent to the first vCenter, [Files.Take] once it is done, and then [Files.Forget]. A run that
// ends in between is completed by running it again.
type Files struct {
	Credentials, Journal *credfile.File

	// Given gives the account of an install-config that counts where the credentials file has filed; nil gives none.
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

// Settled reports whether the journal has what the credentials file has: a run ended right after that was saved.
func (s Section) Settled() bool {
	return s.Journal.User != "" && strings.EqualFold(s.Journal.User, s.File.User) && s.Journal.Password.Equal(s.File.Password)
}

// takenBack reports whether the journal has what the credentials file had until a rotation was undone, where a person may have chosen
// the password. What it has of an account that is about to be set or created was drawn by us.
func (s Section) takenBack() bool {
	return s.Earlier.User == "" && s.File.User != "" && !strings.EqualFold(s.Journal.User, s.File.User)
}

// Pending is the account of the journal whose password the credentials file does not have; "" = none.
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
	return strings.EqualFold(s.File.User, principal) && !s.File.Password.Empty() || !s.Journaled(principal).Empty()
}

// Record is the account of a component that the credentials file is to have under some vCenters: another generation, or another
// password of the same.
type Record struct {
	Component component.Name
	Servers   []string
	From      string           // that it has, name@domain
	To        credfile.Account // that it gets
	Back      bool             // To is an earlier generation than From
}

// Announce saves the accounts that take over, and those that they replace, before anything is sent to a vCenter. Where the credentials file
// is sealed, there is no journal, and the passwords go where they belong.
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
				if a.User == "" {
					continue
				}
				if err := f.Journal.Exchange(server, slot, f.journaled(server, slot).User, a); err != nil {
					return fmt.Errorf("rotation journal: %w", err)
				}
			}
		}
	}
	return f.Journal.Save()
}

// Take has the credentials file hold the accounts that took over.
func (f Files) Take(records ...Record) error {
	for _, r := range records {
		for _, server := range r.Servers {
			if err := f.Credentials.Exchange(server, r.Component, r.From, r.To); err != nil {
				return fmt.Errorf("%s: %w", server, err)
			}
		}
	}
	return f.Credentials.Save()
}

// Withdraw takes out of a sealed credentials file what was announced and never done: whoever imported it would lose the passwords that
// open the accounts.
func (f Files) Withdraw(records ...Record) error {
	for _, r := range records {
		for _, server := range r.Servers {
			f.Credentials.Remove(server, r.Component)
		}
	}
	return f.Credentials.Save()
}

// Forget takes out of the journal what the credentials file has now, or nobody needs.
func (f Files) Forget(records ...Record) error {
	if f.Journal == nil {
		return nil
	}
	for _, r := range records {
		for _, server := range r.Servers {
			for _, slot := range credfile.Slots(r.Component) {
				if strings.EqualFold(f.journaled(server, slot).User, r.To.User) {
					f.Journal.Remove(server, slot)
				}
			}
		}
	}
	return f.Journal.Save()
}
