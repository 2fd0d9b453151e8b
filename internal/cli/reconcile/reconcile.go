// Package reconcile is the commands that prepare for releases, prune after them, and show them.
package reconcile

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	cliverify "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Options are the flags of `reconcile` and, after the upgrade, `reconcile prune`.
type Options struct {
	job.Options
	Releases releaseFlags
	Held     command.HeldFlags // likewise
	ExitCode bool              // --exit-code
	Many     many.WaveFlags
}

// NewCmd is the command with its verbs.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f}}
	cmd := &cobra.Command{
		Use:     "reconcile",
		Short:   "Grant what the next release needs, before the upgrade",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Compares the CredentialsRequests of two releases (--from, --to) and adds what the next one needs: privileges,
			permissions and accounts. Nothing is removed until 'reconcile prune' after the upgrade. --kubeconfig reads the
			requests of the running cluster.

			What a request asks for and the matrix lacks is saved under privileges.added in the state file beside the
			provisioning file, before any vCenter is changed. Secrets that only the next release has are held in --held DIR
			until 'secrets release' prints them. A successful run with --release and --image records the release for
			'reconcile status'.

			Repeat --to, with --release and --image for each, to prepare for several releases. --available-updates prepares
			for all updates that the cluster is offered, with 'oc adm release extract'.

			` + many.WavesHelp),
		Example: command.Examples(`
			oc adm release extract --credentials-requests --cloud=vsphere --to=next quay.io/openshift-release-dev/ocp-release:4.23.0-x86_64
			ocp-vsphere-admin reconcile -f provisioning.yaml --from now --to next --held held --release 4.23.0 --image quay.io/openshift-release-dev/ocp-release:4.23.0-x86_64
			ocp-vsphere-admin reconcile -f provisioning.yaml --kubeconfig kubeconfig --available-updates --registry-config pull-secret.json --dry-run`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, func(cmd *cobra.Command, _ []string) error {
			return cmp.Or(o.kept(cmd.Flags()), checkHeld(&o.Held, &o.Releases), o.check())
		}, o.Many.Check(forAll...)),
	}
	command.RunsItself(cmd)
	o.Releases.registerSeveral(cmd)
	o.registerShared(cmd)
	o.Releases.Updates.register(cmd)
	o.Releases.Cluster.Register(cmd, "from", "requests", "cluster-version")
	o.Held.Register(cmd)
	cmd.AddCommand(newCmdPrune(f, nil), newCmdStatus(f, nil))
	return cmd
}

func newCmdPrune(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f, Steering: savedplan.Steering{Prune: true}}}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove what the release no longer needs, after the upgrade",
		Long: command.Text(`
			Removes privileges, permissions, and accounts that the release does not need: accounts whose request is gone
			(which requires --from) and accounts that the specification does not name. --to or --requests is the release
			that runs now; --kubeconfig without either reads its requests from the cluster. The cluster's secrets
			(--secrets, --kubeconfig) prove that nothing uses what goes, --applied asserts it.

			Entries that reconcile added to the state file go, and so do releases recorded as reconciled; other entries are
			kept.

			` + many.WavesHelp),
		Example: command.Examples(`
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin reconcile prune -f provisioning.yaml --from now --to next --secrets -
			ocp-vsphere-admin reconcile prune -f provisioning.yaml --from next --to now --applied   # the upgrade is not made after all`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, func(cmd *cobra.Command, _ []string) error {
			o.Releases.Cluster = o.Used.Cluster // one cluster has proof and requests
			source := o.Connection.Source
			if len(source.VCenters) > 0 && source.NamesCluster() {
				return command.BadFlag("vcenters", "'reconcile prune' removes entries from the specification, which applies to all vCenters: omit this")
			}
			return cmp.Or(o.kept(cmd.Flags()), o.check())
		}, o.Many.Check(forAll...)),
	}
	o.Releases.registerOne(cmd)
	o.registerShared(cmd)
	o.Used.RegisterInUse(cmd, "")
	return cmd
}

// forAll are the flags that many clusters have in common.
var forAll = []string{"from", "to", "requests", "release", "image", "enable-tech-preview", "assign", "place", "matrix-from", "matrix-to", "create-folders"}

func (o *Options) registerShared(cmd *cobra.Command) {
	o.Connection.Source.Several = true
	o.RegisterChange(cmd)
	o.Releases.Register(cmd)
	o.RegisterDisplace(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.ExitCode, "exit-code", false, "with --dry-run: exit with 2 if anything would change")
	job.RegisterCreateFolders(cmd, &o.CreateFolders)
	o.Many.Register(cmd, &o.Options)
}

