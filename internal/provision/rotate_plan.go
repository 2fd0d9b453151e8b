package provision

import (
	"context"
	"errors"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// PlanRotation says which accounts get a new password, in their place: all of ours of the specification's components. Where
// named is set, somebody asked for just these, and one that cannot be rotated is an error instead of a note. Limits choose among
// them. Unfinished rotations of the journal come to their end with the journal's password.
func (j *Job) PlanRotation(ctx context.Context, named bool, limits sso.Limits) *plan.Plan {
	q := j.Limited(limits).Doing(accounts.Keep, named)
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
	p.Findings = append(j.decided.Blockages(), p.Findings...)
	for _, planned := range j.decided.Decision.Rotations {
		r := &rotation{Rotation: planned}
		j.decided.rotations = append(j.decided.rotations, r)
		t := j.target(r.At.VCenter.Server)
		j.decided.work.Do(r.Change, func(ctx context.Context) error { return t.rotate(ctx, j.decided, r) })
	}
	return p
}

// readDomain logs the administrator in and reads the accounts of ours, and nothing else.
func (j *Job) readDomain(ctx context.Context, t *target) error {
	if err := j.connect(ctx, t); err != nil {
		return err
	}
	j.progress(t.VCenter.Server, "reading")
	q, names := t.Request, []string{}
	if q.Spec.Cluster != "" {
		names = lists.AppendNew(q.KnownNames(t.VCenter.Server), t.UserNames()...)
	}
	var err error
	if t.directory, t.SSO, err = sso.Read(ctx, t.session, sso.Query{Names: names, Cluster: q.MarkedFor(), Lockout: true, Ages: q.Ages, AgesOf: q.PasswordDiffers(t.VCenter.Server)}); q.Looking && errors.Is(err, vcenter.ErrCannotSSO) {
		return j.unread(ctx, t, err)
	} else if err != nil {
		return err
	}
	t.SettleUsers()
	if err := t.trace(ctx); err != nil {
		return err
	}
	return j.identify(ctx, t)
}
