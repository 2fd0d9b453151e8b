package provision

import (
	"context"
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// RotationStatus reads the accounts of ours in all generations, and their sessions. holders returns
// the secrets of the cluster that have an account; nil = unknown.
func (j *Job) RotationStatus(ctx context.Context, holders func(server, user string) []component.Ref) *inspect.RotationStatus {
	l := &inspect.RotationStatus{Report: inspect.NewReport("RotationStatus"), VCenters: make([]inspect.RotatedVCenter, len(j.targets))}
	for i := range l.VCenters {
		l.VCenters[i].Accounts = []inspect.RotatedAccount{}
	}
	j.inspect(ctx, j.Request.Aging(), func(i int) *inspect.Result { return &l.VCenters[i].Result },
		func(ctx context.Context, t *target, i int) error {
			v := &l.VCenters[i]
			if err := j.connect(ctx, t); err != nil {
				return err
			}
			var sessions []vcenter.UserSession
			var known bool
			var wg crash.Group
			var sessionsErr error
			wg.Go(func() { sessions, known, sessionsErr = t.session.Sessions(ctx) })
			err := j.readDomain(ctx, t)
			wg.Wait()
			if err := errors.Join(err, sessionsErr); err != nil {
				return err
			}
			v.Domain, v.Accounts = t.at.SSO.Domain, j.rotatedWith(t.at, sessions, known, holders, v.Note)
			return nil
		})
	e := j.snapshots(j.Request)
	l.Incomplete = e.Unseen()
	l.Findings = append(e.OlderFile(), decision.SeparateHeld(e.Findings(), holders)...)
	return l
}

// rotatedWith returns our accounts on a vCenter with their sessions and the secrets that hold them.
func (j *Job) rotatedWith(s *snapshot.Snapshot, sessions []vcenter.UserSession, known bool,
	holders func(server, user string) []component.Ref, note func(string),
) []inspect.RotatedAccount {
	if !known {
		note(inspect.NoSessions)
	}
	all := j.rotated(s)
	for n := range all {
		a := &all[n]
		if known {
			seen(a, s, sessions)
		}
		if holders != nil {
			a.Secrets = []string{}
			for _, ref := range holders(s.VCenter.Server, a.Principal) {
				a.Secrets = append(a.Secrets, ref.String())
			}
		}
	}
	return all
}

// Gone finds accounts of ours that secrets of the cluster hold and that do not exist. Call it after
// [Job.RotationStatus]. held returns the secrets that hold a user on a vCenter.
func (j *Job) Gone(held func(server string, meant func(user string) bool) []cluster.Holding) []*finding.Finding {
	return j.snapshots(j.Request).Gone(held)
}

func (j *Job) rotated(s *snapshot.Snapshot) []inspect.RotatedAccount {
	all := []inspect.RotatedAccount{}
	for _, c := range j.Request.Spec.ComponentNames() {
		own := slices.DeleteFunc(s.OwnAccounts(), func(a snapshot.OwnAccount) bool { return a.Component != c })
		slices.SortFunc(own, func(a, b snapshot.OwnAccount) int { return a.Generation - b.Generation })
		for _, a := range own {
			all = append(all, j.rotatedAccount(s, a))
		}
	}
	for _, a := range s.DroppedWhileRotating() {
		out := j.rotatedAccount(s, a)
		out.Stage = inspect.StageDropped
		all = append(all, out)
	}
	return all
}

func (j *Job) rotatedAccount(s *snapshot.Snapshot, a snapshot.OwnAccount) inspect.RotatedAccount {
	out := inspect.RotatedAccount{
		Component: string(a.Component), Principal: a.Principal(s),
		Generation: a.Generation, Stage: inspect.StageInUse,
	}
	switch s.Domain.Accounts[a.Component].Phase(a.Generation) {
	case accounts.Former:
		out.Stage = inspect.StageReplaced
	case accounts.Next, accounts.Elsewhere:
		out.Stage = inspect.StageNext
	case accounts.Absent, accounts.Announced:
		out.Stage = inspect.StageMissing
	case accounts.Current:
	}
	out.PasswordKnown = slices.ContainsFunc(s.Domain.Sections,
		func(server string) bool { return j.Request.Files().Section(server, a.Component).Has(out.Principal) })
	if s.Unseen() {
		out.Stage, out.States = inspect.StageUnknown, []string{inspect.StageUnknown}
		return out
	}
	var listed inspect.User
	listed.Compared(s.Compared(a.Name, a.Component), j.Request.Now)
	out.States, out.PasswordSet, out.AgeDays, out.DaysLeft = listed.States, listed.PasswordSet,
		listed.PasswordAgeDays, listed.DaysLeft
	return out
}

// seen counts the account's sessions, except those of this run.
func seen(a *inspect.RotatedAccount, s *snapshot.Snapshot, sessions []vcenter.UserSession) {
	a.Sessions = new(int)
	for _, session := range sessions {
		if session.Ours || s.SSO.Same(session.User) != s.SSO.Same(a.Principal) {
			continue
		}
		*a.Sessions++
		if last := session.LastActive.UTC(); a.LastUse == nil || last.After(*a.LastUse) {
			a.LastUse = &last
		}
	}
}
