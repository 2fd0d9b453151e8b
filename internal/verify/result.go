// Package verify judges what accounts were seen to have on a vCenter against what their components need there: what is missing, what is
// too much and why, and what a component cannot do. It reads nothing: whoever looks as the accounts gives what they saw.
package verify

import (
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
)

// Result is the proof that the accounts can do their work and nothing else.
type Result struct {
	APIVersion string             `json:"apiVersion"`
	Kind       string             `json:"kind"`
	View       string             `json:"view"`                 // whose: [ViewAdministrator] or [ViewAccounts]
	Incomplete []string           `json:"incomplete,omitempty"` // vCenters whose SSO accounts could not be read
	Findings   []*finding.Finding `json:"findings,omitempty"`   // about passwords and rotations; in a document with [Result.Failings]
	VCenters   []VCenter          `json:"vcenters"`
	Summary    Summary            `json:"summary"`
}

// Views of a verification.
const (
	ViewAdministrator = "administrator" // one read the permissions, and the accounts what they hold
	ViewAccounts      = "accounts"      // those that a cluster works with, by what they see of themselves
)

// VCenter is what was found on one vCenter.
type VCenter struct {
	Server    string      `json:"server"`
	Error     string      `json:"error"`
	Accounts  []Account   `json:"accounts"`
	Preflight []Preflight `json:"preflight"`
	MadeWith  string      `json:"madeWith,omitempty"` // another matrix: apply refuses to take what only that one gives
	Domain    string      `json:"-"`                  // linked vCenters, which share their accounts, have the same one; "" = not known

	cause error
}

// Login results of an account.
const (
	LoginUnverified = "unverified" // an adopted account whose password is not known here
	LoginComputed   = "computed"   // nobody logged in: what it may do is the vCenter's answer to the administrator
	LoginAbsent     = "the account does not exist"
	LoginUnknown    = "its password is not in the credentials file"
	LoginDisabled   = "disabled, as specified" // its password is not tried
	LoginReplaced   = "disabled: it was replaced, and rotate finish removes it"
	LoginNext       = "disabled: it is not in use, and rotate undo removes it"
	LoginEnabled    = "enabled, but disabled in the specification"
)

// Logins are all of them, and that of an account that logged in. What else stands there is why a login failed.
func Logins() []string {
	return []string{
		login.OK, LoginUnverified, LoginComputed, LoginAbsent, LoginUnknown, LoginDisabled, LoginReplaced, LoginNext, LoginEnabled,
	}
}

// Account is one account: whether it could log in ([login.OK], [LoginUnverified], [LoginComputed], one of those that are disabled and may be, else the reason) and
// its rights.
type Account struct {
	Component string   `json:"component"`
	Principal string   `json:"principal"`
	Member    string   `json:"member,omitempty"` // who logged in, where Principal is a group
	Login     string   `json:"login"`
	Reason    string   `json:"reason,omitempty"` // why it is unverified, or was refused
	Objects   []Object `json:"objects"`

	Secrets []string         `json:"secrets,omitempty"` // of the cluster, namespace/name, where its components find it
	Others  []component.Name `json:"-"`                 // those that it is not made for

	Administrator string `json:"administrator,omitempty"` // the group that makes it one: it may do everything, which is not listed

	Cannot []Cannot `json:"cannot,omitempty"` // what the component cannot do with it, whatever the matrix asks for
	Alarms []Alarm  `json:"alarms,omitempty"` // what the problem detector will say of it, although it can do its work

	DaysLeft *int `json:"daysLeft,omitempty"` // until its password expires, not more than 0 if it has; nil = never, or not known

	Permissions int `json:"permissions"` // that give it what its component needs; 0 where it did not log in
}

// Object compares what an account holds on one object, by the vCenter's own answer to the account, with what its
// component needs there.
type Object struct {
	Path    string   `json:"path"`
	Scope   string   `json:"scope"`   // what it is for the component; [ScopeBelow] or [ScopeLeftover] where it is nothing
	Missing []string `json:"missing"` // needed and not held, or of no use because the account cannot find the object
	Excess  []string `json:"excess"`  // held, and neither needed nor unavoidable

	Unknown     []string `json:"unknown,omitempty"`     // needed, and unknown to this vCenter
	Unavoidable []string `json:"unavoidable,omitempty"` // held beyond the needs, because vSphere, the topology or the layout of roles brings it along
	HiddenBy    string   `json:"hiddenBy,omitempty"`    // the object, or one above it, that the account does not see: it cannot find Path
	Reasons     []Reason `json:"reasons,omitempty"`
}

// Scopes of objects that no component needs for itself.
const (
	ScopeBelow    = "below"    // one level below an object that somebody needs
	ScopeLeftover = "leftover" // an account of ours has a permission there that nothing needs
)

// Reason says why something is missing, in excess, unknown or unavoidable, and what mends it.
type Reason struct {
	Privileges []string `json:"privileges"`
	Why        string   `json:"why"`
	Remedy     string   `json:"remedy,omitempty"` // empty where nothing is to be mended

	matrix      string // see [Unseen]
	unexplained bool   // no permission that is known gives it
}

