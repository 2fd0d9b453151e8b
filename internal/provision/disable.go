package provision

import (
	"cmp"
	"context"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// PlanDisabled plans which accounts of the specification's components are disabled or enabled,
// whatever the specification says. An account that this tool did not create is an error.
func (j *Job) PlanDisabled(ctx context.Context, disabled bool) *plan.Plan {
	j.each(ctx, j.Request, func(ctx context.Context, t *target) error {
		if err := j.readDomain(ctx, t); err != nil || !disabled {
			return err
		}
		j.askMachines(ctx, t)
		return nil
	})
	e := j.snapshots(j.Request)
	j.readDomains(ctx, e, disabled)
	return j.propose(ctx, e.Decide(func(dec *decision.Decision, p *decision.VCenterPlan) ([]*plan.Change, error) {
		return dec.SetDisabled(p, disabled)
	}))
}

// SetDisabled makes the changes of PlanDisabled; the plan becomes the report.
func (j *Job) SetDisabled(ctx context.Context, p *plan.Plan) {
	j.executeAndClose(ctx, p)
}

// askMachines asks which machines are below the failure domains' folders if the request removes the
// account that removes machines. A failure domain without a folder counts with its datacenter.
func (j *Job) askMachines(ctx context.Context, t *target) {
	if !slices.ContainsFunc(j.Request.MachineKeepers(),
		func(k snapshot.Keeper) bool { return slices.Contains(j.Request.Spec.ComponentNames(), k.Component) }) {
		return
	}
	var below []snapshot.MachinesBelow
	var paths []string
	for _, fd := range t.at.VCenter.FailureDomains {
		m := snapshot.MachinesBelow{Folder: cmp.Or(fd.Folder, snapshot.OwnVMFolder(fd)), Whole: fd.Folder == ""}
		if !slices.Contains(paths, m.Folder) {
			below, paths = append(below, m), append(paths, m.Folder)
		}
	}
	tree, err := t.session.Find(ctx, paths)
	if err != nil {
		for i := range below {
			below[i].Why = err.Error()
		}
		t.at.Needing.Below = below
		return
	}
	below = slices.DeleteFunc(below, func(m snapshot.MachinesBelow) bool { return tree.At(m.Folder) == nil })
	var refs []inventory.Ref
	for _, m := range below {
		refs = append(refs, tree.At(m.Folder).Ref)
	}
	if len(refs) > 0 {
		t.at.Needing.Below = t.countMachines(ctx, below, refs)
	}
}

const mostMachines = 2000

// askNeeding asks, in at most two parallel requests, what still needs the accounts that a run
// removes. Failures become findings and stop nothing. The caller waits.
func (j *Job) askNeeding(ctx context.Context, t *target) (wait func()) {
	var group crash.Group
	if below, refs := t.at.MachineFolders(); len(refs) > 0 {
		group.Go(func() { t.at.Needing.Below = t.countMachines(ctx, below, refs) })
	}
	if below, refs := t.at.LeftFolders(); len(refs) > 0 {
		group.Go(func() { t.at.Needing.Left = t.countMachines(ctx, below, refs) })
	}
	// not for a plan to be approved, because sessions change
	if q := t.at.Request; q.Undoing && q.Op == accounts.Keep && q.Does(plan.User) {
		group.Go(func() {
			if all, known, err := t.session.Sessions(ctx); err == nil && known {
				for _, u := range all {
					t.at.Needing.Sessions = append(t.at.Needing.Sessions, u.User)
				}
			}
		})
	}
	return group.Wait
}

// countMachines counts machines below the folders at the start of refs, except below other refs.
func (t *target) countMachines(ctx context.Context, below []snapshot.MachinesBelow, refs []inventory.Ref) []snapshot.MachinesBelow {
	names, more, err := t.session.Machines(ctx, refs, mostMachines)
	for i := range below {
		below[i].Names, below[i].More = names[refs[i]], more
		if err != nil {
			below[i].Why = err.Error()
		}
	}
	return below
}
