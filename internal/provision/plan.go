package provision

import (
	"context"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/workorder"
)

// Plan reads every vCenter and says what has to change. What is wrong with a vCenter is in its part of the plan and
// does not keep the others from being planned.
func (j *Job) Plan(ctx context.Context) *plan.Plan {
	e := j.read(ctx, j.Request)
	p := j.propose(ctx, e.Decide((*decision.Decision).Change))
	p.Incomplete = e.Unseen()
	p.Findings = slices.Concat(e.Findings(), e.UnseenGlobal(func(int) bool { return false }), j.decided.Unable(), e.Left(), p.Findings)
	return p
}

// Consumers is what the components will say of their accounts with what the matrix grants. The error joins why vCenters were not read.
func (j *Job) Consumers(ctx context.Context) ([]decision.Consumer, error) {
	return j.read(ctx, j.Request).Consumers()
}

// WorkOrder is what a plan of this job comes to when other teams do it.
func (j *Job) WorkOrder(p *plan.Plan, again workorder.Again) *workorder.Order {
	return j.decided.WorkOrder(p, again)
}

// propose keeps a decision to be carried out, says what its changes do, and shows it. What is missing is named with what is
// near: only runs that fail pay for looking.
func (j *Job) propose(ctx context.Context, dec *decision.Decision) *plan.Plan {
	j.decided = &execution{Decision: dec, work: plan.Steps{}}
	var group crash.Group
	group.Limit(j.o.Parallel)
	for i, p := range dec.Plans {
		t := j.targets[i]
		if p.Err == nil {
			t.attach(j.decided, p)
		} else if t.session != nil {
			group.Go(func() { p.Err = t.nearby(ctx, p.Err) })
		}
	}
	group.Wait()
	return dec.Show()
}

// attach says what the changes of a vCenter do.
func (t *target) attach(dec *execution, p *decision.VCenterPlan) {
	t.directory.Attach(dec.work, p.Changes, p.DomainPlan.Passwords)
	if t.Roles == nil { // a rotation reads accounts alone
		return
	}
	if p.Wanted != nil {
		for _, f := range p.Wanted.Folders { // what needs one is done afterwards
			dec.work.Do(f.Change, func(ctx context.Context) (err error) {
				f.Object.Ref, err = createFolder(ctx, t.session, f.Object.Parent.Ref, f.Object.Name)
				return err
			})
		}
		tags.Attach(dec.work, t.session, t.Tags, p.Wanted.Tags)
	}
	w := roles.NewWriter(t.session, t.Roles)
	w.Attach(dec.work, p.Changes)
	perms.NewWriter(t.session, w, t.KeyOf).Attach(dec.work, p.Steps)
}
