// Package inspect shows what vCenters have beside what is wanted: their roles, permissions and accounts, and what somebody may do
// there. It reads nothing and decides nothing: how something is against what is wanted is what the comparison says from which a plan
// is made.
package inspect

import (
	"errors"
	"slices"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Report begins every report of things as they are. Nothing is written for one.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// Kinds of reports.
const (
	KindRoles       = "Roles"
	KindRolesDiff   = "RolesDiff"
	KindUsers       = "Users"
	KindPermissions = "Permissions"
	KindCheck       = "PermissionCheck"
)

// NewReport begins a report of a kind.
func NewReport(kind string) Report { return Report{APIVersion: plan.APIVersion, Kind: kind} }

// Result is how reading one vCenter went. Notes say what could not be known, and why.
type Result struct {
	Server string   `json:"server"`
	Error  string   `json:"error"`
	Notes  []string `json:"notes,omitempty"`

	cause error
}

// Fail says why the vCenter could not be read.
func (r *Result) Fail(err error) { r.Error, r.cause = err.Error(), err }

// Note says something that could not be known; once, however often.
func (r *Result) Note(text string) {
	if !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

func (r Result) result() Result { return r }

// Results are those of all vCenters of a report.
type Results []Result

// ResultsOf are those of the vCenters of a report.
func ResultsOf[T interface{ result() Result }](vcenters []T) Results {
	all := make(Results, len(vcenters))
	for i, v := range vcenters {
		all[i] = v.result()
	}
	return all
}

// Err joins what kept vCenters from being read.
func (r Results) Err() error {
	errs := make([]error, len(r))
	for i, s := range r {
		errs[i] = s.cause
	}
	return errors.Join(errs...)
}

// Partial reports whether some vCenters were read and others not.
func (r Results) Partial() bool {
	failed := 0
	for _, s := range r {
		if s.Error != "" {
			failed++
		}
	}
	return failed > 0 && failed < len(r)
}

// without lists what of a is not in b; never nil, because JSON shows it.
func without(a, b []string) []string { return append([]string{}, lists.Without(a, b)...) }

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

// Stages of an account in its rotation.
const (
	StageInUse    = "in use"   // the credentials file has it
	StageNext     = "next"     // it is to take over and has not yet: rotate goes on
	StageReplaced = "replaced" // another one has taken over: rotate finish removes it
	StageDropped  = "dropped"  // its component left the specification while its rotation was unfinished: apply --prune removes it
	StageMissing  = "missing"  // the credentials file has it, or the first is to be made, and it does not exist
	StageUnknown  = "unknown"  // the administrator may not read the accounts of the SSO domain
)

// RotationStatus is where the rotations of accounts are.
type RotationStatus struct {
	Report
	Incomplete []string           `json:"incomplete,omitempty"` // vCenters whose SSO accounts could not be read
	Findings   []*finding.Finding `json:"findings,omitempty"`
	VCenters   []RotatedVCenter   `json:"vcenters"`
}

// RotatedVCenter is the accounts of one vCenter.
type RotatedVCenter struct {
	Result
	Domain   string           `json:"domain"`
	Accounts []RotatedAccount `json:"accounts"`
}

// RotatedAccount is one account of ours in one generation.
type RotatedAccount struct {
	Component     string   `json:"component"`
	Principal     string   `json:"principal"`
	Generation    int      `json:"generation"`
	Stage         string   `json:"stage"`
	States        []string `json:"states"`        // as of User
	PasswordSet   *string  `json:"passwordSet"`   // 2006-01-02, UTC; null = not recorded
	AgeDays       *int     `json:"ageDays"`       // by that record
	DaysLeft      *int     `json:"daysLeft"`      // null = no end, or not known
	PasswordKnown bool     `json:"passwordKnown"` // the credentials file or its journal has it

	Sessions *int       `json:"sessions"` // open now; null = the administrator may not see sessions
	LastUse  *time.Time `json:"lastUse"`  // of these sessions, UTC; null = none is open, or not known
	Secrets  []string   `json:"secrets"`  // of the dump that was given, namespace/name; null = none was given
}

// Results are how reading the vCenters went.
func (l *RotationStatus) Results() Results { return ResultsOf(l.VCenters) }

// Open reports whether a rotation is unfinished, or a password is lost: there is more of an account than the one in use, or a finding
// about more than time.
func (l *RotationStatus) Open() bool {
	return finding.Differing(l.Findings) || slices.ContainsFunc(l.VCenters, func(v RotatedVCenter) bool {
		return slices.ContainsFunc(v.Accounts, func(a RotatedAccount) bool {
			return a.Stage != StageInUse && a.Stage != StageMissing && a.Stage != StageUnknown
		})
	})
}
