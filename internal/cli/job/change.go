package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Change is what a command changes, as data: how it is planned, asked about and done, and what comes next. [Run.Change] is the one
// way to make it, with the same guards for every command.
type Change struct {
	Command     string   // its name
	Own         []string // flags of its own that name it again
	Within      []string // settings that these flags hold already
	Subject     string   // the change, as the subject of an error
	Question    string   // asked below the plan, answered with yes
	ConfirmName string   // the answer, where yes is not enough; "" = it is

	Plan func(context.Context) *plan.Plan
	Do   func(context.Context, *plan.Plan) (warnings []string, err error)

	DryRun, ExitCode bool
	FailsOnFindings  bool                           // a finding is something that was asked for and cannot be done, so a dry run fails for it, too
	Revokes          bool                           // what it takes from an account is all that the account may do
	Replaced         func() []provision.Replacement // what took the place of accounts that go, and keeps their rights; nil = nothing did
	ClearsReleases   bool                           // the file records no release as reconciled afterwards, whatever the plan is; without a file, that is said if anything is done
	Used             command.InUse
	Seen             bool   // the plan was seen when it was saved
	Agreed           string // digest of the plan that this person has seen and agreed to; "" = none

	Check   func(context.Context, *plan.Plan) error           // what has to be so before anything is asked
	Preface func(p *plan.Plan, to io.Writer, width int) error // what is said above the plan
	Ready   func(*plan.Plan)                                  // says below the plan what to have ready
	View    func(*plan.Plan) any                              // the document that holds the plan; nil = the plan is it
	State   *State                                            // what must be on disk before any vCenter is changed; nil = nothing
	Proof   func(*plan.Plan)                                  // says below the report what is found afterwards
	Left    func(err error) error                             // what the run did not get to, with its outcome
	Next    func(*plan.Plan) error                            // says what comes next, once all is done or an account has changed over
}

// MarkChanges marks a command that makes changes.
func MarkChanges(cmd *cobra.Command) { cmd.Annotations = merged(cmd.Annotations, changesMark) }

const changesMark = "changes vCenters"

func merged(annotations map[string]string, mark string) map[string]string {
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[mark] = "true"
	return annotations
}

// alteration is the key of what a test does to a change before it is made.
type alteration struct{}

// Change plans a change, asks, does it and reports.
func (w *Run) Change(ctx context.Context, c Change) error {
	defer w.Finish()
	if alter, ok := ctx.Value(alteration{}).(func(*Change)); ok {
		alter(&c)
	}
	p := c.Plan(ctx)
	if c.Used.Cluster != nil {
		w.here = w.Job.NamesOf(ctx, lists.Union(c.Used.Cluster.Serving(), c.Used.Cluster.Servers())...)
	}
	if c.DryRun {
		return w.tried(p, c)
	}
	if c.Check != nil {
		if err := c.Check(ctx, p); err != nil {
			return err
		}
	}
	if allFailed(p) {
		return p.Err()
	}
	if err := w.guarded(p, c); err != nil {
		return err
	}
	if err := w.agree(ctx, p, c); err != nil {
		return err
	}
	if err := w.agreeDisplacing(ctx, p); err != nil {
		return err
	}
	if err := c.State.Write(); err != nil {
		return hint.Wrap(err, "nothing was done on the vCenters")
	}
	if err := w.undoing(p, c).Record(); err != nil {
		return hint.Wrap(err, "nothing was done on the vCenters: the list of reconciled releases has to be cleared first")
	}
	warnings, err := c.Do(ctx, p)
	return w.ended(p, c, warnings, err)
}

// tried shows a plan that is not to be done, and what else would be.
func (w *Run) tried(p *plan.Plan, c Change) error {
	w.Finish()
	if err := w.prefaced(p, c); err != nil || w.cut(p) {
		return errors.Join(err, Outcome(p))
	}
	if err := w.render(p, c.View); err != nil {
		return err
	}
	if c.Ready != nil {
		c.Ready(p)
	}
	c.State.tell(false)
	w.undoing(p, c).tell(false)
	err := w.outcomeBelow(p)
	if err == nil {
		err = w.stillUsed(p, c)
	}
	if err == nil && c.Replaced != nil && !p.Empty() {
		w.switching(c)
	}
	if c.Left != nil {
		err = c.Left(err)
	}
	if c.FailsOnFindings {
		err = leaving(err, p)
	}
	if err == nil && c.ExitCode && (p.Differs() || c.State != nil && c.State.Changes) {
		return command.Exit(command.ExitDifferent)
	}
	return err
}

// prefaced says what stands above the plan, where the plan will be read.
func (w *Run) prefaced(p *plan.Plan, c Change) error {
	w.progress.Pause() // a line painted now would take the plan's end, or the question, away
	switch {
	case c.Preface == nil:
		return nil
	case w.Output == term.FormatTable:
		return c.Preface(p, w.Out, w.Width())
	case c.DryRun || w.Yes:
		return c.Preface(p, io.Discard, 0)
	}
	return c.Preface(p, w.Err, 0)
}

