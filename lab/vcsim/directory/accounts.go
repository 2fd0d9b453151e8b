package directory

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// Why a change of the directory is refused.
var (
	ErrAbsent    = errors.New("no such principal")
	ErrDuplicate = errors.New("another user or group already exists with the same name")
	ErrName      = errors.New("not a name for a principal of the SSO domain")
	ErrDetails   = errors.New("a description or a person's name holds one of ^ < > & % `")
	ErrPolicy    = errors.New("no password could satisfy this policy")
	ErrNoDomain  = errors.New("no such identity source")
	ErrSelf      = errors.New("a group cannot contain itself")
	ErrBuiltIn   = errors.New("the SSO domain cannot do without this principal")
)

type kind int

const (
	person kind = iota
	solution
)

// account is a person or a solution (a service with a certificate instead of a password).
type account struct {
	Principal
	kind              kind
	details           Details
	certificate       string
	password          string // "" opens nothing
	previous          []string
	created, changed  time.Time // created is zero for what was there from the start
	disabled, expired bool
	endless           bool // its password never expires, whatever the policy says
	locked            bool
	lockedAt          time.Time
	failures          int // since firstFailure
	firstFailure      time.Time
	made, set         stamp // the account, its password
	described         stamp // its details
	formerPassword    string
	formerDetails     Details
	regular           bool // has the SSO role RegularUser; everybody else who is no administrator is a guest
}

// Details are what the SSO service keeps beside an account's name.
type Details struct{ Description, FirstName, LastName, Email string }

// User is a view of one account.
type User struct {
	Principal
	Details
	Disabled, Locked, Expired, Solution bool
	Certificate                         string // of a solution
}

// User finds an account by name in any form; the delay of New does not hide it.
func (d *Directory) User(name string) (User, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.account(name)
	if a == nil {
		return User{}, false
	}
	return d.view(a), true
}

// Users lists all accounts of all identity sources, sorted.
func (d *Directory) Users() []User {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []User
	for _, a := range d.accounts {
		if !d.late(a.made) {
			out = append(out, d.view(a))
		}
	}
	slices.SortFunc(out, func(a, b User) int { return strings.Compare(a.Key(), b.Key()) })
	return out
}

func (d *Directory) view(a *account) User {
	return User{
		Principal: a.Principal, Details: d.detailsOf(a), Solution: a.kind == solution,
		Certificate: a.certificate, Disabled: a.disabled, Locked: d.isLocked(a), Expired: d.isExpired(a),
	}
}

// AddUser makes an account behind everybody's back: no policy, no delay. The name's domain must be
// the SSO domain or an added identity source; an empty password opens nothing.
func (d *Directory) AddUser(name, password string, details Details) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	domain, bare := d.split(name)
	return d.add(&account{
		Principal: Principal{Domain: domain, Name: bare},
		details:   details, password: password, changed: d.now(),
	})
}

// CreatePerson makes an account as the SSO service does: its password has to satisfy the policy, and vCenter sees it only
// after the delay of New (R32).
func (d *Directory) CreatePerson(name, password string, details Details) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.passwords.Check(password); err != nil {
		return err
	}
	if err := details.check(); err != nil {
		return err
	}
	return d.create(name, &account{details: details, password: password})
}

// CreateSolution makes the account of a service, which has a certificate and no password.
func (d *Directory) CreateSolution(name, description, certificate string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.create(name, &account{kind: solution, details: Details{Description: description}, certificate: certificate})
}

func (d *Directory) create(name string, a *account) error {
	a.Domain, a.Name = d.split(name)
	a.created, a.changed, a.made = d.now(), d.now(), d.stamp()
	return d.add(a)
}

func (d *Directory) add(a *account) error {
	k := key(a.Domain, a.Name)
	if !d.nameable(a.Domain, a.Name) {
		return ErrName
	}
	if d.accounts[k] != nil || d.groups[k] != nil && !d.twoNamespaces(a.Domain) {
		return ErrDuplicate
	}
	d.accounts[k] = a
	if users := d.groups[key(d.domain, usersGroup)]; users != nil && a.kind == person && strings.EqualFold(a.Domain, d.domain) {
		users.members[a.Key()] = a.Principal
	}
	return nil
}

