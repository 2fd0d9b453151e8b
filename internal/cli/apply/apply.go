// Package apply is the command that makes what the provisioning file says.
package apply

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Options are the flags of `apply`.
type Options struct {
	job.Options
	Plan       string // --plan
	Digest     string // --digest
	Recipients command.RecipientFlags
	Out        string // --out
	Many       many.WaveFlags
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f}}
	cmd := &cobra.Command{
		Use:     "apply",
		Short:   "Create or update roles, accounts and permissions",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Shows the plan, asks for confirmation, applies it and reports the result. Each password is saved in the
			credentials file before it is sent to vCenter, so run the same command again to complete an interrupted run. If
			one vCenter fails, the others are still done (exit code 3). Permissions and roles of others are changed only
			after a second confirmation (--displace).

			What a cluster may still use goes only with proof (--secrets) or your word (--applied): see 'help proof'.
			--additive removes nothing.

			With --recipient and --out no credentials file is written: the passwords are encrypted to the recipients, and
			this is the only copy.

			` + many.WavesHelp),
		Example: command.Examples(`
			ocp-vsphere-admin apply --install-config install-config.yaml
			ocp-vsphere-admin apply -f provisioning.yaml --recipients-file team.txt --out handover.age
			ocp-vsphere-admin apply --plan plan.json --digest "$APPROVED"   # the digest as the approver sent it
			ocp-vsphere-admin apply -f clusters/ --canary 1 --batch 5`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, func(*cobra.Command, []string) error {
			return job.CheckHandover(&o.Recipients, o.Out)
		}, o.Many.Check("additive", "prune", "create-folders", "create-tags", "strict")),
	}
	o.Connection.Source.Several = true
	o.Register(cmd)
	job.RegisterHandover(cmd, &o.Recipients, &o.Out)
	o.Many.Register(cmd, &o.Options)
	return cmd
}

// Register adds the flags that decide what is applied, and marks the command.
func (o *Options) Register(cmd *cobra.Command) {
	o.Connection.Source.Compares = true
	o.Options.Register(cmd)
	o.RegisterSteering(cmd)
	o.RegisterView(cmd)
	o.RegisterDisplace(cmd)
	command.FileFlag(cmd, &o.Plan, "plan", "apply the plan that plan --out saved, or what is left of it", "json")
	cmd.Flags().StringVar(&o.Digest, "digest", "", "apply only the plan with this digest, as plan printed it")
	o.Used.RegisterInUse(cmd, "")
	job.MarkChanges(cmd)
	for _, other := range job.PlannedFlags() {
		cmd.MarkFlagsMutuallyExclusive("plan", other)
	}
}

func run(ctx context.Context, o *Options) error {
	if !o.Many.Given() {
		return Within(ctx, o, nil)
	}
	return o.Many.Run(ctx, many.Change{
		Verb: "apply", Asked: o.Steering, Proves: true, Verify: verify.Made,
		Do: func(ctx context.Context, of *job.Options) error { return Within(ctx, &Options{Options: *of}, nil) },
	})
}

// Within applies as a part of another command, which alters the change.
func Within(ctx context.Context, o *Options, alter func(*job.Run, *job.Change) error) error {
	a, err := o.start(ctx)
	if err != nil {
		return err
	}
	defer a.Finish()
	c := a.change()
	if alter != nil {
		a.goesOn = true
		if err := a.lasting(); err != nil {
			return err
		}
		if err := alter(a.Run, &c); err != nil {
			return err
		}
	}
	return a.Change(ctx, c)
}

// Agreed applies a job whose plan the person has agreed to, by its digest, and asks if it changed.
func Agreed(ctx context.Context, w *job.Run, digest string) error {
	return w.Change(ctx, (&applying{Run: w, agreed: digest}).change())
}

type applying struct {
	*job.Run
	saved   *savedplan.Saved // of --plan; nil = none
	path    string           // where it was
	digest  string           // of the plan that was approved elsewhere; "" = none was
	agreed  string           // of the plan that this person has seen and agreed to; "" = none
	changed string           // the file that changed since the plan was saved; "" = none
	goesOn  bool             // there is more to do where nothing is left to apply
}

func (o *Options) start(ctx context.Context) (*applying, error) {
	if o.Digest != "" {
		if err := plan.CheckDigest(o.Digest); err != nil {
			return nil, command.BadFlag("digest", "%w", err)
		}
	}
	handover, err := job.NewHandover(o.Factory, "apply", &o.Recipients, o.Out)
	if err != nil {
		return nil, err
	}
	if o.Plan == "" {
		w, err := o.Begin(ctx, job.Params{Writes: !o.DryRun, Handover: handover, Approved: o.Digest != ""})
		if err == nil && o.Digest != "" { // which is not that of what is left
			w.Again = "have a new plan of the rest approved"
		}
		return &applying{Run: w, digest: o.Digest}, err
	}
	saved, err := savedplan.Load(o.Plan)
	if err != nil {
		return nil, command.BadFlag("plan", "%w", err)
	}
	if o.Digest != "" && o.Digest != saved.Digest {
		return nil, errOtherDigest(o.Plan+" has", saved.Digest)
	}
	if file := saved.Credentials; file != "" && file != command.FilePlaceholder && o.Said[command.CredentialsFileFlag] == nil {
		o.CredentialsFile = command.CredentialsFlag{Path: file}
	}
	err = o.Connection.Source.ConnectTo.Apply(saved.Wanted)
	admin, adminErr := o.Connection.Admin.Resolve(o.Factory)
	tls, tlsErr := o.Connection.TLS.Resolve(o.Streams, command.Servers(saved.Wanted.Whole()))
	if err := errors.Join(err, adminErr, tlsErr); err != nil {
		return nil, err
	}
	var given *installconfig.Given // nil = there is none any more, which is said elsewhere
	if path := saved.Invocation["install-config"]; len(path) > 0 {
		_, given, _ = installconfig.Load(path[0])
	}
	w, err := o.Open(ctx, job.Request{
		Given:    given,
		Params:   job.Params{Writes: true, Handover: handover, Approved: true},
		Steering: saved.Options,
		Invocation: command.Invocation(saved.Invocation).
			Only(job.SavedFlags()...).Then(o.Said),
		Wanted: saved.Wanted, Admin: admin, TLS: tls,
		Matrix: saved.Own, Instances: saved.Instances(),
	})
	a := &applying{Run: w, saved: saved, path: o.Plan, digest: o.Digest}
	if source := job.SourceDigest(saved.Invocation); err == nil &&
		saved.Source != "" && source != "" && source != saved.Source {
		for _, source := range command.Sources() {
			for _, path := range saved.Invocation[source] {
				a.changed = path
			}
		}
	} else if text, unread := files.Read(saved.Wanted.Privileges.Matrix, files.Text, files.Regular); err == nil &&
		saved.Own != nil && unread == nil && string(text) != saved.Matrix {
		a.changed = saved.Wanted.Privileges.Matrix
	}
	if a.changed != "" {
		o.Warnf("%s has changed since %s was saved: this applies the plan as it was saved, and not what the file says now", a.changed, o.Plan)
	}
	if err == nil {
		a.restores()
	}
	return a, err
}

// lasting refuses files that are not as they were planned, of which more is made than the plan.
func (a *applying) lasting() error {
	if a.changed != "" {
		return hint.Errorf("plan again, and have that approved: "+a.CommandLine("plan", a.Invocation, "--out", "FILE"),
			"%s has changed since %s was saved, and what is written would follow it; nothing was done", a.changed, a.path)
	}
	for _, source := range command.Sources() {
		for _, path := range a.Invocation[source] {
			if !command.OfCluster(path) && command.Missing(path) {
				return hint.Errorf("run this where it is, or with it in place",
					"%s: the file that the plan was made from is not there; nothing was done", a.path)
			}
		}
	}
	return nil
}

func (a *applying) change() job.Change {
	c := job.Change{
		Command: "apply", Subject: "applying", Question: "apply these changes?",
		Plan: a.Sealed,
		Check: func(ctx context.Context, p *plan.Plan) error {
			if err := a.approved(ctx, p); err != nil {
				return err
			}
			return a.Handover.Check(p)
		},
		Do:   a.Job.Apply,
		Seen: a.saved != nil && a.Yes, Agreed: a.agreed,
		Next: func(changes *plan.Plan) error {
			a.ForPeople(func() { a.after(changes) })
			return nil
		},
	}
	if a.saved != nil { // which holds what the command line of its plan said
		c.Own, c.Within = []string{"--plan", a.path}, slices.DeleteFunc(job.SavedFlags(), func(name string) bool {
			return name == command.CredentialsFileFlag && a.Said[name] != nil // in place of the saved one
		})
	}
	if a.digest != "" {
		c.Own = append(c.Own, "--digest", a.digest)
	}
	return c
}

// after prints where new passwords are, and the next command.
func (a *applying) after(changes *plan.Plan) {
	if a.Handover != nil {
		a.Handover.Next(a.Run)
		return
	}
	created := changes.Any(func(c *plan.Change) bool { return c.Kind == plan.User && c.Verb == plan.Create })
	if created {
		a.Infof("the passwords are in %s", a.Credentials)
	}
	if a.changed != "" { // the vCenters are not as it says
		a.Next(a.CommandLine("plan", a.Invocation))
		return
	}
	inv := a.NextRender(changes)
	a.Next(a.CommandLine("verify", inv))
	if a.Connection.Source.Infrastructure != "" && created { // the cluster runs
		if line := a.hands(changes, inv); line != "" {
			a.Command("then, so that the cluster works with them:", line)
		}
		return
	}
	a.PrintRenewal(changes)
}

// hands is the command that gives a running cluster its new accounts; "" = none.
func (a *applying) hands(changes *plan.Plan, inv command.Invocation) string {
	for _, c := range a.Wanted.ComponentNames() {
		of := a.Wanted.Account(c)
		if of.Ours() && !changes.Any(func(c *plan.Change) bool {
			return c.Verb == plan.Create && c.Kind == plan.User && of.Generation(c.Name) > 0
		}) {
			return a.Delivery()
		}
	}
	var own []string
	if profile, _ := openshift.FindProfile(a.Wanted.Profile); profile.Requests {
		own = []string{"--credentials-requests", "DIR"}
	}
	return a.CommandLine("secrets emit", inv.Without("vcenters"), own...) + openshift.Applies(a.Wanted.Profile)
}
