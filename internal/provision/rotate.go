package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// rotation is a new password and its progress.
type rotation struct {
	*decision.Rotation
	accepted bool   // the vCenter has the password
	refused  bool   // the reset's answer was lost, and a login was refused
	finished bool   // complete, so the journal can forget it
	untested string // why it was accepted without a login

	day      time.Time  // of the account's record; zero = not noted in this run
	unproved []unproved // other vCenters of the SSO domain
}

// Rotate makes the changes of PlanRotation; the plan becomes the report. The credentials file or
// its journal always has, on the disk, a password that opens each account, so a run can be
// repeated. An error means that a file was not written. The plan is told what was not tested.
func (j *Job) Rotate(ctx context.Context, p *plan.Plan) error {
	dec := j.decided
	if err := dec.decision.Request.Files().Announce(dec.resets(func(*rotation) bool { return true })...); err != nil {
		return hint.Wrap(err, "no password was changed")
	}
	j.execute(ctx, p, nil)
	err := dec.takeOver()
	j.proveElsewhere(ctx)
	p.Findings = append(p.Findings, dec.untested()...)
	return err
}

// Locks reports whether an SSO domain of a rotation in place locks accounts after failed logins.
func (j *Job) Locks() bool {
	return slices.ContainsFunc(j.targets,
		func(t *target) bool { return t.at.Err == nil && t.at.SSO != nil && t.at.SSO.Lockout.MaxFailed > 0 })
}

// Unset is what a rotation in place left without a new password.
type Unset struct {
	Servers    []string
	Components []component.Name // nil = all of the run, where a vCenter was not read
	Perhaps    bool             // the vCenter may be a linked one, which has them
}

// Unset groups the vCenters with the same rest, in the order of the plan. A vCenter that was not
// read lacks nothing that a linked one has set.
func (j *Job) Unset(p *plan.Plan) (all []Unset) {
	var linked []string
	perhaps := false
	left := map[string][]component.Name{}
	for _, r := range j.decided.rotations {
		if j.decided.work.Status(r.Change) == plan.Done {
			linked = append(linked, r.At.Domain.Sections...)
			perhaps = perhaps || len(r.At.Domain.Unread) > 0
		} else {
			left[r.At.VCenter.Server] = append(left[r.At.VCenter.Server], r.Component)
		}
	}
	for _, v := range p.VCenters {
		components := left[v.Server]
		if components == nil && (v.Error == "" || slices.Contains(linked, v.Server)) {
			continue
		}
		same := slices.IndexFunc(all, func(u Unset) bool { return slices.Equal(u.Components, components) })
		if same < 0 {
			same, all = len(all), append(all, Unset{nil, components, perhaps && components == nil})
		}
		all[same].Servers = append(all[same].Servers, v.Server)
	}
	return all
}

// takeOver moves the passwords into the credentials file and forgets finished ones in the journal.
// A sealed file has had them since they were announced, and loses those that no vCenter has.
func (e *execution) takeOver() error {
	if e.decision.Request.Credentials.Sealed() {
		return e.decision.Request.Files().Withdraw(e.resets(func(r *rotation) bool {
			return !r.accepted && (r.finished || r.refused || e.work.Status(r.Change) == plan.Skipped)
		})...)
	}
	if err := e.decision.Request.Files().Take(e.resets(func(r *rotation) bool { return r.accepted })...); err != nil {
		return hint.Wrap(err, "the new passwords are in "+e.decision.Request.Journal.Path()+"; to put them into use, run the same command again")
	}
	return e.decision.Request.Files().Forget(e.resets(func(r *rotation) bool {
		return r.finished || e.work.Status(r.Change) == plan.Skipped && !r.Resumed // it was never begun
	})...)
}

// resets returns the records of the rotations for which of is true.
func (e *execution) resets(of func(*rotation) bool) []accounts.Record {
	var all []accounts.Record
	for _, r := range e.rotations {
		if of(r) {
			all = append(all, r.Record)
		}
	}
	return all
}

