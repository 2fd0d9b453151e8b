package sso

import (
	"testing"
	"time"
)

// Which accounts --older-than and --expiring-within choose: SSO's word before our record, what has expired and what nobody
// knows always, what is disabled never.
func TestDue(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	set := func(daysAgo int) time.Time { return now.Truncate(day).Add(-time.Duration(daysAgo) * day) }
	older := func(d time.Duration) Limits { return Limits{OlderThan: &d} }
	within := func(d time.Duration) Limits { return Limits{ExpiringWithin: &d} }
	both := Limits{OlderThan: new(60 * day), ExpiringWithin: new(14 * day)}
	for name, tt := range map[string]struct {
		u      User
		life   int
		limits Limits
		due    bool
		why    string
	}{
		"no limit":                        {User{PasswordSet: set(1)}, 90, Limits{}, true, "expires in 89 days"},
		"no limit, disabled":              {User{Disabled: true}, 90, Limits{}, true, ""},
		"sso: soon":                       {User{DaysLeft: new(14)}, 90, within(14 * day), true, "expires in 14 days"},
		"sso: later":                      {User{DaysLeft: new(15)}, 90, within(14 * day), false, "expires in 15 days"},
		"sso: may be within hours":        {User{DaysLeft: new(2)}, 90, within(36 * time.Hour), true, "expires in 2 days"},
		"sso: not within hours":           {User{DaysLeft: new(3)}, 90, within(36 * time.Hour), false, "expires in 3 days"},
		"sso: expired":                    {User{DaysLeft: new(0)}, 90, within(0), true, "has expired"},
		"sso: last day is not expired":    {User{DaysLeft: new(1)}, 90, within(0), false, "expires in 1 day"},
		"sso: never":                      {User{DaysLeft: new(-1), PasswordSet: set(400)}, 90, within(14 * day), false, ""},
		"sso before the record":           {User{DaysLeft: new(80), PasswordSet: set(85)}, 90, within(14 * day), false, "expires in 80 days"},
		"sso before the record, sooner":   {User{DaysLeft: new(3), PasswordSet: set(1)}, 90, within(14 * day), true, "expires in 3 days"},
		"record: soon":                    {User{PasswordSet: set(80)}, 90, within(14 * day), true, "expires in 10 days"},
		"record: later":                   {User{PasswordSet: set(10)}, 90, within(14 * day), false, "expires in 80 days"},
		"record: today":                   {User{PasswordSet: set(90)}, 90, within(0), true, "expires today"},
		"record: expired":                 {User{PasswordSet: set(93)}, 90, within(0), true, "expired 3 days ago"},
		"policy without end":              {User{PasswordSet: set(400)}, 0, within(14 * day), false, ""},
		"nobody knows":                    {User{}, 90, within(14 * day), true, "the age of its password is not known"},
		"locked":                          {User{Locked: true, DaysLeft: new(3)}, 90, within(14 * day), true, "expires in 3 days"},
		"locked, later":                   {User{Locked: true, DaysLeft: new(30)}, 90, within(14 * day), false, "expires in 30 days"},
		"disabled":                        {User{Disabled: true, DaysLeft: new(0)}, 90, within(14 * day), false, "disabled"},
		"older: record":                   {User{PasswordSet: set(60)}, 90, older(60 * day), true, "was set 60 days ago"},
		"older: record, younger":          {User{PasswordSet: set(59)}, 90, older(60 * day), false, "was set 59 days ago"},
		"older: sso":                      {User{DaysLeft: new(30), PasswordSet: set(1)}, 90, older(60 * day), true, "was set 60 days ago"},
		"older: sso, younger":             {User{DaysLeft: new(31), PasswordSet: set(80)}, 90, older(60 * day), false, "was set 59 days ago"},
		"older: without end, record":      {User{DaysLeft: new(-1), PasswordSet: set(100)}, 0, older(60 * day), true, "was set 100 days ago"},
		"older: without end or record":    {User{DaysLeft: new(-1)}, 0, older(60 * day), true, "the age of its password is not known"},
		"older: expired":                  {User{DaysLeft: new(0)}, 90, older(100 * day), true, "has expired"},
		"older: nobody knows":             {User{}, 90, older(60 * day), true, "the age of its password is not known"},
		"older: disabled":                 {User{Disabled: true, PasswordSet: set(80)}, 90, older(60 * day), false, "disabled"},
		"both, one holds":                 {User{PasswordSet: set(62)}, 90, both, true, "was set 62 days ago"},
		"both hold":                       {User{PasswordSet: set(80)}, 90, both, true, "expires in 10 days; was set 80 days ago"},
		"both, expired":                   {User{DaysLeft: new(0)}, 90, both, true, "has expired"},
		"both, neither":                   {User{PasswordSet: set(5)}, 90, both, false, "expires in 85 days"},
		"the policy became shorter since": {User{PasswordSet: set(80)}, 30, within(14 * day), true, "expired 50 days ago"},
	} {
		if due, why := tt.limits.Due(tt.u, tt.life, now); due != tt.due || why != tt.why {
			t.Errorf("%s: %t, %q; want %t, %q", name, due, why, tt.due, tt.why)
		}
	}
}

// SSO says of a password that it was set later than we did it, clocks and rounded days left aside.
func TestSetByOthers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	set := func(daysAgo int) time.Time { return now.Truncate(24*time.Hour).AddDate(0, 0, -daysAgo) }
	for name, tt := range map[string]struct {
		u    User
		life int
		want bool
	}{
		"as recorded":           {User{PasswordSet: set(10), DaysLeft: new(80)}, 90, false},
		"rounded":               {User{PasswordSet: set(10), DaysLeft: new(82)}, 90, false},
		"later":                 {User{PasswordSet: set(10), DaysLeft: new(83)}, 90, true},
		"the policy is longer":  {User{PasswordSet: set(10), DaysLeft: new(170)}, 180, false},
		"sso says nothing":      {User{PasswordSet: set(10)}, 90, false},
		"never ends":            {User{PasswordSet: set(10), DaysLeft: new(-1)}, 90, false},
		"has expired":           {User{PasswordSet: set(100), DaysLeft: new(0)}, 90, false},
		"recorded by nobody":    {User{DaysLeft: new(90)}, 90, false},
		"the policy has no end": {User{PasswordSet: set(10), DaysLeft: new(83)}, 0, false},
	} {
		if got := tt.u.SetByOthers(tt.life, now); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
