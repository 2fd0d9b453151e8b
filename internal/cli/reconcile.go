package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ReconcileOptions are the flags of `reconcile`. --prune is that of the steering.
type ReconcileOptions struct {
	JobOptions
	Releases releaseFlags
	Image    string // --image: the pull spec of --release
	Held     heldFlags
	DryRun   bool // --dry-run
	ExitCode bool // --exit-code
}

func newCmdReconcile(f *Factory, runF func(*ReconcileOptions) error) *cobra.Command {
	o := &ReconcileOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:     "reconcile",
		Short:   "Grant what a release needs, and prune what it no longer needs",
		GroupID: groupJob,
		Long: text(`
			Compares the CredentialsRequests of two releases and adjusts the accounts. Before the upgrade (--from, --to) it
			only adds privileges: the running release keeps what it has, and what the next release does not need is listed.
			After the upgrade, --prune removes that: privileges, permissions, and accounts whose request is gone (which
			requires --from). --secrets proves that the cluster holds no such account, --applied asserts it. --kubeconfig reads the
			requests of the running cluster: in place of --from beside --to, else in place of --requests; with --prune it
			reads the cluster's secrets too.

			Privileges that a request asks for and the matrix lacks are saved in the provisioning file (-f) as
			privileges.added, with release and reason, before any vCenter is changed: a later apply keeps them and completes a
			run that was killed. --prune removes entries whose reason begins with "CredentialsRequest" or "matrix", as
			reconcile writes it; other entries are kept, and so is what a request asked for if no requests are given. Without
			-f, the lines to add to your provisioning file are printed. A privilege is granted where another matrix grants it,
			or on the objects whose methods need it; --place overrides this.

			No release lists privileges in its vSphere requests yet: until then the matrix is what counts, and --matrix-to
			selects that of the next release. A privilege that a vCenter does not know is an error; everything else is still
			done.

			Secrets that only the next release has, or that the running one has behind a feature gate, are created from the
			credentials file and held in --held DIR, because their namespaces may not exist before the upgrade. --release-held prints only those whose namespaces exist. A printed
			secret stays held until --secrets finds it in the cluster or --applied confirms it; with --output-dir, until its
			file is written. If an account was rotated meanwhile, its secret gets the current password; with -f, the secret of an
			account that was deleted stays held.

			A successful run with --release and --image records the release in the provisioning file, under
			reconciledAvailableUpdates, for 'reconcile status'; --prune removes all such records before it changes a vCenter,
			even with --components, says which later releases it undoes, and prints the commands that take them back in the
			cluster. --requests with --manifests writes the secrets of a first installation, and the config map
			that disables the cloud-credential-operator.`),
		Example: examples(`
			oc adm release extract --credentials-requests --cloud=vsphere --to=next quay.io/openshift-release-dev/ocp-release:4.23.0-x86_64
			ocp-vsphere-admin reconcile -f provisioning.yaml --from now --to next --release 4.23.0 --dry-run
			ocp-vsphere-admin reconcile -f provisioning.yaml --from now --to next --release 4.23.0
			ocp-vsphere-admin reconcile -f provisioning.yaml --from now --to next --held held --release 4.23.0 --image quay.io/openshift-release-dev/ocp-release:4.23.0-x86_64
			oc get namespaces -o yaml | ocp-vsphere-admin reconcile --release-held -f provisioning.yaml --held held --namespaces - | oc apply -f -   # during the upgrade
			ocp-vsphere-admin reconcile -f provisioning.yaml --from now --to next --prune --secrets secrets.yaml   # after the upgrade
			ocp-vsphere-admin reconcile -f provisioning.yaml --requests now --manifests install/manifests   # a first installation
			ocp-vsphere-admin reconcile -f provisioning.yaml --kubeconfig kubeconfig --dry-run --exit-code   # every night`),
		Args: noWords,
		RunE: action(o, runF, reconcileRun, func(cmd *cobra.Command, _ []string) error {
			if err := o.kept(cmd.Flags()); err != nil {
				return err
			}
			return o.check(isSettled(cmd.Flags(), "output"))
		}),
	}
	runsItself(cmd)
	changes(cmd)
	o.register(cmd)
	o.registerView(cmd)
	o.Releases.Register(cmd)
	o.Held.Register(cmd)
	o.registerDisplace(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.Image, "image", "", "pull spec of --release, as the cluster's update lists it: a successful run records the release as reconciled")
	markCommandLineOnly(cmd, "image")
	flags.BoolVar(&o.Prune, "prune", false, "after the upgrade: remove what the release does not need, and accounts that the specification does not name")
	markCommandLineOnly(cmd, "prune")
	flags.BoolVar(&o.DryRun, "dry-run", false, "show what would be changed, and change nothing")
	flags.BoolVar(&o.ExitCode, "exit-code", false, "with --dry-run: exit with 2 if anything would change")
	registerCreateFolders(cmd, &o.CreateFolders)
	cmd.AddCommand(newCmdReconcileStatus(f, nil))
	return cmd
}

