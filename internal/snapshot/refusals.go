package snapshot

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// Refusal is the sentence that says why a run leaves an account as it is.
func (q *Request) Refusal(r accounts.Refusal) string {
	switch c := string(r.Component); r.Code {
	case accounts.Adopted:
		return "belongs to somebody else (components." + c + ".principal): ask the owner of it for a new password"
	case accounts.Foreign:
		return "somebody else has its name"
	case accounts.Disputed:
		return "the credentials file has different accounts for it in the sections of its SSO domain"
	case accounts.IsDisabled:
		return "is disabled (components." + c + ".disabled)"
	case accounts.DisabledByHand:
		return "is disabled"
	case accounts.NextDisabled:
		return "its next account is disabled"
	case accounts.Missing:
		return "does not exist"
	case accounts.AbsentElsewhere:
		return r.Server + " has no account of " + c
	case accounts.NotStored:
		return "the password is not in " + q.Credentials.Path()
	case accounts.ResetUnfinished:
		return "its rotation in place is unfinished"
	case accounts.Unfinished:
		return "a rotation of " + c +
			" is unfinished: finish it where the credentials file is: only that says which account is in use"
	case accounts.NotDue:
		if r.Text == "" {
			return "not due"
		}
		return "not due (" + r.Text + ")"
	case accounts.AwaitsFinish:
		return "the last rotation is unfinished: first finish it, or undo it"
	case accounts.NextUnused, accounts.NextUnusedYet:
		return "its next account is not in use"
	case accounts.NextCurrent:
		return "its next account is in use: first go back, without --applied or --secrets"
	case accounts.NothingToUndo:
		return "no rotation to undo"
	case accounts.NothingToFinish:
		return "no rotation to finish"
	case accounts.BadName:
		return "cannot be replaced: " + r.Text
	case accounts.NoWayBack:
		return "the password of the previous account is not in " + q.Journal.Path() + ", so you cannot go back"
	case accounts.KeptMissing:
		return "is the account to keep, but does not exist"
	case accounts.KeptNotStored:
		return "seems to be the account to keep, but its password is not in " +
			q.Credentials.Path() + ": check that this is the right file"
	case accounts.KeptDisabled:
		return "is the account to keep, but is disabled"
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

// Ways are the commands to continue after a refusal of components' accounts; nil = none. Those that
// rotate do so on these vCenters alone; nil = all of the run.
func (q *Request) Ways(code accounts.Code, on []string, of ...component.Name) []string {
	names := []string{"--components", strings.Join(component.Words(of), ",")}
	line := func(name string, own ...string) string {
		own = append(own, names...)
		if on != nil && strings.HasPrefix(name, "rotate") {
			own = append(own, "--vcenters", strings.Join(on, ","))
		}
		return q.Command(name, own...)
	}
	run := func(says, name string, own ...string) string { return says + ": " + line(name, own...) }
	// A dump proves whether the cluster holds the account, so that no assertion is needed.
	proved := func(says, name string) string {
		return says + ": " + openshift.From(q.Spec.Profile) + line(name, "--secrets", "-")
	}
	remove := proved("to remove it, unless the cluster holds it", "rotate undo")
	switch code {
	case accounts.Adopted:
		return []string{"then: " + q.Command("credentials import", "--replace", "FILE")}
	case accounts.Disputed:
		return []string{"to see which one works where: " + q.Command("verify")}
	case accounts.IsDisabled, accounts.DisabledByHand, accounts.KeptDisabled:
		return []string{run("to enable it", "users enable")}
	case accounts.NextDisabled:
		return []string{run("to enable it", "users enable"), remove}
	case accounts.Missing, accounts.AbsentElsewhere, accounts.KeptMissing:
		return []string{run("to create it", "apply")}
	case accounts.NotStored:
		return []string{
			"if a cluster works with it: " + openshift.From(q.Spec.Profile) + q.Command("credentials import", "--secrets", "-"),
			run("if nobody has it, with an outage until the new secrets are applied", "rotate", "--in-place"),
		}
	case accounts.ResetUnfinished:
		return []string{run("to finish it", "rotate", "--in-place")}
	case accounts.AwaitsFinish:
		return []string{proved("to finish it", "rotate finish"), run("to go back", "rotate undo")}
	case accounts.NextUnused:
		return []string{remove}
	case accounts.NextUnusedYet:
		return []string{run("to continue", "rotate"), remove}
	case accounts.NextCurrent:
		return []string{run("to go back", "rotate undo")}
	default:
		return nil
	}
}

// Due reports whether limits select a component's account. limited: limits apply to it.
func (s *Snapshot) Due(c component.Name) (due, limited bool) {
	l := s.Domain.Accounts[c]
	if limited = s.Request.Limits.Chosen() && l.Exists(); limited && !s.Request.Spec.Disabled(c) {
		due, _ = s.Request.Limits.Due(l.User, s.SSO.Policy.LifetimeDays, s.Request.Now)
	}
	return due, limited
}
