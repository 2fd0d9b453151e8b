package directory

import (
	"fmt"
	"time"
	"unicode"
)

// PasswordPolicy says what a password of the SSO domain must be like (R35). Zero means no limit.
type PasswordPolicy struct {
	Description                       string
	MinLength, MaxLength              int
	MinAlphabetic, MinUpper, MinLower int
	MinNumeric, MinSpecial            int
	MaxIdenticalAdjacent              int // 1 forbids "$$"
	ProhibitedPrevious                int // so many earlier passwords may not come back
	LifetimeDays                      int
}

// LockoutPolicy says when failed logins lock an account (R36).
type LockoutPolicy struct {
	Description string
	MaxFailed   int           // failed logins that lock; 0 never locks
	Within      time.Duration // from the first failure on, so long do they add up
	UnlockAfter time.Duration // 0 means that only an administrator unlocks
}

// The defaults of a fresh SSO domain: lengths and lifetime as the vSphere authentication guide gives them, the rest as the
// source of vCenter SSO has it (vmware/lightwave@1ff3bea).
func defaultPasswordPolicy() PasswordPolicy {
	return PasswordPolicy{
		Description: "The default password policy of the SSO domain",
		MinLength:   8, MaxLength: 20,
		MinAlphabetic: 2, MinUpper: 1, MinLower: 1, MinNumeric: 1, MinSpecial: 1,
		MaxIdenticalAdjacent: 3, ProhibitedPrevious: 5, LifetimeDays: 90,
	}
}

func defaultLockoutPolicy() LockoutPolicy {
	return LockoutPolicy{
		Description: "The default lockout policy of the SSO domain",
		MaxFailed:   5, Within: 180 * time.Second, UnlockAfter: 300 * time.Second,
	}
}

// PolicyViolation is the refusal of a password. It never holds the password.
type PolicyViolation struct{ Rule string }

func (e *PolicyViolation) Error() string { return "password violates the policy: " + e.Rule }

// Check says which rule a new password breaks, the ones about its history aside.
func (p PasswordPolicy) Check(password string) error {
	var length, alphabetic, upper, lower, numeric, special, run, longest int
	var last rune
	for _, r := range password {
		length++
		switch {
		case r < '!' || r > '~':
			return &PolicyViolation{"only visible ASCII characters are allowed"}
		case unicode.IsUpper(r):
			alphabetic, upper = alphabetic+1, upper+1
		case unicode.IsLower(r):
			alphabetic, lower = alphabetic+1, lower+1
		case unicode.IsDigit(r):
			numeric++
		default:
			special++
		}
		if run++; r != last {
			run, last = 1, r
		}
		longest = max(longest, run)
	}
	for _, rule := range []struct {
		have, need int
		what       string
	}{
		{length, p.MinLength, "characters"},
		{alphabetic, p.MinAlphabetic, "letters"},
		{upper, p.MinUpper, "upper-case letters"},
		{lower, p.MinLower, "lower-case letters"},
		{numeric, p.MinNumeric, "digits"},
		{special, p.MinSpecial, "special characters"},
	} {
		if rule.have < rule.need {
			return &PolicyViolation{fmt.Sprintf("at least %d %s are needed", rule.need, rule.what)}
		}
	}
	if p.MaxLength > 0 && length > p.MaxLength {
		return &PolicyViolation{fmt.Sprintf("at most %d characters are allowed", p.MaxLength)}
	}
	if p.MaxIdenticalAdjacent > 0 && longest > p.MaxIdenticalAdjacent {
		return &PolicyViolation{fmt.Sprintf("at most %d identical characters may follow each other", p.MaxIdenticalAdjacent)}
	}
	return nil
}

// valid is what a vCenter demands of a policy before it takes it.
func (p PasswordPolicy) valid() error {
	for _, n := range []int{
		p.MinLength, p.MaxLength, p.MinAlphabetic, p.MinUpper, p.MinLower, p.MinNumeric,
		p.MinSpecial, p.MaxIdenticalAdjacent, p.ProhibitedPrevious, p.LifetimeDays,
	} {
		if n < 0 {
			return ErrPolicy
		}
	}
	if p.MinLength == 0 || p.MaxIdenticalAdjacent == 0 { // Lightwave refuses both
		return ErrPolicy
	}
	if p.MinAlphabetic < p.MinUpper+p.MinLower || p.MinLength < p.MinAlphabetic+p.MinNumeric+p.MinSpecial ||
		p.MaxLength > 0 && p.MaxLength < p.MinLength {
		return ErrPolicy
	}
	return nil
}

// PasswordPolicy is the policy in force.
func (d *Directory) PasswordPolicy() PasswordPolicy {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.passwords
}

// SetPasswordPolicy changes it for passwords set from now on. The error says that no password could satisfy it.
func (d *Directory) SetPasswordPolicy(p PasswordPolicy) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := p.valid(); err != nil {
		return err
	}
	d.passwords = p
	return nil
}

// LockoutPolicy is the policy in force.
func (d *Directory) LockoutPolicy() LockoutPolicy {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lockout
}

// SetLockoutPolicy changes it.
func (d *Directory) SetLockoutPolicy(p LockoutPolicy) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lockout = p
}

// SetResetHistory has an administrator's resets held against an account's earlier passwords, too. The manuals do not say
// whether a vCenter does that; the source of its directory does not.
func (d *Directory) SetResetHistory(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.resetHistory = on
}
