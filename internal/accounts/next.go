package accounts

import (
	"slices"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Op is what a run does about the generations of accounts.
type Op int

// What a run does.
const (
	Keep     Op = iota // every generation stays as it is
	Replace            // the next one is created and takes over
	Revert             // back to the one before, or keep the current password
	Finish             // the earlier ones are removed
	Withdraw           // the later ones are removed
	Reset              // the current one gets a new password
)

// Conditions are what an operation depends on beside the phases of an account.
type Conditions struct {
	Disabled bool // the specification disables the account
	NoFile   bool // no file here says which generation is current

	Limits       sso.Limits // choose accounts to replace or reset by the age of their passwords
	LifetimeDays int        // of passwords, by the policy of the SSO domain; 0 = for ever
	Now          time.Time  // by which ages are told
}

func (c Conditions) due(l Line) (due bool, why string) {
	return c.Limits.Due(l.User, c.LifetimeDays, c.Now)
}

// Step is an account as an operation leaves it, and what becomes of single generations.
type Step struct {
	Line
	Making   int   // is created, and takes over; 0 = none
	Replaced int   // when reverting, the one that was current; 0 = none
	Leaving  []int // are removed, lowest first
}

// Refusal is why a run keeps an account, with data of its sentence; the zero value is none.
type Refusal struct {
	Code      Code
	Component component.Name
	Server    string // of AbsentElsewhere, Unplanned, LeftOut and Unread
	Text      string // of NotDue, BadName, Unread and CannotBeRemoved: why
}

// Code is a reason to leave an account as it is.
type Code int

// The reasons.
const (
	Adopted         Code = iota + 1 // another's account
	Foreign                         // another's account has its name
	Disputed                        // its SSO domain's sections differ
	IsDisabled                      // by the specification
	DisabledByHand                  // and not by the specification
	NextDisabled                    // its next generation is, and not by the specification
	Missing                         // it does not exist
	AbsentElsewhere                 // it does not exist on another vCenter
	NotStored                       // the credentials file does not have its password
	ResetUnfinished                 // its new password in place is not in the credentials file yet
	Unfinished                      // no file here tells which generation is current
	NotDue                          // limits do not choose it
	AwaitsFinish                    // it replaced another one, which still exists
	NextUnused                      // its next generation exists and is not current
	NextUnusedYet                   // the same, where a rotation can go on
	NextCurrent                     // its next generation is current
	NothingToUndo                   // no rotation was begun
	NothingToFinish                 // no rotation is unfinished
	BadName                         // of its next generation
	NoWayBack                       // no file has the password of the one before
	KeptMissing                     // the one that stays does not exist
	KeptNotStored                   // the file lacks the kept one's password
	KeptDisabled                    // the one that stays is disabled, and not by the specification
	Unplanned                       // another vCenter of its SSO domain could not be planned
	LeftOut                         // another vCenter uses it and is not part of the run
	Unread                          // another vCenter may use it and is unread: Text
	CannotBeRemoved                 // because of Text
)

// rule is a row of the table: an operation's outcome if its conditions hold. proceeds is none.
type rule struct {
	when  []condition
	code  Code
	wrong bool // an error if just this account was asked for
}

const proceeds Code = 0

type condition func(Line, Conditions) bool

func adopted(l Line, _ Conditions) bool  { return l.adopted }
func foreign(l Line, _ Conditions) bool  { return slices.Contains(l.foreign, l.Current) }
func disputed(l Line, _ Conditions) bool { return l.Disputed }
func disabled(_ Line, c Conditions) bool { return c.Disabled }
func byHand(l Line, c Conditions) bool   { return l.User.Disabled && !c.Disabled }
func nextByHand(l Line, c Conditions) bool {
	return l.Begun > 0 && slices.Contains(l.disabled, l.Begun) && !c.Disabled
}
func missing(l Line, _ Conditions) bool   { return !l.Exists() }
func unstored(l Line, _ Conditions) bool  { return !l.Stored }
func pending(l Line, _ Conditions) bool   { return l.Pending }
func settled(l Line, _ Conditions) bool   { return !l.Pending }
func begun(l Line, _ Conditions) bool     { return l.Begun > 0 }
func former(l Line, _ Conditions) bool    { return len(l.Former()) > 0 }
func later(l Line, _ Conditions) bool     { return len(l.Later()) > 0 }
func unknown(l Line, c Conditions) bool   { return c.NoFile && len(l.Others) > 0 }
func badName(l Line, _ Conditions) bool   { return l.account.Of(l.Following()).CheckName() != nil }
func noWayBack(l Line, _ Conditions) bool { return !slices.Contains(l.known, l.before()) }
func notDue(l Line, c Conditions) bool    { due, _ := c.due(l); return !due }

// table has each operation's rules: the first that holds decides, else the operation proceeds. An
// account is removed only while the kept one is beyond doubt; a begun rotation comes first.
var table = map[Op][]rule{
	Replace: {
		{when: []condition{adopted}, code: Adopted, wrong: true},
		{when: []condition{disputed}, code: Disputed, wrong: true},
		{when: []condition{disabled}, code: IsDisabled, wrong: true},
		{when: []condition{missing}, code: Missing, wrong: true},
		{when: []condition{unstored}, code: NotStored, wrong: true},
		{when: []condition{nextByHand}, code: NextDisabled, wrong: true},
		{when: []condition{begun}, code: proceeds},
		{when: []condition{pending}, code: ResetUnfinished, wrong: true},
		{when: []condition{notDue}, code: NotDue},
		{when: []condition{byHand}, code: DisabledByHand, wrong: true},
		{when: []condition{former}, code: AwaitsFinish, wrong: true},
		{when: []condition{later}, code: NextUnused, wrong: true},
		{when: []condition{badName}, code: BadName, wrong: true},
	},
	Revert: {
		{when: []condition{adopted}, code: Adopted, wrong: true},
		{when: []condition{disputed}, code: Disputed, wrong: true},
		{when: []condition{former, disabled}, code: IsDisabled, wrong: true},
		{when: []condition{former, noWayBack}, code: NoWayBack, wrong: true},
		{when: []condition{former}, code: proceeds},
		{when: []condition{later}, code: NextUnused},
		{when: []condition{begun}, code: NextUnused},
		{when: []condition{pending, missing}, code: Missing, wrong: true},
		{when: []condition{pending, unstored}, code: NotStored, wrong: true},
		{when: []condition{pending}, code: proceeds}, // its own password, in place
		{code: NothingToUndo},
	},
	Finish: {
		{when: []condition{adopted}, code: Adopted, wrong: true},
		{when: []condition{disputed}, code: Disputed, wrong: true},
		{when: []condition{former, missing}, code: KeptMissing, wrong: true},
		{when: []condition{former, unstored}, code: KeptNotStored, wrong: true},
		{when: []condition{former, byHand}, code: KeptDisabled, wrong: true},
		{when: []condition{former}, code: proceeds},
		{when: []condition{later}, code: NextUnusedYet, wrong: true},
		{when: []condition{begun}, code: NextUnusedYet, wrong: true},
		{code: NothingToFinish},
	},
	Withdraw: {
		{when: []condition{adopted}, code: Adopted, wrong: true},
		{when: []condition{disputed}, code: Disputed, wrong: true},
		{when: []condition{later, missing}, code: KeptMissing, wrong: true},
		{when: []condition{later, unstored}, code: KeptNotStored, wrong: true},
		{when: []condition{later, byHand}, code: KeptDisabled, wrong: true},
		{when: []condition{later}, code: proceeds},
		{when: []condition{begun}, code: proceeds}, // only the journal has it
		{when: []condition{former}, code: NextCurrent, wrong: true},
		{code: NothingToUndo},
	},
	Reset: {
		{when: []condition{adopted}, code: Adopted, wrong: true},
		{when: []condition{foreign}, code: Foreign, wrong: true},
		{when: []condition{missing}, code: Missing, wrong: true},
		{when: []condition{settled, notDue}, code: NotDue},
		{when: []condition{unknown}, code: Unfinished, wrong: true},
	},
}

// Next is an operation's step for an account. A refused one stays as it is; wrong reports whether
// that is an error if just this account was asked for.
func (l Line) Next(op Op, c Conditions) (step Step, refused *Refusal, wrong bool) {
	for _, r := range table[op] {
		if slices.ContainsFunc(r.when, func(holds condition) bool { return !holds(l, c) }) {
			continue
		}
		if r.code != proceeds {
			return Step{Line: l}, l.refuse(r.code, c), r.wrong
		}
		break
	}
	return l.after(op), nil, false
}

func (l Line) refuse(code Code, c Conditions) *Refusal {
	r := &Refusal{Code: code, Component: l.account.Component}
	switch code {
	case NotDue:
		_, r.Text = c.due(l)
	case BadName:
		if err := l.account.Of(l.Following()).CheckName(); err != nil {
			r.Text = err.Error()
		}
	}
	return r
}

// after is the account as an operation that proceeds leaves it.
func (l Line) after(op Op) Step {
	step := Step{Line: l}
	switch op {
	case Keep, Reset:
	case Replace:
		step.Making = l.Following()
		if !slices.Contains(l.Others, step.Making) {
			step.Others = append(slices.Clone(l.Others), step.Making)
		}
	case Revert:
		step.Replaced = l.Current
		if n := l.before(); n > 0 {
			step.Current = n
			step.Others = append(slices.DeleteFunc(slices.Clone(l.Others), func(o int) bool { return o == n }), l.Current)
		}
	case Finish:
		step.Others, step.Leaving = l.Later(), l.Former()
	case Withdraw:
		step.Others, step.Leaving = l.Former(), l.Later()
	}
	return step
}
