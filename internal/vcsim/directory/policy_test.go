package directory

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestR35PasswordRules(t *testing.T) {
	base := PasswordPolicy{MinLength: 8, MaxLength: 12}
	with := func(f func(*PasswordPolicy)) PasswordPolicy { p := base; f(&p); return p }
	for _, c := range []struct {
		name, good, bad string
		p               PasswordPolicy
	}{
		{"min length", "aaaaaaaa", "aaaaaaa", base},
		{"max length", "aaaaaaaaaaaa", "aaaaaaaaaaaaa", base},
		{"alphabetic", "12345abC", "123456ab", with(func(p *PasswordPolicy) { p.MinAlphabetic = 3 })},
		{"upper", "abcdefGH", "abcdefgH", with(func(p *PasswordPolicy) { p.MinUpper, p.MinAlphabetic = 2, 2 })},
		{"lower", "ABCDEFgh", "ABCDEFGh", with(func(p *PasswordPolicy) { p.MinLower, p.MinAlphabetic = 2, 2 })},
		{"numeric", "abcdef12", "abcdefg1", with(func(p *PasswordPolicy) { p.MinNumeric = 2 })},
		{"special", "abcdef!$", "abcdefg!", with(func(p *PasswordPolicy) { p.MinSpecial = 2 })},
		{"adjacent", "ab$c$def", "ab$$cdef", with(func(p *PasswordPolicy) { p.MaxIdenticalAdjacent = 1 })},
		{"adjacent 2", "aab$$cde", "aaab$cde", with(func(p *PasswordPolicy) { p.MaxIdenticalAdjacent = 2 })},
		{"visible ASCII", "abcdefgh", "abcdefgä", base},
		{"no space", "abcdefgh", "abcd fgh", base},
	} {
		if err := c.p.Check(c.good); err != nil {
			t.Errorf("%s: %q refused: %v", c.name, c.good, err)
		}
		var violation *PolicyViolation
		if err := c.p.Check(c.bad); !errors.As(err, &violation) {
			t.Errorf("%s: %q allowed", c.name, c.bad)
		} else if strings.Contains(err.Error(), c.bad) {
			t.Errorf("%s: the error tells the password", c.name)
		}
	}
}

func TestR35Defaults(t *testing.T) {
	p := defaultPasswordPolicy()
	if p.MinLength != 8 || p.MaxLength != 20 || p.MinLower < 1 || p.MinNumeric < 1 || p.MinSpecial < 1 || p.LifetimeDays != 90 {
		t.Errorf("%+v", p)
	}
	if err := p.Check(adminPassword); err != nil {
		t.Errorf("the administrator's own password: %v", err)
	}
}

func TestR35PolicyMustBeSatisfiable(t *testing.T) {
	d, _ := domain(t)
	for _, p := range []PasswordPolicy{
		{MinLength: 8, MinAlphabetic: 1, MinUpper: 1, MinLower: 1},
		{MinLength: 3, MinAlphabetic: 2, MinNumeric: 1, MinSpecial: 1},
		{MinLength: 8, MaxLength: 7},
		{MinLength: -1},
	} {
		if d.SetPasswordPolicy(p) == nil {
			t.Errorf("%+v is taken", p)
		}
	}
	if err := d.SetPasswordPolicy(PasswordPolicy{MinLength: 4, MaxLength: 4, MinAlphabetic: 2, MinUpper: 1, MinLower: 1, MinNumeric: 1, MinSpecial: 1}); err != nil {
		t.Error(err)
	}
}

func TestR35PreviousPasswords(t *testing.T) {
	d, _ := domain(t)
	p := d.PasswordPolicy()
	p.ProhibitedPrevious = 2
	if err := d.SetPasswordPolicy(p); err != nil {
		t.Fatal(err)
	}
	byAdministrator := false
	reset := func(password string) error { return d.ResetPassword("user", password, byAdministrator) }
	if reset(goodPassword) == nil {
		t.Error("the present password is taken again")
	}
	for _, next := range []string{"Secret!pass2", "Secret!pass3"} {
		if err := reset(next); err != nil {
			t.Fatal(err)
		}
	}
	if reset("Secret!pass2") == nil {
		t.Error("the last but one password is taken again")
	}
	if err := reset(goodPassword); err != nil {
		t.Errorf("a password of long ago: %v", err)
	}

	// Evidence from the source of vCenter's directory: the history does not bind an administrator.
	byAdministrator = true
	if err := reset(goodPassword); err != nil {
		t.Errorf("an administrator sets the present password again: %v", err)
	}
	d.SetResetHistory(true)
	if reset(goodPassword) == nil {
		t.Error("the history is to bind administrators, and does not")
	}
}

func TestR36Lockout(t *testing.T) {
	d, c := domain(t)
	fail := func(n int, user string) {
		for range n {
			if _, err := d.Authenticate(user, "wrong"); err == nil {
				t.Fatal("a wrong password opens")
			}
		}
	}
	fail(4, "user")
	if _, err := d.Authenticate("USER@vsphere.local", goodPassword); err != nil {
		t.Fatalf("after four failures: %v", err)
	}
	fail(4, "user") // the success forgot the earlier ones
	c.advance(181 * time.Second)
	fail(4, "user") // those are too long ago
	if _, err := d.CheckPassword("user", goodPassword); err != nil {
		t.Fatalf("after failures too far apart: %v", err)
	}
	for range 10 {
		_, _ = d.CheckPassword("user", "wrong") // does not count
	}
	fail(1, "user")
	if _, err := d.Authenticate("user", goodPassword); !errors.Is(err, ErrLocked) {
		t.Fatalf("after five failures: %v, want locked", err)
	}
	if u, _ := d.User("user"); !u.Locked {
		t.Error("the account is not shown as locked")
	}
	c.advance(299 * time.Second)
	if _, err := d.Authenticate("user", goodPassword); !errors.Is(err, ErrLocked) {
		t.Errorf("before the unlock interval: %v", err)
	}
	c.advance(time.Second)
	if _, err := d.Authenticate("user", goodPassword); err != nil {
		t.Errorf("after the unlock interval: %v", err)
	}
	d.SetLockoutPolicy(LockoutPolicy{MaxFailed: 1, Within: time.Minute})
	fail(1, "user")
	c.advance(1000 * time.Hour)
	if _, err := d.Authenticate("user", goodPassword); !errors.Is(err, ErrLocked) {
		t.Errorf("an interval of 0 means that only an administrator unlocks: %v", err)
	}
	fail(20, "administrator")
	if _, err := d.Authenticate("administrator", adminPassword); err != nil && !errors.Is(err, ErrExpired) {
		t.Errorf("the domain administrator is exempt: %v", err)
	}
}

func TestR37Expiry(t *testing.T) {
	d, c := domain(t)
	c.advance(90*24*time.Hour - time.Second)
	if _, err := d.Authenticate("user", goodPassword); err != nil {
		t.Errorf("on the last day: %v", err)
	}
	c.advance(time.Second)
	if _, err := d.Authenticate("user", goodPassword); !errors.Is(err, ErrExpired) {
		t.Errorf("after 90 days: %v", err)
	}
	if err := d.SetPassword("user", "Secret!pass2"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Authenticate("user", "Secret!pass2"); err != nil {
		t.Errorf("a new password starts a new lifetime: %v", err)
	}
	if err := d.Expire("user"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Authenticate("user", "Secret!pass2"); !errors.Is(err, ErrExpired) {
		t.Errorf("expired by hand: %v", err)
	}
}
