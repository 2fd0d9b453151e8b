package directory

import (
	"errors"
	"strings"
	"time"
)

// Why a login is refused. A vCenter tells the user nothing of it but "incorrect user name or password".
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
		a.failures = nil
		a.locked = false
		return a.Principal, nil
	case errors.Is(err, ErrCredentials) && !d.exempt(a) && d.lockout.MaxFailed > 0:
		now := d.now()
		recent := []time.Time{now}
		for _, t := range a.failures {
			if now.Sub(t) <= d.lockout.Within {
				recent = append(recent, t)
			}
		}
		a.failures = recent
		if len(recent) >= d.lockout.MaxFailed {
			a.locked, a.lockedAt, a.failures = true, now, nil
		}
	}
	return Principal{}, err
}

// CheckPassword is Authenticate without side effects.
func (d *Directory) CheckPassword(name, password string) (Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a, err := d.check(name, password)
	if err != nil {
		return Principal{}, err
	}
	return a.Principal, nil
}

// check returns the account, where there is one, beside the reason to refuse it.
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
	case a.password == "" || a.password != password:
		return a, ErrCredentials
	case d.isExpired(a):
		return a, ErrExpired
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

func (d *Directory) isExpired(a *account) bool {
	if !strings.EqualFold(a.Domain, d.domain) {
		return false // the policy is only for users of the SSO domain (R35)
	}
	days := d.passwords.LifetimeDays
	return a.expired || days > 0 && d.now().Sub(a.changed) >= time.Duration(days)*24*time.Hour
}
