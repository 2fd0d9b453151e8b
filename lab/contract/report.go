// Package contract runs the rules of the simulation against a real vCenter. Nothing of the tool's own reading of a vCenter
// stands between: each rule makes its calls through govmomi's methods and judges the raw answers. It shares nothing with the
// simulation but the names of the rules.
package contract

import "slices"

// Verdict is what became of a rule.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"
	Differs  Verdict = "differs"
	NotTried Verdict = "not tried"
)

// Result is a rule and what became of it.
type Result struct {
	Rule    string  `json:"rule"`             // R1 to R48, or a word
	Case    string  `json:"case"`             // which part of the rule
	Says    string  `json:"says"`             // the rule in a sentence
	Verdict Verdict `json:"verdict"`          //
	Detail  string  `json:"detail,omitempty"` // what came instead, what was measured, or why it was not tried
}

// Report is what one vCenter does. It holds no name, no address and no id of it: the detail of a finding is made of types of
// faults, ids of privileges and numbers alone.
type Report struct {
	VCenter    string     `json:"vcenter"`         // vcenter-1, vcenter-2, ... in the order in which they were named
	Error      string     `json:"error,omitempty"` // why it could not be asked, in a word
	Simulated  bool       `json:"simulated"`       // it is a simulation, whose report is no evidence
	Product    Product    `json:"product"`
	Privileges Catalogue  `json:"privileges"`
	Passwords  *Passwords `json:"passwordPolicy,omitempty"` // nil = not read
	Lockout    *Lockout   `json:"lockoutPolicy,omitempty"`  // nil = not read
	Delays     Delays     `json:"delays"`
	Rules      []Result   `json:"rules"`
	Left       int        `json:"left,omitempty"` // how many things of a scratch run could not be removed

	cleanErr error // what they are, in words that name them
}

// Product is what the vCenter says it is.
type Product struct {
	Version    string `json:"version"`
	Build      string `json:"build"`
	APIVersion string `json:"apiVersion"`
}

// Catalogue compares the privileges of a vCenter with those that were recorded of one (privileges.Catalogue).
type Catalogue struct {
	Known      int      `json:"known"`
	Lacks      []string `json:"lacks"`      // recorded ids that it does not know, sorted
	Unrecorded int      `json:"unrecorded"` // how many ids of its own; extensions add some, so their names are left out
}

// Passwords is the password policy of the SSO domain. Lengths and counts are in characters.
type Passwords struct {
	MinLength            int `json:"minLength"`
	MaxLength            int `json:"maxLength"`
	MinAlphabetic        int `json:"minAlphabetic"`
	MinUpper             int `json:"minUpper"`
	MinLower             int `json:"minLower"`
	MinNumeric           int `json:"minNumeric"`
	MinSpecial           int `json:"minSpecial"`
	MaxIdenticalAdjacent int `json:"maxIdenticalAdjacent"`
	ProhibitedPrevious   int `json:"prohibitedPrevious"`
	LifetimeDays         int `json:"lifetimeDays"`
}

// Lockout says when wrong passwords lock an account.
type Lockout struct {
	MaxFailed          int   `json:"maxFailedAttempts"`
	WithinSeconds      int64 `json:"withinSeconds"`
	UnlockAfterSeconds int64 `json:"unlockAfterSeconds"` // 0 = an administrator unlocks
}

// Delays are what was measured, in milliseconds; nil = not measured.
type Delays struct {
	NewAccount *int64 `json:"newAccount,omitempty"` // R32: until a permission takes a new account
	Role       *int64 `json:"role,omitempty"`       // R8: until a change of a role has effect
}

// Unread is the report of a vCenter that could not be asked. The error is told in a word that names nothing.
func Unread(err error) *Report {
	return &Report{Error: cause(err), Privileges: Catalogue{Lacks: []string{}}, Rules: []Result{}}
}

// Count is how many rules have a verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for _, f := range r.Rules {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// CleanErr is why something was left on the vCenter, in words that name it; nil where nothing was.
func (r *Report) CleanErr() error { return r.cleanErr }

// Different are the findings that differ.
func (r *Report) Different() []Result {
	return slices.DeleteFunc(slices.Clone(r.Rules), func(f Result) bool { return f.Verdict != Differs })
}
