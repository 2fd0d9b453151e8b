package provision

import (
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// within reports whether a principal is of the vCenter's own SSO domain, whose rules its password obeys.
func (s *snapshot) within(principal string) bool {
	return strings.HasSuffix(s.sso.Same(principal), "@"+strings.ToLower(s.sso.Domain))
}

// listed is an account with what SSO has of it; a nil user says that it has none.
func (s *snapshot) listed(l inspect.User, u *sso.User, foreign bool, now time.Time) inspect.User {
	filled := &listing{User: l, user: u, foreign: foreign}
	s.fill(filled, now)
	return filled.User
}

// fill says what SSO has of an account.
func (s *snapshot) fill(l *listing, now time.Time) {
	l.StoredFor, l.NotStoredFor = []string{}, []string{}
	u := l.user
	if u == nil {
		if l.States == nil {
			l.States = []string{inspect.UserMissing}
		}
		return
	}
	lasts := sso.Life{}
	if s.within(l.Principal) {
		lasts = u.Life(s.sso.Policy.LifetimeDays, now)
	}
	for _, state := range []struct {
		name  string
		holds bool
	}{
		{inspect.UserForeign, l.foreign},
		{inspect.UserDisabled, u.Disabled},
		{inspect.UserLocked, u.Locked},
		{inspect.UserExpired, lasts.Expired()},
	} {
		if state.holds {
			l.States = append(l.States, state.name)
		}
	}
	if len(l.States) == 0 {
		l.States = []string{inspect.UserOK}
	}
	if !u.PasswordSet.IsZero() {
		l.PasswordSet, l.PasswordAgeDays = new(u.PasswordSet.Format(time.DateOnly)), new(u.AgeDays(now))
	}
	l.Source = lasts.Source
	if lasts.Source != "" && !lasts.Endless {
		l.DaysLeft = &lasts.Days
	}
	if life := s.sso.Policy.LifetimeDays; life > 0 && !lasts.Endless && s.within(l.Principal) {
		l.DaysLeftAtMost = &life
	}
}

// chosen reports whether an account is listed: what is missing, somebody else's, a group, or of another directory is not
// due.
func (s *snapshot) chosen(l *listing, limits *sso.Limits, now time.Time) bool {
	if limits == nil {
		return true
	}
	if l.user == nil || l.foreign || !s.within(l.Principal) {
		return false
	}
	due, why := limits.Due(*l.user, s.sso.Policy.LifetimeDays, now)
	l.Due = why
	return due
}
