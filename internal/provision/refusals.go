package provision

import (
	"cmp"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// refusal is the sentence about an account, its subject, that a run leaves as it is.
func (q *Request) refusal(r accounts.Refusal) string {
	// A dump of the cluster's secrets tells whether the cluster holds the account, so that nobody is told to assert that it does not.
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

// refused says of an account why the run leaves it as it is. One that was asked for, by name, with all others or by limits, is an error in
// the end, and does not keep the others from their turn. An account that awaits its finish was asked for like any other, unless this run
// completes the one that replaced it.
func (dec *decision) refused(s *snapshot, why *accounts.Refusal, wrong bool) (note *plan.Change) {
	c := why.Component
	principal := s.principal(c)
	due, limited := s.due(c)
	meant := dec.named && !limited || !dec.named && !dec.limits.Chosen() && dec.owns(c) && !dec.Spec.Disabled(c)
	if wrong && (due || meant && !(why.Code == accounts.AwaitsFinish && dec.completes(c))) {
		dec.block(finding.Account{Server: s.spec.Server, Component: c, Principal: principal}, dec.refusal(*why))
		return nil
	}
	note = &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: dec.refusal(*why)}
	if why.Code == accounts.IsDisabled {
		note.Note = "omitted: " + note.Note
	}
	return note
}

// completes reports whether the run is one that was cut off and is made again, in which it replaced the account of a component: the journal
// has accounts that it announced and did not hand over, or the component's turn did not come on another vCenter.
func (e *snapshots) completes(c component.Name) bool {
	return slices.ContainsFunc(e.all, func(s *snapshot) bool {
		return s.err == nil && slices.ContainsFunc(s.ownAccounts(), func(a ownAccount) bool {
			return s.touches(a) && (a.component == c || s.accounts[a.component].Begun > 0)
		})
	})
}

// due reports whether limits choose the account that a component works with. limited: there are limits, and an account that they can be
// held against.
func (s *snapshot) due(c component.Name) (due, limited bool) {
	l := s.accounts[c]
	if limited = s.request.limits.Chosen() && l.Exists(); limited && !s.request.Spec.Disabled(c) {
		due, _ = s.request.limits.Due(l.User, s.sso.Policy.LifetimeDays, s.request.Now)
	}
	return due, limited
}

// blockage is accounts that were asked for and stay as they are, all for the same reason.
type blockage struct {
	why      string
	accounts []finding.Account
}

// block notes an account that was asked for and stays as it is, with the others of which the same is true.
func (dec *decision) block(a finding.Account, why string) {
	for i := range dec.blocked {
		if b := &dec.blocked[i]; b.why == why {
			b.accounts = append(b.accounts, a)
			return
		}
	}
	dec.blocked = append(dec.blocked, blockage{why, []finding.Account{a}})
}

// blockages are findings about the accounts that were asked for and stay as they are.
func (dec *decision) blockages() []*finding.Finding {
	var all []*finding.Finding
	for _, b := range dec.blocked {
		f := finding.New(finding.BlockedRotation, "", "")
		f.Accounts = b.accounts
		rotation := many(f, "have its rotation ", "have their rotations ")
		what := map[accounts.Op]string{accounts.Finish: rotation + "finished", accounts.Revert: rotation + "undone", accounts.Withdraw: rotation + "undone"}
		subject := many(f, "an account", "%d accounts")
		if dec.limits.Chosen() {
			subject += many(f, " that is due", " that are due")
		}
		f.Text = subject + " cannot " + cmp.Or(what[dec.op], "be rotated") + ": " + folded(f.Accounts) + ": " + b.why
		all = append(all, f)
	}
	return all
}
