package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// turns tells whether a run does something about an account: makes it, enables it, or removes it.
func (s *snapshot) turns(a ownAccount) bool {
	g := s.generations[a.component]
	return s.leaves(a) || a.generation == g.making || g.former > 0 && a.generation == g.current
}

// hinders says why a turn does nothing about a component's account, "" where it does. wrong tells whether that is an error for
// somebody who asked for just this one.
func (q *asked) hinders(s *snapshot, c component.Name, g generations) (why string, wrong bool) {
	switch {
	case q.turn == keeping:
		return "", false
	case g.disputed:
		return "the credentials file has different accounts for it in the sections of its SSO domain: run verify to see which one works where", true
	}
	switch q.turn {
	case replacing:
		return q.hindersReplacing(s, c, g)
	case reverting:
		return q.hindersReverting(s, c, g)
	case finishing:
		switch {
		case len(g.unfinished()) > 0:
			return q.hindersRemoving(s, c, g)
		case len(g.begun()) > 0 || q.begins(s, c, g) > 0:
			return q.notInUse(s, c, g, "continue with rotate"), true
		}
		return "no rotation to finish", false
	case withdrawing:
		switch {
		case len(g.begun()) > 0:
			return q.hindersRemoving(s, c, g)
		case q.begins(s, c, g) > 0: // only the journal has it
			return "", false
		case len(g.unfinished()) > 0:
			return "its next account is in use: first go back with rotate undo, without --applied and --secrets", true
		}
		return "no rotation to undo", false
	case keeping:
	}
	return "", false
}

// awaitsFinish is why an account is not replaced that replaced another one, which still exists.
const awaitsFinish = "the last rotation is unfinished: first run rotate finish or rotate undo"

func (q *asked) hindersReplacing(s *snapshot, c component.Name, g generations) (why string, wrong bool) {
	u, exists := q.ours(s, q.ownAccount(c, g.current))
	switch {
	case q.Spec.Disabled(c):
		return "is disabled (components." + string(c) + ".disabled): enable it with users enable", true
	case !exists:
		return "does not exist: create it with apply", true
	case !g.stored:
		return "the password is not in " + q.Credentials.Path() + ": if somebody has it, import it with credentials import; otherwise set a new one with rotate --in-place", true
	case q.open(s, c) && q.begins(s, c, g) == 0:
		return "its rotation in place is unfinished: finish it with rotate --in-place", true
	case q.begins(s, c, g) > 0: // it comes to its end, whatever is asked for
		return "", false
	}
	if q.picked != nil {
		if why := q.picked(s, u); why != "" {
			return why, false
		}
	}
	switch {
	case len(g.unfinished()) > 0:
		return awaitsFinish, true
	case len(g.begun()) > 0:
		return q.notInUse(s, c, g, ""), true
	}
	if err := q.Spec.Account(c).Of(q.next(s, c, g)).CheckName(); err != nil {
		return "cannot be replaced: " + err.Error(), true
	}
	return "", false
}

func (q *asked) hindersReverting(s *snapshot, c component.Name, g generations) (why string, wrong bool) {
	before := g.unfinished()
	switch {
	case len(before) == 0 && (len(g.begun()) > 0 || q.begins(s, c, g) > 0):
		return q.notInUse(s, c, g, ""), false
	case len(before) == 0:
		return "no rotation to undo", false
	case q.Spec.Disabled(c):
		return "is disabled (components." + string(c) + ".disabled): enable it with users enable", true
	case q.journaledOf(s, q.ownAccount(c, before[len(before)-1])).Empty():
		return "the password of the previous account is not in " + q.Journal.Path() + ", so you cannot go back", true
	}
	return "", false
}

// notInUse says of an account's next generation how to remove it, and how to go on with it. Where another machine has its password,
// it may be in use by a later copy of the credentials file. A dump of the cluster's secrets tells, so that nobody is told to assert
// that none of them holds it.
func (q *asked) notInUse(s *snapshot, c component.Name, g generations, goOn string) string {
	const remove = "remove it with rotate undo --secrets DUMP, which refuses while the cluster holds it"
	if q.begins(s, c, g) == 0 {
		return q.ownAccount(c, g.begun()[0]).principal(s) + " also exists, but its password is not on this machine: use the latest credentials file; if nobody has its password, " + remove
	}
	if goOn != "" {
		goOn += ", or "
	}
	return "its next account is not in use: " + goOn + remove
}

// hindersRemoving keeps the other generations of an account as long as the one in use is not beyond doubt.
func (q *asked) hindersRemoving(s *snapshot, c component.Name, g generations) (why string, wrong bool) {
	u, exists := q.ours(s, q.ownAccount(c, g.current))
	switch {
	case !exists:
		return "is the account to keep, but does not exist: create it with apply", true
	case !g.stored:
		return "seems to be the account to keep, but its password is not in " + q.Credentials.Path() + ": check that this is the right file", true
	case u.Disabled && !q.Spec.Disabled(c):
		return "is the account to keep, but is disabled: enable it with users enable", true
	}
	return "", false
}

// open tells whether an account's rotation is in the journal: a password that the credentials file does not have.
func (q *asked) open(s *snapshot, c component.Name) bool {
	return slices.ContainsFunc(s.sections, func(server string) bool {
		_, open := q.pending(server, c)
		return open
	})
}

// leftover tells whether the journal has nothing for a component that the credentials file does not have: a run ended right after
// that was saved.
func (q *asked) leftover(server string, c component.Name) bool {
	had := q.journaled(server, c)
	now, ok := q.Credentials.Get(server, c)
	return ok && had.User != "" && strings.EqualFold(had.User, now.User) && had.Password.Equal(now.Password)
}
