package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// registerWorkOrder adds the flag that writes down what other teams must do.
func (o *PlanOptions) registerWorkOrder(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.WorkOrder, "work-order", "", "write a Markdown file of what other teams must do, with reasons and commands")
	_ = cmd.MarkFlagFilename("work-order", "md")
}

// writeWorkOrder writes the order, whole or not at all. Others are to read it, and it holds no secret.
func (o *PlanOptions) writeWorkOrder(w *work, p *plan.Plan) error {
	if o.WorkOrder == "" {
		return nil
	}
	look := func(said invocation) []string {
		return []string{o.command("plan", said, "--exit-code"), o.command("verify", said)}
	}
	planned := slices.DeleteFunc(plannedFlags(), func(name string) bool { return name == "additive" }) // the file does not say that
	again := provision.Again{Same: look(o.said), Adopting: look(o.said.without(planned...).with("file", "provisioning.yaml"))}
	if err := o.Over.public("work-order", o.WorkOrder, w.job.WorkOrder(p, again)); err != nil {
		return err
	}
	if o.Output == term.FormatTable {
		o.Infof("the work order is in %s", o.WorkOrder)
	}
	return nil
}
