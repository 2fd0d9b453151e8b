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

// Run is a job that has begun: whatever a command line, a saved plan or the wizard asked for, read, opened and locked.
type Run struct {
	*Options
	Invocation  command.Invocation // what named it, for the next command
	Job         *provision.Job
	Wanted      *spec.Spec
	given       *installconfig.Given
	running     *spec.Spec         // the cluster as it is; nil = it was not named
	steering    savedplan.Steering // what its plan is steered by
	matrixText  []byte             // of a matrix that is a file
	Credentials string             // path of the credentials file; "" where the job has none
	Handover    *Handover          // whom the passwords are encrypted to; nil = nobody, they are in that file
	here        []string           // its vCenters under all names that a secret may have for them
	progress    *term.Progress     // the live lines
	saidWhere   bool               // it was said where else these accounts may be
	Again       string             // what completes a run that was not done to its end; "" = the same command
	reach       func(spec.VCenter) vcenter.Config
	Finish      func() // logs out, unlocks and ends the live lines; harmless to call again
}

// Plan makes the plan, with the commands for what is not in its changes.
func (w *Run) Plan(ctx context.Context) *plan.Plan {
	p := w.Job.Plan(ctx)
	if w.running != nil {
		w.here = w.Job.NamesOf(ctx, command.Servers(w.running)...)
	}
	w.Handover.expect(p)
	w.Advice().Fill(w.Credentials, p.Findings)
	p.Findings = append(p.Findings, w.transition(p)...)
	return p
}

// outcomeBelow is the outcome of a plan that was just shown. Its map ends with why vCenters could not be planned and what to do about
// it; where the same person reads the error, only how many they are is said again.
func (w *Run) outcomeBelow(p *plan.Plan) error {
	unplanned := len(p.Unread())
	if unplanned == 0 || w.Output != term.FormatTable || !w.OneReader() {
		return Outcome(p)
	}
	return command.Partly(p.Partial(), fmt.Errorf("%s could not be planned; see attention", term.Count(unplanned, "vCenter")))
}

// cut reports whether an interrupt ended the reading. Part of a plan is of no use to a person.
func (w *Run) cut(p *plan.Plan) bool { return w.Output == term.FormatTable && p.Interrupted() }

// RegisterDisplace adds the confirmation of what changes others' permissions. It decides nothing about a plan, so a saved one
// does not hold it, and no settings file gives it: it is about one plan that somebody has read.
func (o *Options) RegisterDisplace(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Displace, "displace", false, "confirm changes to permissions and roles of others")
	command.MarkCommandLineOnly(cmd, "displace")
}

// confirmed asks. unasked is the error where nobody can be asked.
func (w *Run) confirmed(what string, ask func() (bool, error), unasked func(error) error) error {
	ok, err := ask()
	switch {
	case errors.Is(err, term.ErrNoInput):
		return unasked(err)
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%s was not confirmed; nothing was done", what)
	}
	return nil
}

// render prints a plan, as a document within what view gives.
func (o *Options) render(p *plan.Plan, view func(*plan.Plan) any) error {
	return o.Print(o.Output, viewed(p, view), func(w io.Writer) error { return overview.Renderer(p, o.view(o.OutColors()))(w) })
}

func allFailed(p *plan.Plan) bool {
	return len(p.VCenters) > 0 && len(p.Unread()) == len(p.VCenters)
}

// Outcome turns what became of a plan into an error and an exit code: 3 where some vCenters failed and others did not.
func Outcome(p *plan.Plan) error {
	if err := command.Partly(p.Partial(), p.Err()); err != nil {
		return err
	}
	if slices.ContainsFunc(p.VCenters, (*plan.VCenter).Failed) {
		return command.Exit(command.ExitFailed)
	}
	return nil
}

// leaving is an error, with its exit code, and that of what a plan leaves; nil where there is neither.
func leaving(err error, p *plan.Plan) error {
	return command.Joined(err, unsettled(p))
}

// unsettled is the error of a command that has done what it can and leaves these; nil where there are none.
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
func (w *Run) Sealed(ctx context.Context) *plan.Plan {
	p := w.Plan(ctx)
	p.Seal(w.decided())
	return p
}

// ShowPlan prints a plan that is not to be done.
func (w *Run) ShowPlan(p *plan.Plan) error {
	w.Finish()
	if w.cut(p) {
		return Outcome(p)
	}
	if err := w.render(p, nil); err != nil {
		return err
	}
	return w.outcomeBelow(p)
}

// MatrixDigest is that of the matrix of the job; see [privileges.Digest].
func (w *Run) MatrixDigest() string {
	return privileges.Digest(w.Wanted.Privileges.Matrix, w.matrixText)
}

// ViewFlags say how a plan is shown.
type ViewFlags struct {
	Full       bool // --full
	Privileges bool // --privileges
}

// Register adds them. Plans of accounts alone have no roles.
func (v *ViewFlags) Register(cmd *cobra.Command, roles bool) {
	cmd.Flags().BoolVar(&v.Full, "full", false, "show one line per change instead of the map")
	if roles {
		cmd.Flags().BoolVar(&v.Privileges, "privileges", false, "show the privileges of each role")
		cmd.MarkFlagsMutuallyExclusive("full", "privileges")
	}
}

// Options are how a plan is shown on lines of this width in these colours.
func (v *ViewFlags) Options(width int, colors term.Palette) overview.Options {
	return overview.Options{Width: width, Paint: colors.Sign, Full: v.Full, Privileges: v.Privileges}
}

// RegisterView adds the flags that say how the plan is shown.
func (o *Options) RegisterView(cmd *cobra.Command) { o.Show.Register(cmd, o.Only != plan.User) }

func (o *Options) view(colors term.Palette) overview.Options {
	return o.Show.Options(o.Width(), colors)
}
