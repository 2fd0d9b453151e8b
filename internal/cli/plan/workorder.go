package plan

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/workorder"
)

// registerWorkOrder adds the flags that write down what other teams must do.
func (o *Options) registerWorkOrder(cmd *cobra.Command) {
	command.FileFlag(cmd, &o.WorkOrder, "work-order", "write a Markdown file of what other teams must do, with reasons and commands", "md")
	command.DirFlag(cmd, &o.WorkOrderDir, "work-order-dir", "write the work order to this directory, as a file for each team and vCenter")
}

// writeWorkOrder writes the order, whole or not at all. Others are to read it, and it holds no secret.
func (o *Options) writeWorkOrder(w *job.Run, p *plan.Plan) error {
	if !o.orders() {
		return nil
	}
	look := func(said command.Invocation) []string {
		return []string{o.CommandLine("plan", said, "--exit-code"), o.CommandLine("verify", said)}
	}
	planned := slices.DeleteFunc(job.PlannedFlags(), func(name string) bool { return name == "additive" }) // the file does not say that
	again := workorder.Again{Same: look(o.Said), Adopting: look(o.Said.Without(planned...).With("file", "provisioning.yaml"))}
	order := w.Job.WorkOrder(p, again)
	if o.WorkOrder != "" {
		text, err := order.Markdown()
		if err != nil {
			return err
		}
		if err := o.Over.Public("work-order", o.WorkOrder, text); err != nil {
			return err
		}
		o.placedIn(o.WorkOrder)
	}
	if o.WorkOrderDir == "" {
		return nil
	}
	texts, err := order.Files()
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for name, text := range texts {
		files[filepath.Join(o.WorkOrderDir, name)] = text
	}
	if err := o.Over.PublicAll("work-order-dir", o.WorkOrderDir, files); err != nil {
		return err
	}
	o.placedIn(command.SortedKeys(files)...)
	return nil
}

// orders reports whether a work order is to be written.
func (o *Options) orders() bool { return o.WorkOrder != "" || o.WorkOrderDir != "" }

// placedIn says where the work order is.
func (o *Options) placedIn(paths ...string) {
	if o.Output == term.FormatTable {
		o.Infof("the work order is in %s", strings.Join(paths, ", "))
	}
}