func (o *Options) check() error {
	if o.ExitCode && !o.DryRun {
		return command.BadFlag("exit-code", "add --dry-run, or omit this")
	}
	return o.Releases.check()
}

type reconciling struct {
	*Options
	*reconcile.Result
	*compared
	work   *job.Run
	state  *job.State
	pasted bool     // the new specification was printed to be pasted
	holds  held.Dir // of --held
}

func run(ctx context.Context, o *Options) error {
	if o.Many.Given() {
		verb := "reconcile"
		if o.Prune {
			verb += " prune"
		}
		return o.Many.Run(ctx, many.Change{
			Verb: verb, Asked: o.Releases.words(), Proves: o.Prune, Verify: cliverify.Made,
			Do: func(ctx context.Context, of *job.Options) error {
				one := &Options{Options: *of, Releases: o.Releases}
				if o.Prune {
					one.Releases.Cluster = of.Used.Cluster
				}
				return run(ctx, one)
			},
		})
	}
	r, err := o.start(ctx)
	if err != nil {
		return err
	}
	if len(r.next) == 0 { // which was said
		return o.Print(o.Output, r.view(nil), func(io.Writer) error { return nil })
	}
	return r.run(ctx)
}

// start reads the files, makes the new specification and its job. It refuses unwritable outputs
// before it asks for a login. Without an update there is no job.
func (o *Options) start(ctx context.Context) (*reconciling, error) {
	wanted, admin, tls, err := o.Connection.Resolve(ctx, o.Factory)
	if err != nil {
		return nil, err
	}
	if err := openshift.CheckOpenShift(wanted.Profile, "CredentialsRequests"); err != nil {
		return nil, err
	}
	releases, result, err := o.Releases.resolve(ctx, o.Factory, wanted, o.Prune)
	if err != nil || len(releases.next) == 0 {
		return &reconciling{Options: o, compared: releases, Result: &reconcile.Result{}}, err
	}
	r := &reconciling{Options: o, Result: result, compared: releases}
	r.state = r.becomes(wanted)
	if err := r.state.Look(); err != nil {
		return nil, err
	}
	if r.holds, err = o.Held.Directory(ctx, o.Factory, result.Spec); err != nil {
		return nil, err
	}
	if o.Held.Dir != "" {
		if err := r.holds.Check(); err != nil {
			return nil, err
		}
	}
	r.work, err = o.Open(ctx, job.Request{
		Params:     job.Params{Writes: !o.DryRun},
		Invocation: o.Said, Wanted: result.Spec, Admin: admin, TLS: tls,
		Formerly: result.Gone,
		Steering: savedplan.Steering{Additive: !o.Prune, Prune: o.Prune, CreateFolders: o.CreateFolders},
	})
	return r, err
}

func (r *reconciling) run(ctx context.Context) error {
	w := r.work
	var view *reconciliationView
	var proved error
	c := job.Change{
		Command: "reconcile", Own: r.Releases.words(), Subject: "the reconciliation", Question: "grant what the release needs?",
		Plan: w.Plan,
		Preface: func(p *plan.Plan, to io.Writer, width int) error {
			view = r.view(p)
			r.remark()
			return view.render(to, width)
		},
		View: func(*plan.Plan) any { return view },
		Do: func(ctx context.Context, p *plan.Plan) error {
			err := w.Job.Apply(ctx, p)
			if err == nil {
				view.Verification = w.Job.Verify(ctx)
			}
			return err
		},
		ExitCode: r.ExitCode, ClearsReleases: r.Prune, State: r.state,
		Proof: func(*plan.Plan) {
			if r.Output == term.FormatTable {
				proved = cliverify.Report(w, view.Verification, verify.AsAsked())
			} else {
				proved = cliverify.Judge(view.Verification, verify.AsAsked())
			}
		},
		Left: func(err error) error {
			err = command.Joined(err, view.unknown())
			if r.DryRun {
				return err
			}
			if err == nil {
				err = proved
			}
			return r.incomplete(err)
		},
		Next: func(*plan.Plan) error {
			if !r.Prune && (len(r.Unneeded) > 0 || len(r.next) > 1 && r.reduces()) {
				r.ForPeople(r.nextPrune)
			}
			return r.after(r.holds)
		},
	}
	switch {
	case len(r.next) > 1:
		c.Question = "grant what these releases need?"
	case r.Prune:
		c.Command, c.Question = "reconcile prune", "remove what the release does not need?"
	}
	return r.partly(w.Change(ctx, c))
}
