package cli

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// PartOptions are the words of the commands that are apply or destroy narrowed to one kind of thing: roles create and
// delete, users create and delete, permissions grant and revoke.
type PartOptions struct {
	JobOptions
	Topology topologyFlags // roles: what is assumed where no failure domain says it
	DryRun   bool          // --dry-run
	ExitCode bool          // --exit-code
}

// part says which of these commands one is.
type part struct {
	kind  plan.Kind
	undo  bool
	what  string // what is asked to be confirmed
	after string // the command that usually comes next, "" if none
}

// newCmdPart makes cmd one of these commands. What it has beyond the others is added to the options that come with it.
func newCmdPart(f *Factory, p part, cmd *cobra.Command, runF func(*PartOptions) error) (*cobra.Command, *PartOptions) {
	o := &PartOptions{JobOptions: JobOptions{Factory: f}}
	cmd.Args = noWords
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.ctx = cmd.Context()
		return run(runF, func(o *PartOptions) error { return partRun(o, p) })(o)
	}
	o.registerPart(cmd, p)
	return cmd, o
}

// registerPart adds the flags that all of them have.
func (o *PartOptions) registerPart(cmd *cobra.Command, p part) {
	o.only, o.undo = p.kind, p.undo
	o.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.DryRun, "dry-run", false, "show what would be done, and nothing else")
	flags.BoolVar(&o.ExitCode, "exit-code", false, "with --dry-run: exit with 2 when something would be done")
	if p.kind != plan.Role {
		flags.StringVar(&o.Cluster, "cluster", "", "the cluster's name, where only --vcenters says what is meant")
		cmd.MarkFlagsMutuallyExclusive("cluster", "file")
		cmd.MarkFlagsMutuallyExclusive("cluster", "install-config")
	}
	if !p.undo && p.kind != plan.User {
		flags.BoolVar(&o.Additive, "additive", false, "never remove a privilege or a permission")
		o.registerDisplace(cmd)
	}
}

// begin makes the job and its plan. finish logs out; call it whatever happens.
func (o *PartOptions) begin(p part) (job *provision.Job, changes *plan.Plan, finish func(), err error) {
	if o.ExitCode && !o.DryRun {
		return nil, nil, nil, badFlag("exit-code", "only --dry-run compares without changing: add it, or leave this out")
	}
	o.assumed = o.Topology.assumed()
	job, _, end, err := o.JobOptions.begin(p.kind != plan.Role && !o.DryRun)
	if err != nil {
		return nil, nil, nil, err
	}
	if p.undo {
		changes = job.PlanDestroy(o.ctx)
	} else {
		changes = o.plan(job)
	}
	return job, changes, once(end), nil
}

func partRun(o *PartOptions, p part) error {
	job, changes, finish, err := o.begin(p)
	if err != nil {
		return err
	}
	defer finish()
	if o.DryRun {
		finish()
		return o.compared(changes)
	}
	if allFailed(changes) {
		return changes.Err()
	}
	if err := o.agree(changes, false, p.what, func() (bool, error) { return o.Confirm(o.ctx, p.what+": go on?") }); err != nil {
		return err
	}
	if err := o.agreeDisplacing(changes); err != nil {
		return err
	}
	do := func() error { return job.Apply(o.ctx, changes, true) }
	if p.undo {
		do = func() error { return job.Destroy(o.ctx, changes) }
	}
	if err := do(); err != nil {
		return err
	}
	finish()
	if err := o.report(changes); err != nil {
		return err
	}
	if err := ended(changes); err != nil {
		if outcome(changes) != nil {
			o.Infof("what was done stays; running the same command again does the rest")
		}
		return err
	}
	o.told(p, changes)
	return nil
}

// compared prints a plan that is not to be done.
func (o *PartOptions) compared(p *plan.Plan) error {
	if err := o.render(p); err != nil {
		return err
	}
	if err := outcome(p); err != nil {
		return err
	}
	if o.ExitCode && p.Differs() {
		return exit(ExitDifferent)
	}
	return nil
}

// told says where the passwords are, and what comes next.
func (o *PartOptions) told(p part, changes *plan.Plan) {
	if o.Output != term.FormatTable {
		return
	}
	if p.kind == plan.User && changes.Summary.Create > 0 {
		o.Infof("the passwords are in %s", o.credentials)
	}
	if s := o.Connection.Source; p.after != "" && (s.File != "" || s.InstallConfig != "") {
		o.next("ocp-vsphere-admin %s", after(p.after, o.repeat(p.after)))
	}
}

// fit refuses a specification that does not say enough for the kind of things that is to be changed.
func (o *JobOptions) fit(s *spec.Spec) error {
	if o.Cluster != "" {
		s.Cluster = o.Cluster
	}
	if o.reads {
		return nil
	}
	if o.only == "" || o.only == plan.Permission && !o.undo {
		return complete(s)
	}
	if o.only != plan.Role && o.Connection.Source.File == "" && o.Connection.Source.InstallConfig == "" {
		return hint.Wrap(s.CheckAccounts(), "--cluster NAME says it, or -f FILE, or --install-config FILE")
	}
	return nil
}