// check looks whether the words go together and say enough. settled: -o is a setting, and not of this command line.
func (o *ReconcileOptions) check(settled bool) error {
	if o.Held.Release && o.Output == term.FormatJSON && !settled {
		return badFlag("output", "secrets are YAML")
	}
	if err := o.Held.check(&o.Releases, o.Prune); err != nil || o.Held.Release {
		return err
	}
	if o.ExitCode && !o.DryRun {
		return badFlag("exit-code", "add --dry-run, or omit this")
	}
	if source := o.Connection.Source; o.Prune && len(source.VCenters) > 0 && (source.File != "" || source.InstallConfig != "") {
		return badFlag("vcenters", "--prune removes entries from the provisioning file, which applies to all vCenters: omit this")
	}
	if err := o.checkImage(); err != nil {
		return err
	}
	return o.Releases.check()
}

// reconciling is reconcile under way.
type reconciling struct {
	*ReconcileOptions
	*reconcile.Result
	from, to *openshift.Requests // from is nil where it is not compared
	work     *work
	record   *reconciledRecord
	holds    held.Dir // of --held
	used     inUse    // what the cluster still needs, of --prune
}

func reconcileRun(ctx context.Context, o *ReconcileOptions) error {
	if o.Held.Release {
		return o.releaseHeld(ctx)
	}
	open, err := o.opener(ctx)
	if err != nil {
		return err
	}
	r, err := o.start(ctx, open)
	if err != nil {
		return err
	}
	return r.run(ctx)
}

// secrets are those of the running cluster.
func (o *ReconcileOptions) secrets() *secretsFlags {
	return &secretsFlags{o.Held.Secrets, o.Releases.Cluster}
}

// start reads what the flags name, says what the specification becomes, and makes the job for that. open decrypts held secrets.
// Places that cannot be written are refused before anybody is asked for a login.
func (o *ReconcileOptions) start(ctx context.Context, open func(string, []byte) ([]byte, error)) (*reconciling, error) {
	wanted, admin, tls, err := o.Connection.Resolve(o.Streams)
	if err != nil {
		return nil, err
	}
	options, err := o.Releases.resolve(ctx, o.Factory, wanted)
	if err != nil {
		return nil, err
	}
	options.Prune = o.Prune
	result, err := reconcile.Reconcile(options)
	if err != nil {
		return nil, err
	}
	r := &reconciling{ReconcileOptions: o, Result: result, from: options.From, to: options.To, record: o.record(result)}
	if err := r.record.look(); err != nil {
		return nil, err
	}
	if r.holds, err = o.holding(result.Spec, open); err != nil {
		return nil, err
	}
	if o.Held.Dir != "" {
		if err := r.holds.Check(); err != nil {
			return nil, err
		}
	}
	if err := r.checkManifests(); err != nil {
		return nil, err
	}
	if o.Prune {
		used := usedFlags{*o.secrets(), o.Held.Applied}
		if r.used, err = used.inUse(ctx, o.Factory); err != nil {
			return nil, err
		}
	}
	r.work, err = o.open(ctx, request{
		extent: extent{writes: !o.DryRun, volumes: r.used.volumes}, said: o.said, wanted: result.Spec, admin: admin, tls: tls,
		formerly: result.Gone,
		Steering: savedplan.Steering{Additive: !o.Prune, Prune: o.Prune, CreateFolders: o.CreateFolders},
	})
	return r, err
}

// run plans, asks, writes the file, does and proves.
func (r *reconciling) run(ctx context.Context) error {
	w := r.work
	var view *reconciliationView
	var proved error
	c := change{
		command: "reconcile", own: r.Releases.words(), what: "the reconciliation", question: "grant what the release needs?",
		plan: w.plan,
		preface: func(p *plan.Plan, to io.Writer, width int) error {
			view = r.view(p)
			r.remark()
			return view.render(to, width)
		},
		view: func(*plan.Plan) any { return view },
		do: func(ctx context.Context, p *plan.Plan) ([]string, error) {
			err := w.job.Apply(ctx, p, true)
			if err == nil {
				view.Verification = w.job.Verify(ctx)
			}
			return nil, err
		},
		dryRun: r.DryRun, exitCode: r.ExitCode, clears: r.Prune, used: r.used, records: []record{r.record},
		proof: func(*plan.Plan) {
			if r.Output == term.FormatTable {
				proved = w.verified(view.Verification, Standard{AllowUnverified: true, AllowUnable: true})
			} else {
				proved = judged(view.Verification, Standard{AllowUnverified: true, AllowUnable: true})
			}
		},
		left: func(err error) error {
			err = joined(err, view.unknown())
			if r.DryRun {
				return err
			}
			if err == nil {
				err = proved
			}
			return r.incomplete(err)
		},
		next: func(*plan.Plan) error {
			if !r.Prune && len(r.Unneeded) > 0 {
				r.forPeople(r.nextPrune)
			}
			return r.after(r.holds, r.update())
		},
	}
	if r.Prune {
		c.question, c.own = "remove what the release does not need?", append(c.own, "--prune")
	}
	return w.change(ctx, c)
}
