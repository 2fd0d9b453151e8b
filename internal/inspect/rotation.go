package inspect

import (
	"slices"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

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
