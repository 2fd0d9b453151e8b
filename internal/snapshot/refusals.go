package snapshot

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Refusal is the sentence about an account, its subject, that a run leaves as it is.
func (q *Request) Refusal(r accounts.Refusal) string {
	// A dump of the cluster's secrets shows whether the cluster holds the account, so that nobody is asked to assert that it does not.
	const remove = "remove it with rotate undo --secrets DUMP, which refuses while the cluster holds it"
	switch c := string(r.Component); r.Code {
	case accounts.Adopted:
		return "belongs to somebody else (components." + c + ".principal): ask the owner of it for a new password, then run credentials import"
	case accounts.Foreign:
		return "somebody else has its name"
	case accounts.Disputed:
		return "the credentials file has different accounts for it in the sections of its SSO domain: run verify to see which one works where"
	case accounts.IsDisabled:
		return "is disabled (components." + c + ".disabled): enable it with users enable"
	case accounts.DisabledByHand:
		return "is disabled: enable it with users enable"
	case accounts.NextDisabled:
		return "its next account is disabled: enable it with users enable, or remove it with rotate undo"
	case accounts.Missing:
		return "does not exist: create it with apply"
	case accounts.AbsentElsewhere:
		return r.Server + " has no account of " + c + ": create it with apply first"
	case accounts.NotStored:
		return "the password is not in " + q.Credentials.Path() + ": plan says where it may be; if nobody has it, rotate --in-place sets a new one, with an outage"
	case accounts.ResetUnfinished:
		return "its rotation in place is unfinished: finish it with rotate --in-place"
	case accounts.Unfinished:
		return "a rotation of " + c + " is unfinished: finish it where the credentials file is: only that says which account is in use"
	case accounts.NotDue:
		if r.Text == "" {
			return "not due"
		}
		return "not due (" + r.Text + ")"
	case accounts.AwaitsFinish:
		return "the last rotation is unfinished: first run rotate finish or rotate undo"
	case accounts.NextUnused:
		return "its next account is not in use: " + remove
	case accounts.NextUnusedYet:
		return "its next account is not in use: continue with rotate, or " + remove
	case accounts.NextCurrent:
		return "its next account is in use: first go back with rotate undo, without --applied and --secrets"
	case accounts.NothingToUndo:
		return "no rotation to undo"
	case accounts.NothingToFinish:
		return "no rotation to finish"
	case accounts.BadName:
		return "cannot be replaced: " + r.Text
	case accounts.NoWayBack:
		return "the password of the previous account is not in " + q.Journal.Path() + ", so you cannot go back"
	case accounts.KeptMissing:
		return "is the account to keep, but does not exist: create it with apply"
	case accounts.KeptNotStored:
		return "seems to be the account to keep, but its password is not in " + q.Credentials.Path() + ": check that this is the right file"
	case accounts.KeptDisabled:
		return "is the account to keep, but is disabled: enable it with users enable"
	case accounts.Unplanned:
		return r.Server + ", in the same SSO domain, could not be planned"
	case accounts.LeftOut:
		return r.Server + ", in the same SSO domain, uses the account too, and is not part of this run"
	case accounts.Unread:
		return r.Server + ", in the same SSO domain, may use the account too, and was not read (" + r.Text + ")"
	case accounts.CannotBeRemoved:
	}
	return r.Text
}

// Due reports whether limits choose the account that a component works with. limited: there are limits, and an account that they can be
// held against.
func (s *Snapshot) Due(c component.Name) (due, limited bool) {
	l := s.Accounts[c]
	if limited = s.Request.Limits.Chosen() && l.Exists(); limited && !s.Request.Spec.Disabled(c) {
		due, _ = s.Request.Limits.Due(l.User, s.SSO.Policy.LifetimeDays, s.Request.Now)
	}
	return due, limited
}
