package rotate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
)

func newCmdUndo(f *command.Factory, runF func(*RemovalOptions) error) *cobra.Command {
	o := &RemovalOptions{Options: job.Options{Factory: f}}
	return o.command(&cobra.Command{
		Use:   "undo",
		Short: "Go back to the accounts that a rotation replaced",
		Long: command.Text(`
			Puts the accounts that 'rotate' replaced back into use while they still exist: enables them, proves that each can
			do its work, and writes them into the credentials file. The new accounts keep working, because the cluster may
			already use them. Apply the secrets, then remove the new accounts with a second run: --secrets FILE proves that no
			secret holds them any more, --applied asserts it. That run works like 'rotate finish'. It also removes accounts
			that a rotation created but did not put into use.

			After an interrupted 'rotate --in-place', an account keeps the password of the credentials file if that still
			opens it; the others are finished by 'rotate --in-place'.`),
		Example: command.Examples(`
			ocp-vsphere-admin rotate undo -f provisioning.yaml
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin rotate undo -f provisioning.yaml --secrets -
			ocp-vsphere-admin rotate undo -f provisioning.yaml --components csi-driver --dry-run`),
	}, runF, undoRun)
}

func undoRun(ctx context.Context, o *RemovalOptions) error {
	if o.Used.Applied || o.Used.Given() {
		return o.remove(ctx, "rotate undo", func(j *provision.Job, ctx context.Context, named bool) *plan.Plan {
			return j.PlanWithdrawal(ctx, named, o.Used.Given())
		})
	}
	w, err := o.Begin(ctx, job.Params{Writes: !o.DryRun})
	if err != nil {
		return err
	}
	return w.Change(ctx, job.Change{
		Command: "rotate undo", Subject: "undoing the rotation", Question: "go back to the previous accounts now?", FailsOnFindings: true,
		Plan: func(ctx context.Context) *plan.Plan {
			return w.Job.PlanRevert(ctx, len(o.Connection.Source.Components) > 0)
		},
		Do: w.Job.Revert,
		Next: afterChange(w, func(p *plan.Plan) {
			w.Infof("%s has the previous accounts again; the new ones stay as they are until they are removed", w.Credentials)
			w.PrintDeliveries(p, w.Invocation)
			w.Command("then:", openshift.From(w.Wanted.Profile)+w.Following("rotate undo", append(o.own(), "--secrets", "-")...))
		}),
	})
}
