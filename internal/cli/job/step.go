package job

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// StepOptions are the flags of the commands that are apply or destroy narrowed to one kind of thing: roles create and
// delete, users create and delete, permissions grant and revoke.
type StepOptions struct {
	Options
	Topology command.TopologyFlags // roles: what is assumed where no failure domain says it
	DryRun   bool                  // --dry-run
	ExitCode bool                  // --exit-code
	Secrets  command.UsedFlags     // of those that take accounts, or what they may do, away
}

// Step says which of these commands one is.
type Step struct {
	Purpose
	What  string // what is asked to be confirmed
	After string // the command that usually comes next, "" if none
}

// NewCmdStep makes cmd one of these commands. What it has beyond the others is added to the options that come with it.
func NewCmdStep(f *command.Factory, p Step, cmd *cobra.Command, runF func(*StepOptions) error) (*cobra.Command, *StepOptions) {
	o := &StepOptions{Options: Options{Factory: f, Purpose: p.Purpose}}
	cmd.Args = command.NoWords
	cmd.RunE = command.Action(o, runF, func(ctx context.Context, o *StepOptions) error { return stepRun(ctx, o, command.Spoken(cmd), p) })
	o.Register(cmd)
	o.Connection.Source.NamesOnly = o.Only == plan.User
	o.RegisterView(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.DryRun, "dry-run", false, "show what would be changed, and change nothing")
	flags.BoolVar(&o.ExitCode, "exit-code", false, "with --dry-run: exit with 2 if anything would change")
	if p.Only != plan.Role {
		o.RegisterCluster(cmd)
		o.Secrets.RegisterInUse(cmd, "")
	}
	MarkChanges(cmd)
	if !p.Undo && p.Only != plan.User {
		registerAdditive(cmd, &o.Additive)
		o.RegisterDisplace(cmd)
	}
	return cmd, o
}

func stepRun(ctx context.Context, o *StepOptions, name string, p Step) error {
	if o.ExitCode && !o.DryRun {
		return command.BadFlag("exit-code", "add --dry-run, or omit this")
	}
	used, err := o.Secrets.InUse(ctx, o.Factory)
	if err != nil {
		return err
	}
	w, err := o.Begin(ctx, Params{Volumes: used.Volumes, Writes: p.Only != plan.Role && !o.DryRun, Assumed: o.Topology.Assumed()})
	if err != nil {
		return err
	}
	c := Change{
		Command: name, Subject: p.What, Question: p.What + ": continue?",
		Plan: w.Plan, Do: func(ctx context.Context, p *plan.Plan) ([]string, error) { return nil, w.Job.Apply(ctx, p, true) },
		DryRun: o.DryRun, ExitCode: o.ExitCode, Revokes: p.Undo, Used: used,
		Next: func(changes *plan.Plan) error {
			w.ForPeople(func() { w.told(p, changes) })
			return nil
		},
	}
	if p.Undo {
		c.Plan = w.Job.PlanDestroy
		c.Do = func(ctx context.Context, p *plan.Plan) ([]string, error) { return nil, w.Job.Destroy(ctx, p) }
	}
	return w.Change(ctx, c)
}

// told says where the passwords are, and what comes next.
func (w *Run) told(p Step, changes *plan.Plan) {
	if p.Only == plan.User && changes.Summary.Create > 0 {
		w.Infof("the passwords are in %s", w.Credentials)
	}
	if p.After != "" && w.Connection.Source.NamesCluster() {
		w.Next(w.CommandLine(p.After, w.Invocation))
	}
	w.PrintRenewal(changes)
}
