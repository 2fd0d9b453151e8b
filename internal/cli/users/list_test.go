package users

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// What is known of a password's days, and what is not, in words.
func TestDaysLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		life int
		user inspect.User
		want string
	}{
		{90, inspect.User{DaysLeft: new(12), DaysLeftAtMost: new(90)}, "12"},
		{90, inspect.User{DaysLeft: new(0), DaysLeftAtMost: new(90)}, "expires today"},
		{90, inspect.User{DaysLeft: new(-3), DaysLeftAtMost: new(90)}, "expired 3 days ago, or exempt"},
		{90, inspect.User{DaysLeft: new(0), DaysLeftAtMost: new(90), Source: sso.SourceSSO}, "expired or exempt"},
		{90, inspect.User{Source: sso.SourceSSO}, "no end"},
		{90, inspect.User{DaysLeftAtMost: new(90)}, "at most 90"},
		{90, inspect.User{}, "unknown"},
		{0, inspect.User{}, "no end"},
		{0, inspect.User{Adopted: true}, "unknown"},
	} {
		d := inspect.UserDomain{Password: inspect.PasswordPolicy{LifetimeDays: c.life}}
		if got := daysLeft(d, c.user); got != c.want {
			t.Errorf("%+v: %q, want %q", c.user, got, c.want)
		}
	}
}
