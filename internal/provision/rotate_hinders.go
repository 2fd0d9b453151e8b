package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// turns reports whether a run does something about an account: makes it, enables it, or removes it.
func (s *snapshot) turns(a ownAccount) bool {
	g := s.generations[a.component]
	return s.leaves(a) || a.generation == g.making || g.former > 0 && a.generation == g.Current
}

// hinders says why a turn does nothing about a component's account, "" where it does. wrong reports whether that is an error for
// somebody who asked for just this one.
func (q *asked) hinders(s *snapshot, c component.Name, l accounts.Line) (why string, wrong bool) {
	switch {
	case q.turn == keeping:
		return "", false
	case l.Disputed:
		return "the credentials file has different accounts for it in the sections of its SSO domain: run verify to see which one works where", true
	}
	switch q.turn {
	case replacing:
		return q.hindersReplacing(s, c, l)
	case reverting:
		return q.hindersReverting(s, c, l)
	case finishing:
		switch {
		case len(l.Former()) > 0:
			return q.hindersRemoving(s, c, l)
		case len(l.Later()) > 0 || l.Begun > 0:
			return notInUse("continue with rotate"), true
		}
		return "no rotation to finish", false
	case withdrawing:
		switch {
		case len(l.Later()) > 0:
			return q.hindersRemoving(s, c, l)
		case l.Begun > 0: // only the journal has it
			return "", false
		case len(l.Former()) > 0:
			return "its next account is in use: first go back with rotate undo, without --applied and --secrets", true
		}
		return "no rotation to undo", false
	case keeping:
	}
	return "", false
}

// awaitsFinish is why an account is not replaced that replaced another one, which still exists.
const awaitsFinish = "the last rotation is unfinished: first run rotate finish or rotate undo"

func (q *asked) hindersReplacing(s *snapshot, c component.Name, l accounts.Line) (why string, wrong bool) {
	u, exists := q.ours(s, q.ownAccount(c, l.Current))
	switch {
	case q.Spec.Disabled(c):
		return "is disabled (components." + string(c) + ".disabled): enable it with users enable", true
	case !exists:
		return "does not exist: create it with apply", true
	case !l.Stored:
		return "the password is not in " + q.Credentials.Path() + ": if somebody has it, import it with credentials import; otherwise set a new one with rotate --in-place", true
	case q.open(s, c) && l.Begun == 0:
		return "its rotation in place is unfinished: finish it with rotate --in-place", true
	case l.Begun > 0: // it comes to its end, whatever is asked for
		return "", false
	}
	if q.picked != nil {
		if why := q.picked(s, u); why != "" {
			return why, false
		}
	}
	switch {
	case len(l.Former()) > 0:
		return awaitsFinish, true
	case len(l.Later()) > 0:
		return notInUse(""), true
	}
	if err := q.Spec.Account(c).Of(l.Next()).CheckName(); err != nil {
		return "cannot be replaced: " + err.Error(), true
	}
	return "", false
}

func (q *asked) hindersReverting(s *snapshot, c component.Name, l accounts.Line) (why string, wrong bool) {
	before := l.Former()
	switch {
	case len(before) == 0 && (len(l.Later()) > 0 || l.Begun > 0):
		return notInUse(""), false
	case len(before) == 0:
		return "no rotation to undo", false
	case q.Spec.Disabled(c):
		return "is disabled (components." + string(c) + ".disabled): enable it with users enable", true
	case q.journaledOf(s, q.ownAccount(c, before[len(before)-1])).Empty():
		return "the password of the previous account is not in " + q.Journal.Path() + ", so you cannot go back", true
	}
	return "", false
}

// notInUse says of an account's next generation, whose password the journal has, how to remove it, and how to go on with it. A dump
// of the cluster's secrets reports whether the cluster holds it, so that nobody is told to assert that it does not.
func notInUse(goOn string) string {
	if goOn != "" {
		goOn += ", or "
	}
	return "its next account is not in use: " + goOn + "remove it with rotate undo --secrets DUMP, which refuses while the cluster holds it"
}

// hindersRemoving keeps the other generations of an account as long as the one in use is not beyond doubt.
func (q *asked) hindersRemoving(s *snapshot, c component.Name, l accounts.Line) (why string, wrong bool) {
	u, exists := q.ours(s, q.ownAccount(c, l.Current))
	switch {
	case !exists:
		return "is the account to keep, but does not exist: create it with apply", true
	case !l.Stored:
		return "seems to be the account to keep, but its password is not in " + q.Credentials.Path() + ": check that this is the right file", true
	case u.Disabled && !q.Spec.Disabled(c):
		return "is the account to keep, but is disabled: enable it with users enable", true
	}
	return "", false
}

// open reports whether an account's rotation is in the journal: a password that the credentials file does not have.
func (q *asked) open(s *snapshot, c component.Name) bool {
	return slices.ContainsFunc(s.sections, func(server string) bool {
		_, open := q.pending(server, c)
		return open
	})
}

// leftover reports whether the journal has nothing for a component that the credentials file does not have: a run ended right after
// that was saved.
func (q *asked) leftover(server string, c component.Name) bool {
	had := q.journaled(server, c)
	now, ok := q.Credentials.Get(server, c)
	return ok && had.User != "" && strings.EqualFold(had.User, now.User) && had.Password.Equal(now.Password)
}