// Characters that the SSO domain takes in no name of an account and in no detail of one; "@" and "\" part a name from its
// domain (vmware/lightwave@1ff3bea, interface PrincipalManagement).
const (
	refusedInDetails = "^<>&%`"
	refusedInNames   = refusedInDetails + `@\`
)

// nameable says whether the directory of a domain takes a name.
func (d *Directory) nameable(domain, name string) bool {
	refused := `@\`
	if strings.EqualFold(domain, d.domain) {
		refused = refusedInNames
	}
	return name != "" && !strings.ContainsAny(name, refused) && d.sources[strings.ToLower(domain)] != nil
}

func (d Details) check() error {
	if strings.ContainsAny(d.Description+d.FirstName+d.LastName, refusedInDetails) {
		return ErrDetails
	}
	return nil
}

// RemoveUser deletes an account and its memberships behind everybody's back.
func (d *Directory) RemoveUser(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.account(name)
	if a == nil {
		return ErrAbsent
	}
	d.forget(a.Principal)
	return nil
}

// Delete removes a user, or else a group, as the SSO service does: ErrBuiltIn for what the SSO domain came with and cannot do
// without.
func (d *Directory) Delete(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.account(name); a != nil {
		if d.exempt(a) {
			return ErrBuiltIn
		}
		d.forget(a.Principal)
		return nil
	}
	g := d.group(name)
	switch {
	case g == nil:
		return ErrAbsent
	case strings.EqualFold(g.Domain, d.domain) && isPreset(g.Name):
		return ErrBuiltIn
	}
	d.forget(g.Principal)
	return nil
}

func (d *Directory) forget(p Principal) {
	if p.Group {
		delete(d.groups, key(p.Domain, p.Name))
	} else {
		delete(d.accounts, key(p.Domain, p.Name))
	}
	for _, g := range d.groups {
		delete(g.members, p.Key())
	}
}

// SetPassword gives an account a password, whatever the policy says, and renews its lifetime.
func (d *Directory) SetPassword(name, password string) error {
	return d.change(name, func(a *account) { d.setPassword(a, password) })
}

// SetDetails replaces description, names and mail address.
func (d *Directory) SetDetails(name string, details Details) error {
	if err := details.check(); err != nil {
		return err
	}
	return d.change(name, func(a *account) { d.setDetails(a, details) })
}

// SetSolution replaces what the SSO service keeps of a solution.
func (d *Directory) SetSolution(name, description, certificate string) error {
	return d.change(name, func(a *account) { a.details.Description, a.certificate = description, certificate })
}

// SetDisabled disables or enables an account.
func (d *Directory) SetDisabled(name string, disabled bool) error {
	return d.change(name, func(a *account) { a.disabled = disabled })
}

// SetLocked locks an account from now on, or unlocks it.
func (d *Directory) SetLocked(name string, locked bool) error {
	return d.change(name, func(a *account) { a.locked, a.lockedAt, a.failures = locked, d.now(), 0 })
}

// Expire ends the lifetime of an account's password.
func (d *Directory) Expire(name string) error {
	return d.change(name, func(a *account) { a.expired = true })
}

// NeverExpire exempts an account from expiry or ends that, as dir-cli does; SSO has no call for it.
func (d *Directory) NeverExpire(name string, exempt bool) error {
	return d.change(name, func(a *account) { a.endless = exempt })
}

func (d *Directory) change(name string, f func(*account)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.account(name)
	if a == nil {
		return ErrAbsent
	}
	f(a)
	return nil
}

// ResetPassword is the SSO service's: it holds the password against the policy and, where the account changes its own,
// against its history; the error is then a *PolicyViolation. The history does not bind an administrator
// (vmware/lightwave@1ff3bea, vmdir password.c:1075), unless SetResetHistory says so.
func (d *Directory) ResetPassword(name, password string, byAdministrator bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.account(name)
	if a == nil || a.kind != person {
		return ErrAbsent
	}
	if err := d.passwords.Check(password); err != nil {
		return err
	}
	earlier := append([]string{a.password}, a.previous...)
	n := min(d.passwords.ProhibitedPrevious, len(earlier))
	if (!byAdministrator || d.resetHistory) && slices.Contains(earlier[:n], password) {
		return &PolicyViolation{"one of the previous passwords cannot be used again"}
	}
	a.previous = earlier
	d.setPassword(a, password)
	return nil
}
