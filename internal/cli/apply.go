package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ApplyOptions are the words of `apply`.
type ApplyOptions struct {
	JobOptions
	Plan   string // --plan
	Digest string // --digest
}

func newCmdApply(f *Factory, runF func(*ApplyOptions) error) *cobra.Command {
	o := &ApplyOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:     "apply",
		Short:   "Make roles, accounts and permissions what they shall be",
		GroupID: groupJob,
		Long: text(`
			Plans, asks, does and reports. Every password stands in the credentials file before its vCenter hears of it, so
			a run that ends anywhere is completed by running it again. What others gave an adopted account, and roles
			that others hold, are changed only where that is confirmed apart (--displace); destroy gives it back. One failing vCenter does not stop the others (exit code 3). Where the password of an account is lost,
			apply does the rest, names the command that heals it, and ends with exit code 1.`),
		Example: examples(`
			ocp-vsphere-admin apply --install-config install-config.yaml
			ocp-vsphere-admin apply -f provisioning.yaml --yes --admin-credentials admins.ini
			ocp-vsphere-admin apply --plan plan.json
			ocp-vsphere-admin apply --plan plan.json --digest "$APPROVED"   # the digest as the approver sent it`),
		Args: noWords,
		RunE: action(o, runF, applyRun),
	}
	o.register(cmd)
	o.registerSteering(cmd)
	o.registerDisplace(cmd)
	cmd.Flags().StringVar(&o.Plan, "plan", "", "do what plan --out saved and shows, or nothing if the vCenters need anything else")
	_ = cmd.MarkFlagFilename("plan", "json")
	cmd.Flags().StringVar(&o.Digest, "digest", "", "do only the plan with this digest, as plan printed it to whoever approved it")
	for _, other := range plannedFlags() {
		cmd.MarkFlagsMutuallyExclusive("plan", other)
	}
	return cmd
}

func applyRun(ctx context.Context, o *ApplyOptions) error {
	a, err := o.start(ctx)
	if err != nil {
		return err
	}
	return a.run(ctx)
}

// applying is apply under way.
type applying struct {
	*work
	saved  *savedplan.Saved // of --plan; nil = none
	path   string           // where it was
	digest string           // of the plan that was approved elsewhere; "" = none was
	agreed string           // of the plan that this person has seen and agreed to; "" = none
}

// start makes the job from the flags or from a saved plan.
func (o *ApplyOptions) start(ctx context.Context) (*applying, error) {
	if o.Digest != "" {
		if err := plan.CheckDigest(o.Digest); err != nil {
			return nil, badFlag("digest", "%w", err)
		}
	}
	if o.Plan == "" {
		w, err := o.begin(ctx, extent{writes: true})
		return &applying{work: w, digest: o.Digest}, err
	}
	saved, err := savedplan.Load(o.Plan)
	if err != nil {
		return nil, badFlag("plan", "%w", err)
	}
	if o.Digest != "" && o.Digest != saved.Digest {
		return nil, errOtherDigest(o.Plan+" has", saved.Digest)
	}
	err = o.Connection.Source.ConnectTo.apply(saved.Wanted)
	admin, adminErr := o.Connection.Admin.Resolve(o.Streams)
	tls, tlsErr := o.Connection.TLS.Resolve(o.Streams, servers(saved.Wanted))
	if err := errors.Join(err, adminErr, tlsErr); err != nil {
		return nil, err
	}
	w, err := o.open(ctx, request{
		extent: extent{writes: true}, Steering: saved.Options, said: invocation(saved.Invocation).only(savedFlags()...).then(o.said), wanted: saved.Wanted, admin: admin, tls: tls,
		matrix: saved.Own, instances: saved.Instances(),
	})
	return &applying{work: w, saved: saved, path: o.Plan, digest: o.Digest}, err
}

// run plans, asks, applies and reports.
func (a *applying) run(ctx context.Context) error {
	defer a.finish()
	p := a.plan(ctx)
	p.Seal(a.approvedFor())
	applied, err := a.approved(ctx, p)
	if err != nil {
		return err
	}
	if len(p.VCenters) > 0 && allFailed(p) {
		return p.Err()
	}
	if applied {
		p.Execute(ctx, plan.ExecuteOptions{}) // there is nothing to do, and the report says so
		a.Infof("%s was already applied: nothing was done", a.path)
	} else if err := a.apply(ctx, p); err != nil {
		return err
	}
	if err := a.reported(p); err != nil {
		return err
	}
	if a.Output == term.FormatTable {
		if !missing(a.credentials) { // all accounts may belong to others
			a.Infof("the passwords are in %s", a.credentials)
		}
		a.next(a.command("verify", a.said))
	}
	return nil
}

// apply asks and applies.
func (a *applying) apply(ctx context.Context, p *plan.Plan) error {
	if a.agreed == "" || a.agreed != p.Digest {
		seen := a.saved != nil && a.Yes
		if err := a.agree(p, seen, "applying", func() (bool, error) { return a.Confirm(ctx, "apply these changes?") }); err != nil {
			return err
		}
	}
	if err := a.agreeDisplacing(ctx, p); err != nil {
		return err
	}
	return a.job.Apply(ctx, p, true)
}
