package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// PartOptions are the flags of the commands that are apply or destroy narrowed to one kind of thing: roles create and
// delete, users create and delete, permissions grant and revoke.
type PartOptions struct {
	JobOptions
	Topology command.TopologyFlags // roles: what is assumed where no failure domain says it
	DryRun   bool                  // --dry-run
	ExitCode bool                  // --exit-code
	Secrets  command.UsedFlags     // of those that take accounts, or what they may do, away
}

// part says which of these commands one is.
type part struct {
	duty
	what  string // what is asked to be confirmed
	after string // the command that usually comes next, "" if none
}

// newCmdPart makes cmd one of these commands. What it has beyond the others is added to the options that come with it.
func newCmdPart(f *command.Factory, p part, cmd *cobra.Command, runF func(*PartOptions) error) (*cobra.Command, *PartOptions) {
	o := &PartOptions{JobOptions: JobOptions{Factory: f, duty: p.duty}}
	cmd.Args = command.NoWords
	cmd.RunE = command.Action(o, runF, func(ctx context.Context, o *PartOptions) error { return partRun(ctx, o, command.Spoken(cmd), p) })
	o.register(cmd)
	o.registerView(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.DryRun, "dry-run", false, "show what would be changed, and change nothing")
	flags.BoolVar(&o.ExitCode, "exit-code", false, "with --dry-run: exit with 2 if anything would change")
	if p.only != plan.Role {
		o.registerCluster(cmd)
	}
	if p.only == plan.User || p.only == plan.Permission && p.undo {
		o.Secrets.RegisterInUse(cmd, "")
	}
	changes(cmd)
	if !p.undo && p.only != plan.User {
		registerAdditive(cmd, &o.Additive)
		o.registerDisplace(cmd)
	}
	return cmd, o
}

func partRun(ctx context.Context, o *PartOptions, name string, p part) error {
	if o.ExitCode && !o.DryRun {
		return command.BadFlag("exit-code", "add --dry-run, or omit this")
	}
	used, err := o.Secrets.InUse(ctx, o.Factory)
	if err != nil {
		return err
	}
	w, err := o.begin(ctx, extent{volumes: used.Volumes, writes: p.only != plan.Role && !o.DryRun, assumed: o.Topology.Assumed()})
	if err != nil {
		return err
	}
	c := change{
		command: name, what: p.what, question: p.what + ": continue?",
		plan: w.plan, do: func(ctx context.Context, p *plan.Plan) ([]string, error) { return nil, w.job.Apply(ctx, p, true) },
		dryRun: o.DryRun, exitCode: o.ExitCode, revokes: p.undo, used: used,
		next: func(changes *plan.Plan) error {
			w.ForPeople(func() { w.told(p, changes) })
			return nil
		},
	}
	if p.undo {
		c.plan = w.job.PlanDestroy
		c.do = func(ctx context.Context, p *plan.Plan) ([]string, error) { return nil, w.job.Destroy(ctx, p) }
	}
	return w.change(ctx, c)
}

// told says where the passwords are, and what comes next.
func (w *work) told(p part, changes *plan.Plan) {
	if p.only == plan.User && changes.Summary.Create > 0 {
		w.Infof("the passwords are in %s", w.credentials)
	}
	if s := w.Connection.Source; p.after != "" && (s.File != "" || s.InstallConfig != "") {
		w.Next(w.CommandLine(p.after, w.said))
	}
}
