package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Run is a job that has begun: its request read, files opened and locked.
type Run struct {
	*Options
	Invocation  command.Invocation // what named it, for the next command
	Job         *provision.Job
	Wanted      *spec.Spec
	given       *installconfig.Given
	running     *spec.Spec // the cluster as it is; nil = it was not named
	used        command.InUse
	steering    savedplan.Steering // what its plan is steered by
	matrixText  []byte             // of a matrix that is a file
	Credentials string             // path of the credentials file; "" where the job has none
	Handover    *Handover          // the recipients of the passwords; nil = none, they are in that file
	here        []string           // its vCenters under all names that a secret may have for them
	progress    *term.Progress     // the live lines
	reached     []string           // the vCenters that it changes, where it does not reach all; nil = all
	saidWhere   bool               // it was said where else these accounts may be
	Again       string             // completes an unfinished run; "" = the same command
	Unsourced   bool               // init: the provisioning file is written after its plan
	// InstallConfig is what the provisioning file was made from; "" = it is not known.
	InstallConfig string
	reach         func(spec.VCenter) vcenter.Config
	Finish        func() // logs out, unlocks and ends the live lines; harmless to call again
}

// SureOfCluster has a person confirm that another cluster than the run's is meant, if one is named.
func (r *Run) SureOfCluster(ctx context.Context, subject string) error {
	return r.Sure(ctx, subject, r.Wanted, r.used.Cluster)
}

// Plan makes the plan, with commands for its findings.
func (r *Run) Plan(ctx context.Context) *plan.Plan {
	p := r.Job.Plan(ctx)
	if r.running != nil {
		r.here = r.Job.NamesOf(ctx, command.Servers(r.running)...)
	}
	r.Handover.expect(p)
	r.Advice().Fill(r.Credentials, p.Findings)
	p.Findings = slices.Concat(p.Findings, r.given.Refused(), r.transition(p))
	return p
}

// outcomeBelow is the outcome below a printed plan, which names failed vCenters already.
func (r *Run) outcomeBelow(p *plan.Plan) error {
	unplanned := len(p.Unread())
	if unplanned == 0 || r.Output != term.FormatTable || !r.OneReader() {
		return Outcome(p)
	}
	return command.Partly(p.Partial(),
		fmt.Errorf("%s could not be planned; see attention", term.Count(unplanned, "vCenter")))
}

// cut reports whether an interrupt ended the reading, so that a partial plan is not shown.
func (r *Run) cut(p *plan.Plan) bool { return r.Output == term.FormatTable && p.Interrupted() }

// RegisterDisplace adds the confirmation of changes to others' permissions. It is about one plan
// that the person has read, so neither saved plans nor settings hold it.
func (o *Options) RegisterDisplace(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Displace, "displace", false, "confirm changes to permissions and roles of others")
	command.MarkCommandLineOnly(cmd, "displace")
}

// render prints a plan, as a document within view's.
func (o *Options) render(p *plan.Plan, view func(*plan.Plan) any) error {
	return o.Print(o.Output, viewed(p, view), func(w io.Writer) error {
		return overview.Renderer(p, o.view(o.OutColors()))(w)
	})
}

// Outcome is the error and exit code of a plan: 3 if some vCenters failed and others did not.
func Outcome(p *plan.Plan) error {
	if err := command.Partly(p.Partial(), p.Err()); err != nil {
		return err
	}
	if slices.ContainsFunc(p.VCenters, (*plan.VCenter).Failed) {
		return command.Exit(command.ExitFailed)
	}
	return nil
}

// leaving joins an error, with its exit code, and that of what a plan leaves; nil = neither.
func leaving(err error, p *plan.Plan) error {
	return command.Joined(err, unsettled(p))
}

// unsettled is the error of findings that a complete run leaves; nil = none.
func unsettled(p *plan.Plan) error {
	var errs []error
	stays, done := false, !p.Empty()
	if p.Kind == plan.KindApplied {
		made, _ := p.Made()
		done = made > 0
	}
	for _, f := range plan.Fold(p.Findings) {
		if !f.Advice() {
			errs = append(errs, hint.Wrap(errors.New(f.String()), f.Remedies...))
			stays = stays || f.Code == finding.StaysBehind || f.Code == finding.BlockedRotation && done
		}
	}
	return command.Partly(stays, errors.Join(errs...))
}

// Sealed makes the plan, sealed with all that decides it.
func (r *Run) Sealed(ctx context.Context) *plan.Plan {
	p := r.Plan(ctx)
	p.Seal(r.decided())
	return p
}

// ShowPlan prints a plan that is not made.
func (r *Run) ShowPlan(p *plan.Plan) error {
	r.Finish()
	if r.cut(p) {
		return Outcome(p)
	}
	if err := r.render(p, nil); err != nil {
		return err
	}
	return r.outcomeBelow(p)
}

// MatrixDigest is that of the job's matrix; see [privileges.Digest].
func (r *Run) MatrixDigest() string {
	return privileges.Digest(r.Wanted.Privileges.Matrix, r.matrixText)
}

// ViewFlags say how a plan is shown.
type ViewFlags struct {
	Full       bool // --full
	Privileges bool // --privileges
}

// Register adds the flags. Plans of accounts alone have no roles.
func (v *ViewFlags) Register(cmd *cobra.Command, roles bool) {
	cmd.Flags().BoolVar(&v.Full, "full", false, "show one line per change instead of the map")
	if roles {
		cmd.Flags().BoolVar(&v.Privileges, "privileges", false, "show the privileges of each role")
		cmd.MarkFlagsMutuallyExclusive("full", "privileges")
	}
}

// Options are those of the overview for a width in columns and colours.
func (v *ViewFlags) Options(width int, colors term.Palette) overview.Options {
	return overview.Options{Width: width, Paint: colors.Sign, Own: colors.Own, Full: v.Full, Privileges: v.Privileges}
}

// RegisterView adds the flags of [ViewFlags].
func (o *Options) RegisterView(cmd *cobra.Command) { o.Show.Register(cmd, o.Only != plan.User) }

func (o *Options) view(colors term.Palette) overview.Options {
	return o.Show.Options(o.Width(), colors)
}