// Unexplained reports whether an account holds something that no known permission gives.
func (v VCenter) Unexplained() bool {
	return slices.ContainsFunc(v.Accounts, func(a Account) bool {
		return slices.ContainsFunc(a.Objects, func(o Object) bool {
			return slices.ContainsFunc(o.Reasons, func(r Reason) bool { return r.unexplained })
		})
	})
}

// Preflight is one check of the installer's own, with its group's name.
type Preflight struct {
	Check   string   `json:"check"`
	Missing []string `json:"missing"`
}

// Summary counts accounts per vCenter, the permissions of those that are as they must be, and privileges. Failed are accounts that did
// not log in, or with a missing or an excess privilege; Unable are others that are as the matrix asks and whose component cannot do all
// of its work; Unverified those whose login was not possible, Computed those of them whose rights the vCenter told the administrator, Disabled those whose login was not tried because they are disabled.
type Summary struct {
	Accounts        int `json:"accounts"`
	Failed          int `json:"failed"`
	Unverified      int `json:"unverified"`
	Computed        int `json:"computed,omitempty"`
	Unable          int `json:"unable"`
	Disabled        int `json:"disabled,omitempty"`
	Permissions     int `json:"permissions"`
	Missing         int `json:"missing"`
	Unknown         int `json:"unknown"`
	Excess          int `json:"excess"`
	Unavoidable     int `json:"unavoidable"`
	PreflightFailed int `json:"preflightFailed"`
}

// Failed reports whether the account is not as it must be.
func (a Account) Failed() bool {
	return !slices.Contains([]string{login.OK, LoginUnverified, LoginComputed, LoginDisabled, LoginReplaced, LoginNext}, a.Login) || a.Administrator != "" ||
		slices.ContainsFunc(a.Objects, func(o Object) bool { return len(o.Missing)+len(o.Excess) > 0 })
}

// Count counts its privileges that are missing and in excess, over all objects.
func (a Account) Count() (missing, excess int) {
	for _, o := range a.Objects {
		missing += len(o.Missing)
		excess += len(o.Excess)
	}
	return missing, excess
}

// Refused reports whether the vCenter refused the password.
func (a Account) Refused() bool { return a.Login == login.Refused || a.Login == login.RefusedOrLocked }

// ToMend are the reasons that somebody can mend, each once, but those of [Account.Unseen].
func (a Account) ToMend() []Reason {
	var all []Reason
	for _, o := range a.Objects {
		for _, r := range o.Reasons {
			unseen := o.HiddenBy != "" && slices.Equal(r.Privileges, o.Missing)
			if r.Remedy != "" && !unseen && !slices.ContainsFunc(all, func(s Reason) bool { return s.Why == r.Why && s.Remedy == r.Remedy }) {
				all = append(all, r)
			}
		}
	}
	return all
}

// OK reports whether everything that could be verified is as it must be; strictly, whether there is also nothing that a vCenter
// does not know. What could not be verified, and components that the matrix leaves unable, are counted in the summary.
func (v *Result) OK(strict bool) bool {
	s := v.Summary
	if strict && s.Unknown > 0 {
		return false
	}
	return s.Failed == 0 && s.PreflightFailed == 0 && !finding.Differing(v.Findings) && v.Err() == nil
}

// Err joins what kept vCenters from being verified.
func (v *Result) Err() error {
	var errs []error
	for _, s := range v.VCenters {
		errs = append(errs, s.cause)
	}
	return errors.Join(errs...)
}

// Fail says why the vCenter was not verified.
func (v *VCenter) Fail(err error) { v.Error, v.cause = err.Error(), err }

// MadeOtherwise says that the accounts were made with another matrix: no reason of theirs advises to apply this one.
func (v *VCenter) MadeOtherwise(matrix string) {
	v.MadeWith = matrix
	for _, a := range v.Accounts {
		for _, o := range a.Objects {
			for i, r := range o.Reasons {
				if r.Remedy == remedyApply || r.Remedy == remedyPrune {
					o.Reasons[i].Remedy = RemedyMatrix
				}
			}
		}
	}
}

// Add counts what was found on a vCenter.
func (s *Summary) Add(v VCenter) {
	for _, a := range v.Accounts {
		s.Accounts++
		switch {
		case a.Failed():
			s.Failed++
		case a.Login == LoginUnverified:
			s.Unverified++
		case a.Login == LoginComputed:
			s.Computed++
			s.Unverified++
			if len(a.Cannot) > 0 {
				s.Unable++
			}
		case a.Login == LoginDisabled, a.Login == LoginReplaced, a.Login == LoginNext:
			s.Disabled++
		default:
			s.Permissions += a.Permissions
			if len(a.Cannot) > 0 {
				s.Unable++
			}
		}
		for _, o := range a.Objects {
			s.Missing += len(o.Missing)
			s.Unknown += len(o.Unknown)
			s.Excess += len(o.Excess)
			s.Unavoidable += len(o.Unavoidable)
		}
	}
	for _, p := range v.Preflight {
		if len(p.Missing) > 0 {
			s.PreflightFailed++
		}
	}
}
