package provision

import (
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
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

// chosen reports whether there are any.
func (limits Limits) chosen() bool { return limits.OlderThan != nil || limits.ExpiringWithin != nil }

// life is how long a password still lasts. SSO's word counts before our record: where somebody else has set the password
// since, or the policy has changed, only SSO knows.
type life struct {
	days    int    // that are left, rounded up; not more than 0 = expired
	source  string // SourceSSO or SourceRecord; "" = nobody knows
	endless bool   // it never expires
}

// lifeOf is the life of an account's password. lifetimeDays is that of the domain's policy, 0 = for ever. By the record it
// may be a day too short, because the record has no hour.
func lifeOf(u sso.User, lifetimeDays int, now time.Time) life {
	switch {
	case u.DaysLeft != nil && *u.DaysLeft < 0:
		return life{source: SourceSSO, endless: true}
	case u.DaysLeft != nil:
		return life{source: SourceSSO, days: *u.DaysLeft}
	case lifetimeDays <= 0:
		return life{source: SourceRecord, endless: true}
	case u.PasswordSet.IsZero():
		return life{}
	}
	return life{source: SourceRecord, days: lifetimeDays - ageDays(u.PasswordSet, now)}
}

// setByOthers reports whether SSO says that a password was set later than our record of it. Clocks, days begun and days rounded up
// may come to two.
func setByOthers(u sso.User, lifetimeDays int, now time.Time) bool {
	l := lifeOf(u, lifetimeDays, now)
	age, known := l.age(u, lifetimeDays, now)
	return l.source == SourceSSO && known && !u.PasswordSet.IsZero() && ageDays(u.PasswordSet, now)-int(age/(24*time.Hour)) > 2
}

// doubted reports whether the credentials file has another password of an account than its record says: then SSO has to tell whether
// the record is still true.
func (q *asked) doubted(server string) func(sso.User) bool {
	return func(u sso.User) bool {
		return u.PasswordTag != "" && slices.ContainsFunc(q.Spec.ComponentNames(), func(c component.Name) bool {
			l := accounts.Classify(q.Spec.Account(c), u.Description, q.filed([]string{server}, c), []sso.User{u})
			return q.owns(c) && l.Outdated
		})
	}
}

// ageDays are the whole days since a password was set, by the record.
func ageDays(set, now time.Time) int { return int(now.UTC().Sub(set) / (24 * time.Hour)) }

// expired reports whether it has ended for certain: by the record there is a day on which it may end.
func (l life) expired() bool {
	return !l.endless && (l.days < 0 || l.days == 0 && l.source == SourceSSO)
}

// words say when it ends: "expires in 3 days", "has expired", "expired 2 days ago"; "" of one that does not, or of which
// nobody knows.
func (l life) words() string {
	switch {
	case l.endless, l.source == "":
		return ""
	case l.days == 0 && l.source == SourceSSO:
		return "has expired"
	case l.days == 0:
		return "expires today"
	case l.days < 0:
		return "expired " + term.Count(-l.days, "day") + " ago"
	}
	return "expires in " + term.Count(l.days, "day")
}

// within reports whether it ends in this time. The days are rounded up, so that one that may end in it counts.
func (l life) within(limit time.Duration) bool {
	return !l.endless && l.source != "" && (l.days <= 0 || time.Duration(l.days-1)*24*time.Hour < limit)
}

// due reports whether the limits choose an account, and why, or why not: "expires in 3 days". u is as SSO has it, with its
// DaysLeft where SSO tells; lifetimeDays is that of the domain's policy.
//
//   - One whose password has expired is due under each limit, and so is one of which nobody knows how old its password is: a
//     new one is harmless, and a silent one is what stops a cluster.
//   - One that is locked is judged like all others.
//   - One that is disabled is not due: nobody logs in with it, and its password can be set when it is enabled.
func (limits Limits) due(u sso.User, lifetimeDays int, now time.Time) (due bool, why string) {
	l := lifeOf(u, lifetimeDays, now)
	if !limits.chosen() {
		return true, l.words()
	}
	if u.Disabled {
		return false, "disabled"
	}
	var reasons []string
	unknown := false
	if limits.ExpiringWithin != nil {
		unknown = l.source == ""
		if l.within(*limits.ExpiringWithin) {
			reasons = append(reasons, l.words())
		}
	}
	if limits.OlderThan != nil {
		age, known := l.age(u, lifetimeDays, now)
		switch {
		case l.within(0) && len(reasons) == 0:
			reasons = append(reasons, l.words())
		case known && age >= *limits.OlderThan:
			reasons = append(reasons, "was set "+term.Count(int(age/(24*time.Hour)), "day")+" ago")
		case !known:
			unknown = true
		}
	}
	switch {
	case len(reasons) > 0:
		return true, strings.Join(reasons, "; ")
	case unknown:
		return true, "the age of its password is not known"
	}
	return false, l.words()
}

// age is how old a password is. What SSO says is left of its life tells more than our record, which others do not keep.
func (l life) age(u sso.User, lifetimeDays int, now time.Time) (age time.Duration, known bool) {
	switch {
	case l.source == SourceSSO && !l.endless && l.days > 0 && lifetimeDays >= l.days:
		return time.Duration(lifetimeDays-l.days) * 24 * time.Hour, true
	case u.PasswordSet.IsZero():
		return 0, false
	}
	return now.UTC().Sub(u.PasswordSet), true
}
