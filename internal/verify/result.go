// Package verify judges what accounts were seen to have on a vCenter against what their components
// need: missing and excess privileges with reasons, and what a component cannot do. It reads
// nothing; callers pass what they saw.
package verify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
)

// Result is the proof that the accounts can do their work and nothing else.
type Result struct {
	APIVersion string   `json:"apiVersion" redact:"word"`
	Kind       string   `json:"kind" redact:"word"`
	View       string   `json:"view" redact:"word"`                    // [ViewAdministrator] or [ViewAccounts]
	Incomplete []string `json:"incomplete,omitempty" redact:"vcenter"` // vCenters without SSO accounts read
	// about passwords and rotations; in a document with [Result.Failings]
	Findings finding.List `json:"findings"`
	VCenters []VCenter    `json:"vcenters"`
	Summary  Summary      `json:"summary"`
}

// Views of a verification.
const (
	ViewAdministrator = "administrator" // one read the permissions, and the accounts what they hold
	ViewAccounts      = "accounts"      // a cluster's accounts, as they see themselves
)

// VCenter is what was found on one vCenter.
type VCenter struct {
	Server    string      `json:"server" redact:"vcenter"`
	Error     string      `json:"error" redact:"text"`
	Accounts  []Account   `json:"accounts"`
	Preflight []Preflight `json:"preflight"`
	MadeWith  string      `json:"madeWith,omitempty" redact:"matrix"` // matrix or profile: apply keeps what only it grants
	MadeBy    string      `json:"-" redact:"word"`                    // its flag
	Domain    string      `json:"-" redact:"domain"`                  // the same for linked vCenters; "" = unknown

	cause error
}

// Login results of an account.
const (
	LoginUnverified = "unverified" // an adopted account whose password is not known here
	LoginComputed   = "computed"   // by vCenter's answer to the administrator
	LoginAbsent     = "the account does not exist"
	LoginUnknown    = "its password is not in the credentials file"
	LoginDisabled   = "disabled, as specified" // its password is not tried
	LoginReplaced   = "disabled: it was replaced, and rotate finish removes it"
	LoginNext       = "disabled: it is not in use, and rotate undo removes it"
	LoginEnabled    = "enabled, but disabled in the specification"
	LoginOutside    = "not a member of " // and the group that has the permissions
)

// Sentences are those of a verification that name nothing: results of logins, reasons and remedies.
func Sentences() []string {
	return []string{
		login.OK, login.Refused, login.RefusedOrLocked, login.NoPermission, LoginUnverified, LoginComputed,
		LoginAbsent, LoginUnknown, LoginDisabled, LoginReplaced, LoginNext, LoginEnabled, IsDisabled,
		IsLocked, IsExpired, IsReplaced, IsNext, remedyApply, remedyPrune, remedyNamed, remedyAsk,
		RemedyMatrix, CompareSecret,
	}
}

// Account is an account's login ([login.OK], [LoginUnverified], [LoginComputed], an intended
// disabled one, or the reason of a failure) and rights.
type Account struct {
	Component string   `json:"component" redact:"word"`
	Principal string   `json:"principal" redact:"account"`
	Member    string   `json:"member,omitempty" redact:"account"` // who logged in, where Principal is a group
	Login     string   `json:"login" redact:"text"`
	Reason    string   `json:"reason,omitempty" redact:"text"` // why it is unverified, or was refused
	Objects   []Object `json:"objects"`

	Secrets []string         `json:"secrets,omitempty" redact:"secret"` // namespace/name where components find it
	Others  []component.Name `json:"-"`                                 // those that it is not made for

	Administrator string `json:"administrator,omitempty" redact:"principal"` // its group; may do everything

	Cannot []Cannot `json:"cannot,omitempty"` // what the component cannot do with it, by any matrix
	Alarms []Alarm  `json:"alarms,omitempty"` // of the problem detector, although it can do its work

	// until its password expires, at most 0 if it has; nil = never or unknown
	DaysLeft *int `json:"daysLeft,omitempty"`

	Permissions int `json:"permissions"` // needed ones; 0 without a login
}

// Object compares an account's rights on one object with its component's needs.
type Object struct {
	Path    string   `json:"path" redact:"path"`
	Scope   string   `json:"scope" redact:"word"`   // for the component; or [ScopeBelow], [ScopeLeftover]
	Missing []string `json:"missing" redact:"word"` // not held, or useless on an unseen object
	Excess  []string `json:"excess" redact:"word"`  // held, and neither needed nor unavoidable

	Unknown []string `json:"unknown,omitempty" redact:"word"` // needed, and unknown to this vCenter
	// excess that vSphere, the topology or the layout of roles requires
	Unavoidable []string `json:"unavoidable,omitempty" redact:"word"`
	HiddenBy    string   `json:"hiddenBy,omitempty" redact:"path"` // the unseen object on the way to Path
	Reasons     []Reason `json:"reasons,omitempty"`
}

