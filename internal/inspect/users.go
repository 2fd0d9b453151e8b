package inspect

import (
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// UserList is the accounts as their SSO domains have them, each domain once however many vCenters share it.
type UserList struct {
	Report
	Findings   []*finding.Finding `json:"findings,omitempty"` // lost passwords, unfinished rotations
	VCenters   []UserVCenter      `json:"vcenters"`
	Incomplete []string           `json:"incomplete,omitempty"` // vCenters whose accounts could not be read
	Domains    []UserDomain       `json:"domains"`
}

// UserVCenter says which SSO domain a vCenter belongs to.
type UserVCenter struct {
	Result
	Domain string `json:"domain"`
}

// UserDomain is one SSO domain.
type UserDomain struct {
	Domain   string         `json:"domain"`
	VCenters []string       `json:"vcenters"`         // of this job
	Others   []string       `json:"others,omitempty"` // vCenters that are linked to them
	Password PasswordPolicy `json:"passwordPolicy"`
	Lockout  LockoutPolicy  `json:"lockoutPolicy"`
	Users    []User         `json:"users"`
}

// Domain is an SSO domain with its policies.
func Domain(of *sso.State, others []string, users []User) UserDomain {
	return UserDomain{
		Domain: of.Domain, Others: others, Users: users,
		Password: PasswordPolicy{LifetimeDays: of.Policy.LifetimeDays},
		Lockout:  LockoutPolicy{of.Lockout.MaxFailed, int(of.Lockout.Within.Seconds()), int(of.Lockout.UnlockAfter.Seconds())},
	}
}

// PasswordPolicy is what matters of it here.
type PasswordPolicy struct {
	LifetimeDays int `json:"lifetimeDays"` // 0 = passwords never expire
}

// LockoutPolicy says when failed logins lock an account, and for how long.
type LockoutPolicy struct {
	MaxFailedAttempts int `json:"maxFailedAttempts"`
	WithinSeconds     int `json:"withinSeconds"`
	UnlockSeconds     int `json:"unlockSeconds"` // 0 = until an administrator unlocks it
}

// User is one account. SSO tells how long a password still lasts ([SourceSSO]). Where it does not, the day on which this
// tool set it stands in the account's description ([SourceRecord]); a password that somebody has reset since is younger than
// that and lives longer, never the other way round. An adopted account's password obeys the rules of its own directory.
type User struct {
	Component       string   `json:"component"`
	Cluster         string   `json:"cluster"`
	Principal       string   `json:"principal"`
	Adopted         bool     `json:"adopted"` // it belongs to somebody else
	States          []string `json:"states"`
	PasswordSet     *string  `json:"passwordSet"`     // 2006-01-02, UTC; null = not recorded
	PasswordAgeDays *int     `json:"passwordAgeDays"` // by that record
	DaysLeft        *int     `json:"daysLeft"`        // rounded up; not more than 0 = expired; null = no end, or not known
	Source          string   `json:"source"`          // who says so: "sso" or "record"; "" = nobody
	DaysLeftAtMost  *int     `json:"daysLeftAtMost"`  // null = no end, or not known
	Due             string   `json:"due,omitempty"`   // why it is listed, where only some are
	StoredFor       []string `json:"storedFor"`       // vCenters whose section of the credentials file has its password
	NotStoredFor    []string `json:"notStoredFor"`
	Earlier         []string `json:"earlier,omitempty"` // accounts that it has replaced and that are still there: its rotation is unfinished
}

// Compared says what SSO has of the account.
func (u *User) Compared(c sso.Compared, now time.Time) {
	u.StoredFor, u.NotStoredFor = []string{}, []string{}
	if u.States == nil {
		u.States = c.States(now)
	}
	if c.User == nil {
		return
	}
	if day := c.User.PasswordSet; !day.IsZero() {
		u.PasswordSet, u.PasswordAgeDays = new(day.Format(time.DateOnly)), new(c.User.AgeDays(now))
	}
	lasts := c.Life(now)
	if u.Source = lasts.Source; lasts.Source != "" && !lasts.Endless {
		u.DaysLeft = &lasts.Days
	}
	if c.Within && c.LifetimeDays > 0 && !lasts.Endless {
		u.DaysLeftAtMost = &c.LifetimeDays
	}
}

// Results are how reading the vCenters went.
func (l *UserList) Results() Results { return ResultsOf(l.VCenters) }
