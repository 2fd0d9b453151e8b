package sso

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// States of an account.
const (
	StateOK       = "ok"
	StateMissing  = "missing"
	StateDisabled = "disabled"
	StateLocked   = "locked"
	StateExpired  = "expired or exempt" // its password, by the policy: SSO does not tell who is exempt
	StateForeign  = "foreign"           // an account of our name without our mark
	StateGroup    = "group"             // an adopted principal that is no account
)

// Compared is an account beside what is wanted of it.
type Compared struct {
	User         *User // as SSO has it; nil = there is none
	Foreign      bool  // it has a wanted name, and not the wanted mark
	Within       bool  // it is of the SSO domain, whose policy its password obeys
	LifetimeDays int   // by that policy; 0 = for ever
}

// Compare says how a wanted account is.
func Compare(w Want, live *State) Compared {
	u, exists := live.Own(w.Name)
	if !exists {
		return live.Of(w.Name, nil)
	}
	c := live.Of(w.Name, &u)
	c.Foreign = u.Description != w.Description
	return c
}

// Of is an account to be kept as it is: an adopted one, or one that the specification does not
// name.
func (s *State) Of(principal string, u *User) Compared {
	return Compared{User: u, Within: s.Within(principal), LifetimeDays: s.Policy.LifetimeDays}
}

// Within reports whether a principal is of the SSO domain.
func (s *State) Within(principal string) bool {
	return strings.HasSuffix(s.Same(principal), "@"+strings.ToLower(s.Domain))
}

// Ours reports whether the account is there with its mark.
func (c Compared) Ours() bool { return c.User != nil && !c.Foreign }

// Life is that of the password; unknown for an account of another directory.
func (c Compared) Life(now time.Time) Life {
	if c.User == nil || !c.Within {
		return Life{}
	}
	return c.User.Life(c.LifetimeDays, now)
}

// States say how the account is, as a list shows it.
func (c Compared) States(now time.Time) []string {
	if c.User == nil {
		return []string{StateMissing}
	}
	var states []string
	for i, holds := range []bool{c.Foreign, c.User.Disabled, c.User.Locked, c.Life(now).Expired()} {
		if holds {
			states = append(states, []string{StateForeign, StateDisabled, StateLocked, StateExpired}[i])
		}
	}
	if len(states) == 0 {
		return []string{StateOK}
	}
	return states
}

// Due reports whether limits choose the account, and why. One that is missing, not ours, or of
// another directory is not due.
func (c Compared) Due(limits Limits, now time.Time) (due bool, why string) {
	if !c.Ours() || !c.Within {
		return false, ""
	}
	return limits.Due(*c.User, c.LifetimeDays, now)
}

// Joined reports whether an account is a member of a group, if of any.
func (s *State) Joined(u User, group string) bool {
	return group == "" || slices.ContainsFunc(u.Groups, func(g string) bool { return s.Same(g) == s.Same(group) })
}

// Leave is the change that takes an account of ours out of a group, once needs are done.
func (s *State) Leave(u User, group, domainKey string, needs ...string) *plan.Change {
	c := s.Disable(u, u.Disabled, domainKey)
	before, _ := c.Before.(plan.UserState)
	before.MemberOf = group
	c.Before, c.Needs = before, needs
	c.Provides = plan.Key(domainKey, plan.User, u.Name+"\x00"+group)
	return c
}

// Diff returns which accounts to create, and what is wrong with existing ones. domainKey identifies
// the SSO domain (Key scope). An account that this tool did not create is an error, so that none is
// taken over.
func Diff(want []Want, live *State, domainKey string) (changes []*plan.Change, told []*finding.Finding, err error) {
	var errs []error
	for _, w := range want {
		name := w.Name + "@" + live.Domain
		switch c := Compare(w, live); {
		case c.User == nil:
			changes = append(changes, &plan.Change{
				Verb: plan.Create, Kind: plan.User, Name: name,
				After:    plan.UserState{Description: w.Description, Disabled: w.Disabled, MemberOf: w.MemberOf},
				Provides: plan.Key(domainKey, plan.User, w.Name),
			})
		case c.Foreign:
			errs = append(errs, fmt.Errorf("%s: account %s exists and %s", live.server, name, c.User.Origin()))
		case !live.Joined(*c.User, w.MemberOf):
			join := live.Disable(*c.User, c.User.Disabled || w.Disabled, domainKey)
			after, _ := join.After.(plan.UserState)
			after.MemberOf = w.MemberOf
			join.After, join.Provides = after, plan.Key(domainKey, plan.User, w.Name)
			changes = append(changes, join)
		case w.Disabled && !c.User.Disabled:
			changes = append(changes, live.Disable(*c.User, true, domainKey))
		default:
			if c.User.Disabled && !w.Disabled {
				told = append(told, plan.Change{Kind: plan.User, Name: name}.Tell(finding.NotAsSpecified, "unchanged: disabled, but not in the specification"))
			}
			if c.User.Locked {
				told = append(told, plan.Change{Kind: plan.User, Name: name}.Tell(finding.PlanNote, "is locked"))
			}
		}
	}
	return changes, told, errors.Join(errs...)
}