// agree shows the plan, unless it was seen when it was saved, and asks, unless there is nothing to do or --yes was given.
func (w *Run) agree(ctx context.Context, p *plan.Plan, c Change) error {
	if c.Agreed != "" && c.Agreed == p.Digest && len(w.unproven(p, c)) == 0 {
		return nil
	}
	err := w.prefaced(p, c)
	if w.cut(p) {
		return Outcome(p)
	}
	switch asking := !p.Empty() && !w.Yes; {
	case err != nil:
	case c.Seen:
		err = plan.Found(w.Err, w.Width(), slices.DeleteFunc(slices.Clone(p.Findings), func(f *finding.Finding) bool { return f.Object != nil && f.Advice() }))
	case w.Output == term.FormatTable:
		err = w.render(p, nil)
	case asking: // nobody can agree to what was not shown; stdout is for the report
		err = overview.Renderer(p, w.view(w.ErrColors()))(w.Err)
	}
	if err != nil || w.Yes {
		return err
	}
	if p.Empty() {
		return w.agreeWriting(ctx, c)
	}
	if c.Ready != nil {
		c.Ready(p)
	}
	return w.confirmed(c.Subject, func() (bool, error) { return w.ask(ctx, p, c) }, w.needsYes(p, c))
}

// agreeWriting asks for what is written although the vCenters need no change.
func (w *Run) agreeWriting(ctx context.Context, c Change) error {
	if c.State == nil || !c.State.Changes {
		return nil
	}
	ask := func() (bool, error) {
		return w.Confirm(ctx, "the vCenters need no change: write this to "+c.State.Path+"?")
	}
	return w.confirmed(c.Subject, ask, w.needsYes(&plan.Plan{}, c))
}

// ask asks about a plan, and says so where it is not to be done on every vCenter, and where nobody knows whether a cluster uses what goes.
func (w *Run) ask(ctx context.Context, p *plan.Plan, c Change) (bool, error) {
	question, part := c.Question, p.Part()
	if part != "" {
		question = strings.TrimSuffix(question, "?") + " " + part
	}
	if part != "" && c.ConfirmName == "" {
		question += "?"
	}
	for _, g := range slices.Backward(w.guards(p, c)) {
		question = g.asks + "; " + question
	}
	if c.ConfirmName == "" {
		return w.Confirm(ctx, question)
	}
	answer, err := w.Prompt(ctx, question+", type the cluster's name ("+c.ConfirmName+")", "")
	if err == nil && strings.TrimSpace(answer) != c.ConfirmName {
		err = errors.New("the cluster name does not match; nothing was removed")
	}
	return true, err
}

// needsYes is the error where nobody can be asked.
func (w *Run) needsYes(p *plan.Plan, c Change) func(error) error {
	return func(err error) error {
		confirms := "--yes confirms"
		if guards := w.guards(p, c); len(guards) > 0 {
			confirms += ", with " + guards[0].confirms
		}
		return hint.Errorf(confirms, "%s needs confirmation: %w", c.Subject, err)
	}
}

// ended reports what became of a plan, once everybody is logged out: all of it for machines, what went wrong and the count for people,
// who have just read the plan. Then it says what is left, and what comes next.
func (w *Run) ended(p *plan.Plan, c Change, warnings []string, err error) error {
	saved := err == nil
	w.Finish()
	w.Warn(warnings...)
	for _, f := range p.Findings {
		if f.Code == finding.UnknownBefore {
			w.Warnf("%s", f.Text)
		}
	}
	if p.Kind == plan.KindApplied {
		err = errors.Join(err, w.Print(w.Output, viewed(p, c.View), p.Reporter(w.Show.Full)))
	}
	if saved && c.Proof != nil {
		c.Proof(p)
	}
	c.State.tell(true)
	again := cmp.Or(w.Again, SameCommand)
	if w.Handover != nil {
		w.Handover.written(w)
		again = "run it again with another file in --out"
	}
	if len(vcenter.MissingPrivileges(p.Err())) > 0 { // the same is refused until somebody grants it
		again = "'" + w.CommandLine("doctor", w.Invocation) + "' shows what the administrator lacks; with it, " + again
	}
	unfinished(w.Factory, p, again)
	if err == nil {
		err = Outcome(p)
	}
	left := leaving(err, p)
	if c.Left != nil {
		left = c.Left(left)
	}
	if c.Next != nil && (left == nil || saved && changedOver(p)) {
		left = command.Joined(left, c.Next(p))
	}
	return left
}

// viewed is the document that holds a plan.
func viewed(p *plan.Plan, view func(*plan.Plan) any) any {
	if view == nil {
		return p
	}
	return view(p)
}

// changedOver reports whether the credentials file has something else for any account now: whatever is left to do, the cluster needs
// that.
func changedOver(p *plan.Plan) bool {
	for v, c := range p.Changes() {
		if after, ok := c.After.(plan.UserState); ok && v.Status(c) == plan.Done && (after.InsteadOf != "" || after.NewPassword) {
			return true
		}
	}
	return false
}

// SameCommand is the command that completes what was not done.
const SameCommand = "run the same command again"

// unfinished says in one line how far a plan got that was not done to its end, and what completes it.
func unfinished(f *command.Factory, p *plan.Plan, again string) {
	if Outcome(p) == nil {
		return
	}
	line := again + " to complete"
	if made, all := p.Made(); made < all {
		line = fmt.Sprintf("%d of %s made; %s", made, term.Count(all, "change"), line)
	}
	if p.Interrupted() {
		line = "interrupted: " + line
	}
	f.Infof("%s", line)
}