// Scopes of objects that no component needs for itself.
const (
	ScopeBelow    = "below"    // one level below a needed object
	ScopeLeftover = "leftover" // an account of ours has a permission there that nothing needs
)

// Reason says why something is missing, in excess, unknown or unavoidable, and what mends it.
type Reason struct {
	Privileges []string `json:"privileges" redact:"word"`
	Why        string   `json:"why" redact:"text"`
	Remedy     string   `json:"remedy,omitempty" redact:"text"` // empty where nothing is to be mended

	matrix      string // see [Unseen]
	unexplained bool   // no permission that is known gives it
	format      string // of Why, with args; "" = it was read from a document
	args        []named
}

// named is a name or a word in a reason, of a kind that the tag redact has.
type named struct{ kind, name string }

// said is why, of the format and its arguments.
func (r Reason) said() string {
	args := make([]any, len(r.args))
	for i, arg := range r.args {
		args[i] = arg.name
	}
	return fmt.Sprintf(r.format, args...)
}

// Renamed is the reason with what as makes of each name in it, and of whole texts.
func (r Reason) Renamed(as func(kind, text string) string) any {
	r.args = slices.Clone(r.args)
	for i, arg := range r.args {
		r.args[i].name = as(arg.kind, arg.name)
	}
	r.Remedy = as("text", r.Remedy)
	if r.Why = as("text", r.Why); r.format != "" {
		r.Why = r.said()
	}
	return r
}

// Unexplained reports whether an account holds something that no known permission gives.
func (v *VCenter) Unexplained() bool {
	return slices.ContainsFunc(v.Accounts, func(a Account) bool {
		return slices.ContainsFunc(a.Objects, func(o Object) bool {
			return slices.ContainsFunc(o.Reasons, func(r Reason) bool { return r.unexplained })
		})
	})
}

// Preflight is one check of the installer's own, with its group's name.
type Preflight struct {
	Check   string   `json:"check" redact:"text"`
	Missing []string `json:"missing" redact:"text"`
}

// Summary counts accounts per vCenter, correct permissions, and privileges. Failed are accounts
// without login, or with missing or excess privileges; Unable are others that match the matrix but
// whose component cannot do all its work; Unverified had no possible login, of which Computed have
// rights that the vCenter told the administrator, and Unused are given to no secret; Disabled were
// not tried.
type Summary struct {
	Accounts        int `json:"accounts"`
	Failed          int `json:"failed"`
	Unverified      int `json:"unverified"`
	Computed        int `json:"computed,omitempty"`
	Unused          int `json:"unused,omitempty"`
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
	return !slices.Contains([]string{login.OK, LoginUnverified, LoginComputed, LoginDisabled, LoginReplaced, LoginNext}, a.Login) ||
		a.Administrator != "" ||
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

// ToMend are the reasons with a remedy, each once, but those of [Account.Unseen].
func (a Account) ToMend() []Reason {
	var all []Reason
	for _, o := range a.Objects {
		for _, r := range o.Reasons {
			unseen := o.HiddenBy != "" && slices.Equal(r.Privileges, o.Missing)
			if r.Remedy != "" && !unseen &&
				!slices.ContainsFunc(all,
					func(s Reason) bool { return s.Why == r.Why && s.Remedy == r.Remedy }) {
				all = append(all, r)
			}
		}
	}
	return all
}

// Standard is what a verification is measured by.
type Standard struct {
	Strict bool     // a privilege that a vCenter does not know is missing
	InUse  bool     // accounts that a rotation leaves, which no secret is given, may be unverified
	Allow  []string // what is no difference all the same
}

// The words of Allow.
const (
	AllowUnable     = "unable"     // the matrix may leave a component unable to do all of its work
	AllowUnseen     = "unseen"     // the administrator need not see the accounts of the SSO domain
	AllowUnverified = "unverified" // an account may be unverified because its password is not given
)

// AsAsked allows what the specification and its matrix leave open.
func AsAsked() Standard { return Standard{Allow: []string{AllowUnverified, AllowUnable}} }

// Allows reports whether a word is among those of the standard.
func (by Standard) Allows(word string) bool { return slices.Contains(by.Allow, word) }

// Meets reports whether everything is as it must be, but that accounts of an SSO domain could not be read.
func (v *Result) Meets(by Standard) bool {
	s := v.Summary
	if by.InUse {
		s.Unverified -= s.Unused
	}
	return s.Failed == 0 && s.PreflightFailed == 0 && (s.Unknown == 0 || !by.Strict) &&
		(s.Unverified == 0 || by.Allows(AllowUnverified)) && (s.Unable == 0 || by.Allows(AllowUnable)) &&
		!finding.Differing(v.Findings) && v.Err() == nil
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

// MadeOtherwise marks accounts made with another matrix or profile: no reason advises to apply this
// one.
func (v *VCenter) MadeOtherwise(by, with string) {
	v.MadeBy, v.MadeWith = by, with
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
			if a.Reason == IsReplaced || a.Reason == IsNext {
				s.Unused++
			}
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
