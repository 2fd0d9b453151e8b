package directory

import (
	"errors"
	"strings"
	"time"
)

// Why a login is refused. How much of it a vCenter tells depends on the service: see sts.go and authz_login.go above.
var (
	ErrCredentials = errors.New("wrong password or unknown account")
	ErrLocked      = errors.New("account is locked")
	ErrDisabled    = errors.New("account is disabled")
	ErrExpired     = errors.New("password has expired")
)

// Authenticate checks a password as a login does: a failure counts towards the lockout, except for
// the domain administrator, and a success forgets earlier failures (R36).
func (d *Directory) Authenticate(name, password string) (Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a, err := d.check(name, password)
	switch {
	case a == nil:
		return Principal{}, err
	case err == nil:
		a.failures, a.locked = 0, false
		return a.Principal, nil
	case errors.Is(err, ErrCredentials) && !d.exempt(a) && d.lockout.MaxFailed > 0:
		d.failed(a)
	}
	return Principal{}, d.refused(a, err)
}

// failed counts a failure. The window of failures that add up begins with the first of them and does not move with the
// later ones (vmware/lightwave@1ff3bea).
func (d *Directory) failed(a *account) {
	now := d.now()
	if a.failures == 0 || now.Sub(a.firstFailure) > d.lockout.Within {
		a.failures, a.firstFailure = 0, now
	}
	if a.failures++; a.failures >= d.lockout.MaxFailed {
		a.locked, a.lockedAt, a.failures = true, now, 0
	}
}

// refused adds whose login was refused, where that is an account.
func (d *Directory) refused(a *account, err error) error {
	if a == nil || err == nil {
		return err
	}
	return &RefusedLogin{Principal: a.Principal, Why: err}
}

// RefusedLogin is why an account that exists is not let in: ErrCredentials, ErrLocked, ErrDisabled or ErrExpired.
type RefusedLogin struct {
	Principal Principal
	Why       error
}

func (e *RefusedLogin) Error() string { return e.Principal.String() + ": " + e.Why.Error() }

// Unwrap lets errors.Is find the reason.
func (e *RefusedLogin) Unwrap() error { return e.Why }

// CheckPassword is Authenticate without side effects.
func (d *Directory) CheckPassword(name, password string) (Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a, err := d.check(name, password)
	if err != nil {
		return Principal{}, d.refused(a, err)
	}
	return a.Principal, nil
}

// check returns the account, where there is one, beside the reason to refuse it. An expired password is told before a wrong
// one (vmware/lightwave@1ff3bea).
func (d *Directory) check(name, password string) (*account, error) {
	a := d.account(name)
	if a == nil || a.kind != person || d.sources[strings.ToLower(a.Domain)].unreachable {
		return nil, ErrCredentials
	}
	switch {
	case d.isLocked(a):
		return a, ErrLocked
	case a.disabled:
		return a, ErrDisabled
	case d.passwordOf(a) == "": // it has none that could expire
		return a, ErrCredentials
	case d.isExpired(a):
		return a, ErrExpired
	case d.passwordOf(a) != password:
		return a, ErrCredentials
	}
	return a, nil
}

// exempt is the domain administrator: nobody could let him in again.
func (d *Directory) exempt(a *account) bool {
	return a.Key() == Principal{Domain: d.domain, Name: Administrator}.Key()
}

func (d *Directory) isLocked(a *account) bool {
	return a.locked && (d.lockout.UnlockAfter == 0 || d.now().Sub(a.lockedAt) < d.lockout.UnlockAfter)
}

// isExpired is what a login is held against: the directory knows who is exempt.
func (d *Directory) isExpired(a *account) bool { return !a.endless && d.outlived(a) }

// outlived is what SSO reports of an account: it counts by the policy and does not read the
// exemption (vmware/lightwave@1ff3bea, VMwareDirectoryProvider.java:643 and lockoutpolicy.c:822).
func (d *Directory) outlived(a *account) bool {
	if !strings.EqualFold(a.Domain, d.domain) {
		return false // the policy is only for users of the SSO domain (R35)
	}
	days := d.passwords.LifetimeDays
	return a.expired || days > 0 && d.now().Sub(a.changed) >= time.Duration(days)*24*time.Hour
}

// DaysLeft says how long the password of a person of the SSO domain still lasts: days, rounded up, 0 where it has expired,
// -1 where the policy lets none expire. ErrAbsent is for what is no such person.
func (d *Directory) DaysLeft(name string) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.account(name)
	switch {
	case a == nil || a.kind != person || !strings.EqualFold(a.Domain, d.domain):
		return 0, ErrAbsent
	case d.outlived(a):
		return 0, nil
	case d.passwords.LifetimeDays == 0:
		return -1, nil
	}
	const day = 24 * time.Hour
	left := time.Duration(d.passwords.LifetimeDays)*day - d.now().Sub(a.changed)
	return int((left + day - 1) / day), nil
}
