// Package inspect shows the roles, permissions and accounts of vCenters beside what is wanted, and
// what a principal may do there. It reads and decides nothing: it shows what a plan is made from.
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

// Report begins every report of existing things. Nothing is written for one.
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

// Result is how reading one vCenter went. Notes say what is unknown, and why.
type Result struct { //nolint:recvcheck // reports hold values
	Server string   `json:"server" redact:"vcenter"`
	Error  string   `json:"error" redact:"text"`
	Notes  []string `json:"notes,omitempty" redact:"text"`

	cause error
}

// Fail says why the vCenter could not be read.
func (r *Result) Fail(err error) { r.Error, r.cause = err.Error(), err }

// Note notes once what is unknown.
func (r *Result) Note(text string) {
	if !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

func (r Result) result() Result { return r }

// Results are those of all vCenters of a report.
type Results []Result

// ResultsOf returns the results of a report's vCenters.
func ResultsOf[T interface{ result() Result }](vcenters []T) Results {
	all := make(Results, len(vcenters))
	for i, v := range vcenters {
		all[i] = v.result()
	}
	return all
}

// Err joins why vCenters were not read.
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

// without returns what of a is not in b; never nil, for JSON.
func without(a, b []string) []string { return append([]string{}, lists.Without(a, b)...) }

// UserList is the accounts of SSO domains, each domain once for all its vCenters.
type UserList struct {
	Report
	Findings   finding.List  `json:"findings"` // lost passwords, unfinished rotations
	VCenters   []UserVCenter `json:"vcenters"`
	Incomplete []string      `json:"incomplete,omitempty"` // vCenters whose accounts could not be read
	Domains    []UserDomain  `json:"domains"`
}

// UserVCenter says which SSO domain a vCenter belongs to.
type UserVCenter struct {
	Result
	Domain string `json:"domain"`
}

// UserDomain is one SSO domain.
type UserDomain struct {
	Domain   string         `json:"domain" redact:"domain"`
	VCenters []string       `json:"vcenters" redact:"vcenter"`         // of this job
	Others   []string       `json:"others,omitempty" redact:"vcenter"` // vCenters that are linked to them
	Password PasswordPolicy `json:"passwordPolicy"`
	Lockout  LockoutPolicy  `json:"lockoutPolicy"`
	Users    []User         `json:"users"`
}

// Domain is an SSO domain with its policies.
func Domain(of *sso.State, others []string, users []User) UserDomain {
	return UserDomain{
		Domain: of.Domain, Others: others, Users: users,
		Password: PasswordPolicy{
			of.Policy.LifetimeDays, of.Policy.MinLength, of.Policy.MinNumeric,
			max(of.Policy.MinAlphabetic, of.Policy.MinUpper+of.Policy.MinLower),
		},
		Lockout: LockoutPolicy{of.Lockout.MaxFailed, int(of.Lockout.Within.Seconds()), int(of.Lockout.UnlockAfter.Seconds())},
	}
}

// PasswordPolicy is the part of it that matters here.
type PasswordPolicy struct {
	LifetimeDays int `json:"lifetimeDays"` // 0 = passwords never expire
	MinLength    int `json:"minLength"`    // characters
	MinDigits    int `json:"minDigits"`
	MinLetters   int `json:"minLetters"`
}

// LockoutPolicy says when failed logins lock an account, and for how long.
type LockoutPolicy struct {
	MaxFailedAttempts int `json:"maxFailedAttempts"`
	WithinSeconds     int `json:"withinSeconds"`
	UnlockSeconds     int `json:"unlockSeconds"` // 0 = until an administrator unlocks it
}

// User is one account. The life of its password comes from SSO ([SourceSSO]), else from the day in
// the account's description ([SourceRecord]), which a later reset makes longer, never shorter. An
// adopted account follows the rules of its own directory.
type User struct {
	Component       string   `json:"component" redact:"word"`
	Cluster         string   `json:"cluster" redact:"cluster"`
	Principal       string   `json:"principal" redact:"account"`
	Adopted         bool     `json:"adopted"` // it belongs to others
	States          []string `json:"states" redact:"word"`
	PasswordSet     *string  `json:"passwordSet" redact:"word"`   // 2006-01-02, UTC; null = not recorded
	PasswordAgeDays *int     `json:"passwordAgeDays"`             // by that record
	DaysLeft        *int     `json:"daysLeft"`                    // rounded up; at most 0 = expired; null = no end, or unknown
	Source          string   `json:"source" redact:"word"`        // of DaysLeft: "sso", "record" or ""
	DaysLeftAtMost  *int     `json:"daysLeftAtMost"`              // null = no end, or not known
	Due             string   `json:"due,omitempty" redact:"text"` // why limits select it
	StoredFor       []string `json:"storedFor" redact:"vcenter"`  // vCenters with its password
	NotStoredFor    []string `json:"notStoredFor" redact:"vcenter"`
	Earlier         []string `json:"earlier,omitempty" redact:"account"` // existing accounts that it replaced
}

// Compared adds what SSO has of the account.
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

// Results returns each vCenter's result.
func (l *UserList) Results() Results { return ResultsOf(l.VCenters) }

// Stages of an account in its rotation.
const (
	StageInUse    = "in use"   // the credentials file has it
	StageNext     = "next"     // it has not taken over yet: rotate continues
	StageReplaced = "replaced" // another one has taken over: rotate finish removes it
	StageDropped  = "dropped"  // dropped during a rotation: apply --prune removes it
	StageMissing  = "missing"  // the credentials file has it, or will, and it does not exist
	StageUnknown  = "unknown"  // the administrator may not read the SSO domain's accounts
)

// RotationStatus is the state of rotations.
type RotationStatus struct {
	Report
	Incomplete []string         `json:"incomplete,omitempty"` // vCenters whose SSO accounts could not be read
	Findings   finding.List     `json:"findings"`
	VCenters   []RotatedVCenter `json:"vcenters"`
}

// RotatedVCenter is the accounts of one vCenter.
type RotatedVCenter struct {
	Result
	Domain   string           `json:"domain"`
	Accounts []RotatedAccount `json:"accounts"`
}

// NoSessions is the note of a vCenter whose sessions are not visible.
const NoSessions = "sessions are not known: the administrator's login lacks Sessions.TerminateSession"

// RotatedAccount is one account of ours in one generation.
type RotatedAccount struct {
	Component     string   `json:"component" redact:"word"`
	Principal     string   `json:"principal" redact:"account"`
	Generation    int      `json:"generation"`
	Stage         string   `json:"stage" redact:"word"`
	States        []string `json:"states" redact:"word"`      // as of User
	PasswordSet   *string  `json:"passwordSet" redact:"word"` // 2006-01-02, UTC; null = not recorded
	AgeDays       *int     `json:"ageDays"`                   // by that record
	DaysLeft      *int     `json:"daysLeft"`                  // null = no end, or not known
	PasswordKnown bool     `json:"passwordKnown"`             // it is stored

	Sessions *int       `json:"sessions"`                // open now; null = not visible
	LastUse  *time.Time `json:"lastUse"`                 // of these, UTC; null = none or unknown
	Secrets  []string   `json:"secrets" redact:"secret"` // of a given dump, namespace/name; null = no dump
}

// Results returns each vCenter's result.
func (l *RotationStatus) Results() Results { return ResultsOf(l.VCenters) }

// Open reports whether a rotation is unfinished, or a finding is more than advice.
func (l *RotationStatus) Open() bool {
	return finding.Differing(l.Findings) || slices.ContainsFunc(l.VCenters, func(v RotatedVCenter) bool {
		return slices.ContainsFunc(v.Accounts, func(a RotatedAccount) bool {
			return a.Stage != StageInUse && a.Stage != StageMissing && a.Stage != StageUnknown
		})
	})
}
