// Package plan is the command that shows what apply would change, and saved plans.
package plan

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Options are the flags of `plan`.
type Options struct {
	job.Options
	ExitCode bool   // --exit-code
	Save     string // --out
	Over     command.OverwriteFlag

	WorkOrder    string // --work-order
	WorkOrderDir string // --work-order-dir
	Offline      bool   // --offline
	Markdown     string // --markdown
	HTML         string // --html

	Many  many.Flags
	Allow command.Allowed
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f}}
	cmd := &cobra.Command{
		Use:     "plan",
		Short:   "Show what apply would change",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Reads every vCenter and prints a map of what apply would create (+), update (~) and delete (-), then what
			deserves attention. Nothing is changed, and no credentials are written.

			The plan ends with a digest of its changes, the vCenters and the options: apply --digest applies only the plan
			with that digest. To have a plan approved by somebody else, save it with --out, and attach what --markdown or
			--html writes; 'plan show' prints a saved plan.

			A login that may only read is enough, and none is needed with --offline: what is planned is then for vCenters that
			have the objects of the file, and nothing of this tool. If it may not read the accounts of the SSO domain, the exit code is 3, and
			such a plan is not saved (--allow unseen: 0).

			` + many.Help + ` A line says how much apply would change.`),
		Example: command.Examples(`
			ocp-vsphere-admin plan --install-config install-config.yaml
			ocp-vsphere-admin plan -f provisioning.yaml --out plan.json --markdown change.md   # to be approved
			ocp-vsphere-admin plan -f provisioning.yaml --work-order order.md   # for the teams that do it themselves
			ocp-vsphere-admin plan --install-config install-config.yaml --work-order order.md --offline   # without a login
			ocp-vsphere-admin plan -f clusters/ --exit-code   # many clusters`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, o.Many.Check("additive", "prune", "create-folders", "create-tags", "strict", "exit-code", "allow", "markdown")),
	}
	command.RunsItself(cmd)
	o.Connection.Source.Compares, o.Connection.Source.Several = true, true
	o.Register(cmd)
	o.RegisterSteering(cmd)
	o.RegisterView(cmd)
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "exit with 2 if anything differs")
	command.FileFlag(cmd, &o.Save, "out", "save the plan for apply --plan", "json")
	command.FileFlag(cmd, &o.WorkOrder, "work-order", "write what other teams must do, as Markdown", "md")
	command.DirFlag(cmd, &o.WorkOrderDir, "work-order-dir", "the same as a file for each team and vCenter")
	command.FileFlag(cmd, &o.Markdown, "markdown", "write the plan as a change request, for many clusters as a comment on a pull request", "md")
	command.FileFlag(cmd, &o.HTML, "html", "the same as a page that a browser opens", "html")
	cmd.Flags().BoolVar(&o.Offline, "offline", false, "ask no vCenter: plan for those that have nothing of this tool yet")
	command.MarkCommandLineOnly(cmd, "offline")
	// What is approved was read, and what is missing is not known.
	for _, needs := range []string{"out", "markdown", "html", "create-folders", "create-tags"} {
		cmd.MarkFlagsMutuallyExclusive("offline", needs)
	}
	o.Over.Register(cmd)
	o.Many.Register(cmd, &o.Options, &o.Over, "markdown")
	cmd.MarkFlagsMutuallyExclusive("brief", "markdown")
	o.Allow.Register(cmd, "accept accounts that cannot be read: "+verify.AllowUnseen, verify.AllowUnseen)
	cmd.AddCommand(newCmdShow(f, nil))
	return cmd
}

