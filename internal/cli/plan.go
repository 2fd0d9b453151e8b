package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ctx = cmd.Context()
			return run(runF, planRun)(o)
		},
	}
	o.register(cmd)
	o.registerSteering(cmd)
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "exit with 2 when something would change, or a password is lost")
	cmd.Flags().StringVar(&o.Save, "out", "", "save the plan for apply --plan")
	_ = cmd.MarkFlagFilename("out", "json")
	o.registerWorkOrder(cmd)
	return cmd
}

func planRun(o *PlanOptions) error {
	for name, file := range map[string]string{"out": o.Save, "work-order": o.WorkOrder} {
		if file == "-" {
			return badFlag(name, "- is no file, and standard output is for the plan: name one")
		}
	}
	o.ordering = o.WorkOrder != ""
	job, wanted, finish, err := o.begin(false)
	if err != nil {
		return err
	}
	p := o.plan(job)
	p.Seal(o.decided(wanted))
	finish()
	if err := o.render(p); err != nil {
		return err
	}
	if err := outcome(p); err != nil {
		return err
	}
	if !p.Empty() {
		o.supported()
	}
	if err := o.writeWorkOrder(job, p); err != nil {
		return err
	}
	if o.Save != "" {
		if err := savePlan(o.Save, &o.JobOptions, wanted, p); err != nil {
			return err
		}
		o.next("ocp-vsphere-admin apply %s", after("--plan", script.Word(o.Save), o.repeat("apply", append(plannedFlags(), "connect-to")...)))
	} else if !p.Empty() && o.Output == term.FormatTable && o.WorkOrder == "" {
		o.next("ocp-vsphere-admin %s", after("apply", o.repeat("apply")))
	}
	if o.ExitCode && p.Differs() {
		return exit(ExitDifferent)
	}
	return nil
}

func refused(what string) error { return fmt.Errorf("%s was not confirmed, so nothing was done", what) }
