package provision

import (
	"context"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// mostMachines bounds how many objects below the folders of a vCenter are read.
const mostMachines = 2000

// askNeeding begins to ask what still needs the accounts that a run removes: at most two requests at the same time. What
// cannot be told stops nothing: it is said instead. The caller waits.
func (j *Job) askNeeding(ctx context.Context, t *target) (wait func()) {
	var group crash.Group
	if below, refs := t.MachineFolders(); len(refs) > 0 {
		group.Go(func() { t.Needing.Below = t.countMachines(ctx, below, refs) })
	}
	if left, refs := t.LeftFolders(); len(refs) > 0 {
		group.Go(func() { t.Needing.Left = t.countMachines(ctx, left, refs) })
	}
	if q := t.Request; q.Undoing && q.Op == accounts.Keep && q.Does(plan.User) { // not for a plan that is approved: logins come and go
		group.Go(func() {
			if all, known, err := t.session.Sessions(ctx); err == nil && known {
				for _, u := range all {
					t.Needing.Sessions = append(t.Needing.Sessions, u.User)
				}
			}
		})
	}
	return group.Wait
}

// countMachines asks which machines are below the folders, whose references refs begins with; those below the others of refs do not count.
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
