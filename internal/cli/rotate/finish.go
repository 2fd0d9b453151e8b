package rotate

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
)

// Graces are how long accounts stay disabled before removal, so that forgotten users show. The
// longest is ours: vCenter documents no longest life of a session.
const defaultGrace, longestGrace = time.Minute, 30 * 24 * time.Hour

// RemovalOptions are the flags of `rotate finish` and `rotate undo`, which remove generations of
// accounts: they prove that the cluster works with the others.
type RemovalOptions struct {
	job.Options
	Grace time.Duration // --grace
	Many  many.WaveFlags
}

func (r *RemovalOptions) command(cmd *cobra.Command, runF func(*RemovalOptions) error,
	run func(context.Context, *RemovalOptions) error,
) *cobra.Command {
	cmd.Args, cmd.RunE = command.NoWords, command.Action(r, runF, each(cmd.Name(), run), r.check, r.Many.Check("grace"))
	r.Connection.Source.Several = true
	cmd.Long += "\n\n" + many.WavesHelp + " As proof, --secrets DIR has a dump of each cluster (NAME.yaml), or each is read by its kubeconfig."
	r.RegisterChange(cmd)
	r.RegisterCluster(cmd)
	r.Grace = defaultGrace
	flags := cmd.Flags()
	r.Used.Register(cmd, ": proves that the new ones are applied",
		"confirm that the new secrets are applied (help proof)")
	flags.DurationVar(&r.Grace, "grace", r.Grace,
		"time that accounts stay disabled before they are removed, at most 720h")
	r.Many.Register(cmd, &r.Options)
	return cmd
}

// each does it for every cluster that is given.
func each(name string, run func(context.Context, *RemovalOptions) error) func(context.Context, *RemovalOptions) error {
	return func(ctx context.Context, r *RemovalOptions) error {
		if !r.Many.Given() {
			return run(ctx, r)
		}
		asked := []any{r.Grace, r.Connection.Source.Components}
		return r.Many.Run(ctx, many.Change{
			Verb: "rotate " + name, Asked: asked, Covers: asked, Proves: true, Verify: verify.Made,
			Do: func(ctx context.Context, of *job.Options) error {
				return run(ctx, &RemovalOptions{Options: *of, Grace: r.Grace})
			},
		})
	}
}

func (r *RemovalOptions) check(*cobra.Command, []string) error {
	if r.Grace < 0 || r.Grace > longestGrace {
		return command.BadFlag("grace", "%s: must be at least 0s and at most 720h (30 days)", r.Grace)
	}
	return nil
}

func newCmdFinish(f *command.Factory, runF func(*RemovalOptions) error) *cobra.Command {
	o := &RemovalOptions{Options: job.Options{Factory: f}}
	return o.command(&cobra.Command{
		Use:   "finish",
		Short: "Remove the accounts that a rotation replaced",
		Long: command.Text(`
			Disables the accounts that 'rotate' replaced, ends their open sessions, waits (--grace), and removes them with
			their permissions and the roles that nobody else uses. If interrupted while waiting, 'rotate undo' goes back.

			The cluster must have the new secrets first: --secrets FILE proves it, --applied asserts it. Commands that
			restart components which must be restarted are printed.`),
		Example: command.Examples(`
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin rotate finish -f provisioning.yaml --secrets -
			ocp-vsphere-admin rotate finish -f provisioning.yaml --components csi-driver --applied --grace 10m`),
	}, runF, func(ctx context.Context, o *RemovalOptions) error {
		return o.remove(ctx, "rotate finish", (*provision.Job).PlanFinish)
	})
}

// own are the flags that name the same removal again.
func (r *RemovalOptions) own() []string {
	if r.Grace == defaultGrace {
		return nil
	}
	return []string{"--grace", r.Grace.String()}
}

// remove removes unused generations of accounts, as the command called name.
func (r *RemovalOptions) remove(ctx context.Context, name string, planned func(*provision.Job, context.Context, bool) *plan.Plan) error {
	w, err := r.Begin(ctx, job.Params{Writes: !r.DryRun})
	if err != nil {
		return err
	}
	accounts := "disable these accounts now, and remove them after " + r.Grace.String() + "?"
	if r.Grace == 0 {
		accounts = "remove these accounts?"
	}
	return w.Change(ctx, job.Change{
		Command: name, Own: r.own(), Subject: "removing these accounts", Question: accounts, FailsOnFindings: true,
		Plan: func(ctx context.Context) *plan.Plan {
			return planned(w.Job, ctx, len(w.Connection.Source.Components) > 0)
		},
		Do:       func(ctx context.Context, p *plan.Plan) error { return w.Job.Finish(ctx, p, r.Grace) },
		Replaced: w.Job.Replacements, Revokes: true, Grace: r.Grace,
		Next: afterChange(w, func(*plan.Plan) { w.Next(w.CommandLine("verify", w.Invocation)) }),
	})
}