// rotate sets one password and proves it by one login, even if the answer to the reset was lost. No
// password is tried twice.
func (t *target) rotate(ctx context.Context, dec *execution, r *rotation) error {
	name, mark := r.At.Account(r.Component).Name, sso.Mark(dec.decision.Request.Spec.Cluster, r.Component)
	write, perhaps, err := t.directory.Reset(ctx, name, mark, r.To.Password)
	if err != nil && !perhaps && !r.Resumed {
		r.finished = true // it was never in use
		return err
	}
	day := time.Now()
	if err != nil && r.Resumed { // an earlier run may have set it on an unknown day
		day = time.Time{}
	}
	note := sync.OnceValue(func() error {
		if write == nil {
			return nil
		}
		return write(ctx, day)
	})
	var both crash.Group
	if err == nil { // it is set, even if the proof fails
		both.Go(func() { _ = note() })
	}
	opened, proofErr := t.session.ProvePassword(ctx, r.To.User, r.To.Password)
	both.Wait()
	switch {
	case opened:
		return dec.finishReset(r, day, note())
	case proofErr != nil:
		return unfinished(errors.Join(err, fmt.Errorf("the new password could not be tested: %w", proofErr)))
	}
	barred, barredErr := t.directory.Barred(ctx, name)
	switch {
	case barredErr != nil:
		return unfinished(errors.Join(err, barredErr))
	case barred != "" && err == nil:
		r.untested = "the account is " + barred
		return dec.finishReset(r, day, note())
	case barred != "":
		return unfinished(fmt.Errorf("cannot determine whether the new password was set, because the account is %s: %w", barred, err))
	case err == nil:
		return unfinished(errors.New("the new password was set, but a login with it was refused"))
	case perhaps || errors.Is(err, vcenter.ErrCannotSSO) || errors.Is(err, sso.ErrNotOurs):
		r.refused = true
		return unfinished(err)
	}
	// The journal's password does not open the account and is refused, perhaps by a stricter policy.
	if r.To.Password, err = t.at.SSO.Policy.Generate(); err != nil {
		return err
	}
	if err := dec.decision.Request.Files().Announce(r.Record); err != nil {
		return err
	}
	r.Resumed = false
	return t.rotate(ctx, dec, r)
}

// finishReset accepts a password that the vCenter has had since a day, noted there or not.
func (e *execution) finishReset(r *rotation, day time.Time, err error) error {
	r.accepted = true
	if err != nil {
		return unfinished(fmt.Errorf("the new password is in %s, but its date could not be saved in the account's description: %w", e.decision.Request.Credentials.Path(), err))
	}
	r.finished, r.day = true, day
	return nil
}

func unfinished(err error) error {
	return hint.Wrap(err, "its rotation is unfinished: to finish it, rotate this account alone")
}

// forget removes accounts that are gone from the journal.
func (e *execution) forget(gone func(p *decision.VCenterPlan, principal string) bool) error {
	var forgotten []accounts.Record
	for _, p := range e.decision.Planned() {
		removed := e.gone(p.At)
		if e.decision.Request.Undoing {
			removed = append(removed, p.At.Announced()...)
		}
		for _, a := range removed {
			if principal := a.Principal(p.At); gone(p, principal) {
				forgotten = append(forgotten, accounts.Record{
					Component: a.Component, Servers: []string{p.At.VCenter.Server},
					To: credfile.Account{User: principal},
				})
			}
		}
	}
	return e.decision.Request.Files().Forget(forgotten...)
}

// PlanRotation plans new passwords in place for accounts of the specification's components. named:
// these components were requested, so one that cannot be rotated is an error. Limits select among
// them. Unfinished rotations continue with the journal's password.
func (j *Job) PlanRotation(ctx context.Context, named bool, limits sso.Limits) *plan.Plan {
	q := j.Request.Limited(limits).Doing(accounts.Keep, named)
	j.each(ctx, q, j.readDomain)
	e := j.snapshots(q)
	j.readDomains(ctx, e, true)
	p := j.propose(ctx, e.Decide(func(dec *decision.Decision, p *decision.VCenterPlan) ([]*plan.Change, error) {
		changes, err := dec.PlanRotations(p)
		if err == nil {
			dec.TellInPlace(p)
		}
		return changes, err
	}))
	p.Findings = append(j.decided.decision.Blockages(), p.Findings...)
	for _, planned := range j.decided.decision.Rotations {
		r := &rotation{Rotation: planned}
		j.decided.rotations = append(j.decided.rotations, r)
		t := j.target(r.At.VCenter.Server)
		j.decided.work.Do(r.Change, func(ctx context.Context) error { return t.rotate(ctx, j.decided, r) })
	}
	return p
}

// readDomain logs the administrator in and reads only the accounts of ours.
func (j *Job) readDomain(ctx context.Context, t *target) error {
	if err := j.connect(ctx, t); err != nil {
		return err
	}
	j.progress(t.at.VCenter.Server, "reading")
	q := t.at.Request
	var names, filed []string
	if q.Spec.Cluster != "" {
		names, filed = q.KnownNames(t.at.VCenter.Server)
		names = lists.AppendNew(names, t.at.UserNames()...)
	}
	var err error
	if t.directory, t.at.SSO, err = sso.Read(ctx, t.session, sso.Query{
		Names: names, Filed: filed,
		Cluster: q.MarkedFor(), Lockout: true, Ages: q.Ages, AgesOf: q.PasswordDiffers(t.at.VCenter.Server),
	}); q.Looking && errors.Is(err, vcenter.ErrCannotSSO) {
		return j.unread(ctx, t, err)
	} else if err != nil {
		return err
	}
	t.at.SettleUsers()
	if err := t.trace(ctx); err != nil {
		return err
	}
	return j.identify(ctx, t)
}
