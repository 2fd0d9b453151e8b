package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ApplyOptions are the words of `apply`.
type ApplyOptions struct {
	JobOptions
	Plan   string // --plan
	Digest string // --digest

	saved *savedPlan // what Plan holds
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ctx = cmd.Context()
			return run(runF, applyRun)(o)
		},
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

func applyRun(o *ApplyOptions) error {
	job, wanted, finish, err := o.start()
	if err != nil {
		return err
	}
	defer finish()
	p := o.plan(job)
	if o.saved != nil {
		if err := o.remedySaved(p.Findings, planned(p), o.saved); err != nil {
			return err
		}
	}
	p.Seal(o.approvedFor(wanted))
	applied, err := o.approved(job, p)
	if err != nil {
		return err
	}
	if len(p.VCenters) > 0 && allFailed(p) {
		return p.Err()
	}
	if applied {
		p.Execute(o.ctx, plan.ExecuteOptions{}) // there is nothing to do, and the report says so
		o.Infof("%s was already applied: nothing was done", o.Plan)
	} else if err := o.work(job, p); err != nil {
		return err
	}
	finish()
	if err := o.report(p); err != nil {
		return err
	}
	if err := ended(p); err != nil {
		if outcome(p) != nil {
			o.Infof("what was done stays; running the same command again does the rest")
		}
		return err
	}
	if o.Output == term.FormatTable {
		if !missing(o.credentials) { // all accounts may belong to others
			o.Infof("the passwords are in %s", o.credentials)
		}
		words := o.repeat("verify")
		if o.saved != nil {
			words, err = o.afterSaved(o.saved, "verify")
		}
		if err != nil {
			return err
		}
		o.next("ocp-vsphere-admin %s", after("verify", words))
	}
	return nil
}

// work asks and applies.
func (o *ApplyOptions) work(job *provision.Job, p *plan.Plan) error {
	if !o.agreed(p) {
		if err := o.agree(p, o.Plan != "" && o.Yes, "applying", func() (bool, error) { return o.Confirm(o.ctx, "apply these changes?") }); err != nil {
			return err
		}
	}
	if err := o.agreeDisplacing(p); err != nil {
		return err
	}
	return job.Apply(o.ctx, p, true)
}

// start makes the job from the flags or from a saved plan.
func (o *ApplyOptions) start() (job *provision.Job, wanted *spec.Spec, finish func(), err error) {
	if o.Digest != "" {
		if err := plan.CheckDigest(o.Digest); err != nil {
			return nil, nil, nil, badFlag("digest", "%w", err)
		}
	}
	if o.Plan == "" {
		job, wanted, finish, err = o.begin(true)
		return job, wanted, once(finish), err
	}
	if o.saved, err = loadPlan(o.Plan); err != nil {
		return nil, nil, nil, err
	}
	if o.Digest != "" && o.Digest != o.saved.Digest {
		return nil, nil, nil, errOtherDigest(o.Plan+" has", o.saved.Digest)
	}
	wanted = o.saved.wanted
	addresses, err := pairs("connect-to", "server=host:port", o.Connection.Source.ConnectTo)
	if err == nil {
		err = connectTo(wanted, addresses, o.Connection.Source.settled())
	}
	admin, adminErr := o.Connection.Admin.Resolve(o.Streams)
	tls, tlsErr := o.Connection.TLS.Resolve(o.Streams, servers(wanted))
	if err := errors.Join(err, adminErr, tlsErr); err != nil {
		return nil, nil, nil, err
	}
	o.Steering, o.matrix, o.instances = o.saved.Options, o.saved.matrix, o.saved.instances()
	job, wanted, finish, err = o.open(wanted, admin, tls, true)
	return job, wanted, once(finish), err
}

// once makes finish harmless to call again.
func once(finish func()) func() {
	done := false
	return func() {
		if !done && finish != nil {
			done = true
			finish()
		}
	}
}

func allFailed(p *plan.Plan) bool {
	for _, v := range p.VCenters {
		if v.Error == "" {
			return false
		}
	}
	return true
}

// agree shows the plan, unless it was seen when it was saved, and asks, unless there is nothing to do or --yes was given.
func (o *JobOptions) agree(p *plan.Plan, seen bool, what string, ask func() (bool, error)) error {
	var err error
	if o.progress != nil {
		o.progress.Pause() // a line painted now would take the plan's end, or the question, away
	}
	switch asking := !p.Empty() && !o.Yes; {
	case seen:
		err = plan.Found(o.Err, p.Findings)
	case o.Output == term.FormatTable:
		err = o.render(p)
	case asking: // nobody can agree to what was not shown; stdout is for the report
		err = p.Renderer(o.ErrColors().Sign)(o.Err)
	}
	if err != nil || p.Empty() || o.Yes {
		return err
	}
	if p.Summary.Create+p.Summary.Update > 0 {
		o.supported()
	}
	ok, err := ask()
	switch {
	case errors.Is(err, term.ErrNoInput):
		return hint.Errorf("--yes confirms", "%s needs a confirmation, and %w", what, err)
	case err != nil:
		return err
	case !ok:
		return refused(what)
	}
	return nil
}

// report prints what became of the changes: all of it for machines, what went wrong and the count for people, who have
// just read the plan.
func (o *JobOptions) report(p *plan.Plan) error {
	if o.Output == term.FormatTable {
		return o.Print(o.Output, p, p.Reporter(o.OutColors().Sign))
	}
	return o.render(p)
}
