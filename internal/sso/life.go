package sso

import (
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Who says how long a password still lasts.
const (
	SourceSSO    = "sso"    // the SSO administration
	SourceRecord = "record" // the day in the account's description, and the domain's policy
)

// Limits choose accounts by the age of their passwords; nil = not by this. Without any, all are chosen.
type Limits struct {
	OlderThan      *time.Duration // it was set so long ago, or longer
	ExpiringWithin *time.Duration // it has expired, or will in this time
}

// Chosen reports whether there are any.
func (limits Limits) Chosen() bool { return limits.OlderThan != nil || limits.ExpiringWithin != nil }

// Life is how long a password still lasts. SSO's word counts before our record: where somebody else has set the password
// since, or the policy has changed, only SSO knows.
type Life struct {
	Days    int    // that are left, rounded up; not more than 0 = expired
	Source  string // SourceSSO or SourceRecord; "" = nobody knows
	Endless bool   // it never expires
}

// Life is that of the account's password. lifetimeDays is that of the domain's policy, 0 = for ever. By the record it
// may be a day too short, because the record has no hour.
func (u User) Life(lifetimeDays int, now time.Time) Life {
	switch {
	case u.DaysLeft != nil && *u.DaysLeft < 0:
		return Life{Source: SourceSSO, Endless: true}
	case u.DaysLeft != nil:
		return Life{Source: SourceSSO, Days: *u.DaysLeft}
	case lifetimeDays <= 0:
		return Life{Source: SourceRecord, Endless: true}
	case u.PasswordSet.IsZero():
		return Life{}
	}
	return Life{Source: SourceRecord, Days: lifetimeDays - u.AgeDays(now)}
}

// SetByOthers reports whether SSO says that a password was set later than our record of it. Clocks, days begun and days rounded up
// may come to two.
func (u User) SetByOthers(lifetimeDays int, now time.Time) bool {
	l := u.Life(lifetimeDays, now)
	age, known := l.age(u, lifetimeDays, now)
	return l.Source == SourceSSO && known && !u.PasswordSet.IsZero() && u.AgeDays(now)-int(age/(24*time.Hour)) > 2
}

// AgeDays are the whole days since the password was set, by the record.
func (u User) AgeDays(now time.Time) int { return int(now.UTC().Sub(u.PasswordSet) / (24 * time.Hour)) }

// Expired reports whether it has ended for certain: by the record there is a day on which it may end.
func (l Life) Expired() bool {
	return !l.Endless && (l.Days < 0 || l.Days == 0 && l.Source == SourceSSO)
}

// Words say when it ends: "expires in 3 days", "has expired", "expired 2 days ago"; "" of one that does not, or of which
// nobody knows.
func (l Life) Words() string {
	switch {
	case l.Endless, l.Source == "":
		return ""
	case l.Days == 0 && l.Source == SourceSSO:
		return "has expired"
	case l.Days == 0:
		return "expires today"
	case l.Days < 0:
		return "expired " + term.Count(-l.Days, "day") + " ago"
	}
	return "expires in " + term.Count(l.Days, "day")
}

// Within reports whether it ends in this time. The days are rounded up, so that one that may end in it counts.
func (l Life) Within(limit time.Duration) bool {
	return !l.Endless && l.Source != "" && (l.Days <= 0 || time.Duration(l.Days-1)*24*time.Hour < limit)
}

// Due reports whether the limits choose an account, and why, or why not: "expires in 3 days". u is as SSO has it, with its
// DaysLeft where SSO tells; lifetimeDays is that of the domain's policy.
//
//   - One whose password has expired is due under each limit, and so is one of which nobody knows how old its password is: a
//     new one is harmless, and a silent one is what stops a cluster.
//   - One that is locked is judged like all others.
//   - One that is disabled is not due: nobody logs in with it, and its password can be set when it is enabled.
func (limits Limits) Due(u User, lifetimeDays int, now time.Time) (due bool, why string) {
	l := u.Life(lifetimeDays, now)
	if !limits.Chosen() {
		return true, l.Words()
	}
	if u.Disabled {
		return false, "disabled"
	}
	var reasons []string
	unknown := false
	if limits.ExpiringWithin != nil {
		unknown = l.Source == ""
		if l.Within(*limits.ExpiringWithin) {
			reasons = append(reasons, l.Words())
		}
	}
	why = l.Words()
	if limits.OlderThan != nil {
		age, known := l.age(u, lifetimeDays, now)
		switch {
		case l.Within(0) && len(reasons) == 0:
			reasons = append(reasons, l.Words())
		case known && age >= *limits.OlderThan:
			reasons = append(reasons, "was set "+term.Count(int(age/(24*time.Hour)), "day")+" ago")
		case !known:
			unknown = true
		case limits.ExpiringWithin == nil:
			why = "was set " + term.Count(int(age/(24*time.Hour)), "day") + " ago"
		}
	}
	switch {
	case len(reasons) > 0:
		return true, strings.Join(reasons, "; ")
	case unknown:
		return true, "the age of its password is not known"
	}
	return false, why
}

// age is how old a password is. What SSO says is left of its life tells more than our record, which others do not keep.
func (l Life) age(u User, lifetimeDays int, now time.Time) (age time.Duration, known bool) {
	switch {
	case l.Source == SourceSSO && !l.Endless && l.Days > 0 && lifetimeDays >= l.Days:
		return time.Duration(lifetimeDays-l.Days) * 24 * time.Hour, true
	case u.PasswordSet.IsZero():
		return 0, false
	}
	return now.UTC().Sub(u.PasswordSet), true
}