func run(ctx context.Context, o *Options) error {
	if o.Many.Given() {
		return runMany(ctx, o)
	}
	if err := o.checkOutputs(); err != nil {
		return err
	}
	w, err := o.Begin(ctx, job.Params{Looking: true, Ordering: o.orders(), Offline: o.Offline})
	if err != nil {
		return err
	}
	defer w.Finish()
	made := w.Sealed
	if o.Offline { // without a digest: it cannot be approved
		made = w.Plan
	}
	p := made(ctx)
	p.Findings = append(p.Findings, p.Displacing()...)
	placed := w.Placed(p)
	if placed != nil && slices.ContainsFunc(o.outputs(), func(out planOutput) bool { return out.path != "" }) {
		return hint.Wrap(placed, "the plan is not saved: nobody is to approve what apply refuses")
	}
	var file *savedplan.File
	if o.Save != "" && p.Digest != "" {
		file = w.Saved(p)
	}
	if err := w.ShowPlan(p); err != nil {
		return o.unwritten(p, err)
	}
	if len(p.Incomplete) > 0 {
		err := o.unseen(p)
		if o.ExitCode && p.Differs() { // it differs, but cannot be approved
			err = command.Exit(command.ExitDifferent)
		}
		return o.unwritten(p, err)
	}
	if file != nil { // before the change request, which names it
		data, err := file.Text()
		if err != nil {
			return command.BadFlag("out", "%w", err)
		}
		if err := o.Over.Private("out", o.Save, data); err != nil {
			return err
		}
	}
	if err := o.writeWorkOrder(w, p); err != nil {
		return err
	}
	if err := o.writeRequest(w, p); err != nil {
		return err
	}
	from, proof, _ := w.Proof(p)
	switch {
	case p.Empty(), placed != nil:
	case o.Save != "":
		own := append([]string{"--plan", o.Save}, proof...)
		o.Next(from + o.CommandLine("apply", o.Said.Without(job.SavedFlags()...), own...))
	case !o.orders():
		o.ForPeople(func() {
			o.Next(from + o.CommandLine("apply", o.Said, proof...))
			w.PrintRenewal(p)
		})
	}
	if o.ExitCode && (p.Differs() || job.InTransition(p)) {
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

// unseen is the error of a plan that leaves accounts out which the login may not read.
func (o *Options) unseen(p *plan.Plan) error {
	if len(p.Incomplete) > 0 && !o.Allow.Has(verify.AllowUnseen) {
		return command.Exit(command.ExitPartly)
	}
	return nil
}

// checkOutputs refuses early files that cannot be written and one file for two outputs.
func (o *Options) checkOutputs() error {
	outputs := o.outputs()[:4] // a directory of work orders may be there
	for i, a := range outputs {
		for _, b := range outputs[:i] {
			if a.path != "" && a.path != "-" && b.path != "" && command.SameFile(a.path, b.path) {
				return command.BadFlag(a.flag, "%s is also the file of --%s: name another one", a.path, b.flag)
			}
		}
	}
	var errs []error
	for _, a := range outputs {
		errs = append(errs, o.Over.Check(a.flag, a.path))
	}
	return errors.Join(errs...)
}

type planOutput struct{ flag, path string }

// outputs are the files of plan, and last the directory of work orders; an empty path = not wanted.
func (o *Options) outputs() []planOutput {
	return []planOutput{{"out", o.Save}, {"work-order", o.WorkOrder}, {"markdown", o.Markdown}, {"html", o.HTML}, {"work-order-dir", o.WorkOrderDir}}
}

// unwritten adds unwritten files, which --force may have left, to the error of an incomplete plan.
func (o *Options) unwritten(p *plan.Plan, err error) error {
	if p.Err() == nil && len(p.Incomplete) == 0 || p.Interrupted() { // not printed, or known
		return err
	}
	var errs []error
	for _, a := range o.outputs() {
		switch {
		case a.path == "":
		case command.Missing(a.path):
			errs = append(errs, command.BadFlag(a.flag, "%s was not written, because the plan is incomplete", a.path))
		default:
			errs = append(errs, command.BadFlag(a.flag, "%s was not written, because the plan is incomplete; it still holds what an earlier run wrote", a.path))
		}
	}
	return command.Joined(err, errors.Join(errs...))
}
