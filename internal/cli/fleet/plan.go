package fleet

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// PlanOptions are the flags of `fleet plan`.
type PlanOptions struct {
	Options
	job      job.Options // for its steering
	ExitCode bool        // --exit-code
	Allow    command.Allowed
}

func newCmdPlan(f *command.Factory, runF func(*PlanOptions) error) *cobra.Command {
	o := &PlanOptions{Options: Options{Factory: f}}
	cmd := &cobra.Command{
		Use:   "plan SPEC...",
		Short: "Show for each cluster what apply would change",
		Long: command.Text(`
			Plans each cluster as 'plan' does and prints a line for each: how much apply would create, update and delete. SPEC
			is a provisioning file, or a directory of them. With -o json each cluster has its whole plan.

			Exit code 3 if some clusters could not be planned, 1 if none could; with --exit-code 2 if something differs.

			` + command.MetricsHelp),
		Example: command.Examples(`
			ocp-vsphere-admin fleet plan clusters/
			ocp-vsphere-admin fleet plan clusters/ --shard 0/4 -o json >shard-0.json`),
		RunE: command.Action(o, runF, func(ctx context.Context, o *PlanOptions) error {
			return o.watch(ctx, fleet.Plan, func() (*work, error) {
				return o.begin(ctx, fleet.Plan, []any{o.Allow, o.job.Steering}, o.job.Steering, o.one)
			}, o.ExitCode)
		}, o.take),
	}
	o.register(cmd)
	o.job.RegisterSteering(cmd)
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "exit with 2 if anything differs")
	o.Allow.Register(cmd, "accept accounts that cannot be read: "+verify.AllowUnseen, verify.AllowUnseen)
	return cmd
}

func (o *PlanOptions) one(ctx context.Context, w *job.Run, c *fleet.Cluster) (any, error) {
	p := w.Sealed(ctx)
	w.Finish()
	c.Found = wrong(p.Findings)
	for _, v := range p.VCenters {
		of := fleet.VCenter{Server: v.Server, Error: v.Error, Hidden: slices.Contains(p.Incomplete, v.Server)}
		if v.Error == "" {
			n := v.Count()
			of.Changes = &n
		}
		c.VCenters = append(c.VCenters, of)
	}
	switch {
	case len(p.Unread()) > 0:
		return p, job.Outcome(p)
	case p.Differs():
		return p, command.Exit(command.ExitDifferent)
	case len(p.Incomplete) > 0 && !o.Allow.Has(verify.AllowUnseen):
		return p, command.Exit(command.ExitPartly)
	}
	return p, nil
}
