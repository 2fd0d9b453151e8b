package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// PlanOptions are the words of `plan`.
type PlanOptions struct {
	JobOptions
	ExitCode bool   // --exit-code
	Save     string // --out

	WorkOrder string // --work-order
}

func newCmdPlan(f *Factory, runF func(*PlanOptions) error) *cobra.Command {
	o := &PlanOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:     "plan",
		Short:   "Show what apply would change, and nothing else",
		GroupID: groupJob,
		Long: text(`
			Reads every vCenter and prints what is missing (+), different (~) or left over (-), what a change displaces,
			and what to know (i). What no change puts right comes first (!), with the command that does: a lost password, an
			unfinished rotation. Nothing is written, on the vCenters or here. The last line is the digest of all of it, of
			the vCenters and of the options: apply --digest does only the plan that has it.`),
		Example: examples(`
			ocp-vsphere-admin plan --install-config install-config.yaml
			ocp-vsphere-admin plan -f provisioning.yaml --exit-code        # 2 when something would change
			ocp-vsphere-admin plan -f provisioning.yaml --out plan.json    # apply --plan plan.json does just this
			ocp-vsphere-admin plan -f provisioning.yaml --work-order order.md   # for the teams that do it themselves`),
		Args: noWords,
		RunE: action(o, runF, planRun),
	}
	o.register(cmd)
	o.registerSteering(cmd)
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "exit with 2 when something would change, or a password is lost")
	cmd.Flags().StringVar(&o.Save, "out", "", "save the plan for apply --plan")
	_ = cmd.MarkFlagFilename("out", "json")
	o.registerWorkOrder(cmd)
	return cmd
}

func planRun(ctx context.Context, o *PlanOptions) error {
	for name, file := range map[string]string{"out": o.Save, "work-order": o.WorkOrder} {
		if file == "-" {
			return badFlag(name, "- is no file, and standard output is for the plan: name one")
		}
	}
	w, err := o.begin(ctx, extent{ordering: o.WorkOrder != ""})
	if err != nil {
		return err
	}
	defer w.finish()
	p, err := w.show(ctx)
	if err != nil {
		return err
	}
	if err := o.writeWorkOrder(w, p); err != nil {
		return err
	}
	if o.Save != "" {
		if err := w.save(o.Save, p); err != nil {
			return err
		}
		o.next(o.command("apply", o.said.without(savedFlags()...), "--plan", o.Save))
	} else if !p.Empty() && o.Output == term.FormatTable && o.WorkOrder == "" {
		o.next(o.command("apply", o.said))
	}
	if o.ExitCode && p.Differs() {
		return exit(ExitDifferent)
	}
	return nil
}

// show makes the plan, sealed with all that decides it, and prints it.
func (w *work) show(ctx context.Context) (*plan.Plan, error) {
	p := w.plan(ctx)
	p.Seal(w.decided())
	if err := w.dryRun(p); err != nil {
		return nil, err
	}
	if !p.Empty() {
		w.supported()
	}
	return p, nil
}
