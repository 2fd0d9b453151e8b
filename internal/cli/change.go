package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// change is what a command changes, as data: how it is planned, asked about and done, and what comes next. [work.change] is the one
// way to make it, with the same guards for every command.
type change struct {
	command  string   // its name
	own      []string // flags of its own that name it again
	within   []string // settings that these flags hold already
	what     string   // the change, as the subject of an error
	question string   // asked below the plan, answered with yes
	name     string   // the answer, where yes is not enough; "" = it is

	plan func(context.Context) *plan.Plan
	do   func(context.Context, *plan.Plan) (warnings []string, err error)

	dryRun, exitCode bool
	settles          bool                           // a finding is something that was asked for and cannot be done, so a dry run fails for it, too
	revokes          bool                           // what it takes from an account is all that the account may do
	replaced         func() []provision.Replacement // what took the place of accounts that go, and keeps their rights; nil = nothing did
	clears           bool                           // the file records no release as reconciled afterwards, whatever the plan is; without a file, that is said if anything is done
	used             command.InUse
	seen             bool   // the plan was seen when it was saved
	agreed           string // digest of the plan that this person has seen and agreed to; "" = none

	check   func(context.Context, *plan.Plan) error           // what has to be so before anything is asked
	preface func(p *plan.Plan, to io.Writer, width int) error // what is said above the plan
	ready   func(*plan.Plan)                                  // says below the plan what to have ready
	view    func(*plan.Plan) any                              // the document that holds the plan; nil = the plan is it
	records []record                                          // what must be on disk before any vCenter is changed
	proof   func(*plan.Plan)                                  // says below the report what is found afterwards
	left    func(err error) error                             // what the run did not get to, with its outcome
	next    func(*plan.Plan) error                            // says what comes next, once all is done or an account has changed over
}

// record is a file that says what a change does.
type record interface {
	pending() string // the path, where the file does not say so yet; "" = it does, or there is none
	write() error
	tell(done bool)
}

// changes marks a command that makes changes.
func changes(cmd *cobra.Command) { cmd.Annotations = merged(cmd.Annotations, changesMark) }

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

// change plans a change, asks, does it and reports.
func (w *work) change(ctx context.Context, c change) error {
	defer w.finish()
	if alter, ok := ctx.Value(alteration{}).(func(*change)); ok {
		alter(&c)
	}
	p := c.plan(ctx)
	if c.dryRun {
		return w.tried(p, c)
	}
	if c.check != nil {
		if err := c.check(ctx, p); err != nil {
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
	for _, r := range c.records {
		if err := r.write(); err != nil {
			return err
		}
	}
	if err := w.undoing(p, c).write(); err != nil {
		return err
	}
	warnings, err := c.do(ctx, p)
	return w.ended(p, c, warnings, err)
}

// tried shows a plan that is not to be done, and what else would be.
func (w *work) tried(p *plan.Plan, c change) error {
	w.finish()
	if err := w.prefaced(p, c); err != nil || w.cut(p) {
		return errors.Join(err, outcome(p))
	}
	if err := w.render(p, c.view); err != nil {
		return err
	}
	if c.ready != nil {
		c.ready(p)
	}
	pending := false
	for _, r := range c.records {
		r.tell(false)
		pending = pending || r.pending() != ""
	}
	w.undoing(p, c).tell(false)
	err := w.outcomeBelow(p)
	if err == nil {
		err = w.stillUsed(p, c)
	}
	if err == nil && c.replaced != nil && !p.Empty() {
		w.switching(c)
	}
	if c.left != nil {
		err = c.left(err)
	}
	if c.settles {
		err = leaving(err, p.Findings)
	}
	if err == nil && c.exitCode && (p.Differs() || pending) {
		return command.Exit(command.ExitDifferent)
	}
	return err
}

// prefaced says what stands above the plan, where the plan will be read.
func (w *work) prefaced(p *plan.Plan, c change) error {
	w.progress.Pause() // a line painted now would take the plan's end, or the question, away
	switch {
	case c.preface == nil:
		return nil
	case w.Output == term.FormatTable:
		return c.preface(p, w.Out, w.Width())
	case c.dryRun || w.Yes:
		return c.preface(p, io.Discard, 0)
	}
	return c.preface(p, w.Err, 0)
}

// agree shows the plan, unless it was seen when it was saved, and asks, unless there is nothing to do or --yes was given.
func (w *work) agree(ctx context.Context, p *plan.Plan, c change) error {
	if c.agreed != "" && c.agreed == p.Digest && len(w.unproven(p, c)) == 0 {
		return nil
	}
	err := w.prefaced(p, c)
	if w.cut(p) {
		return outcome(p)
	}
	switch asking := !p.Empty() && !w.Yes; {
	case err != nil:
	case c.seen:
		err = plan.Found(w.Err, w.Width(), p.Findings)
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
	if p.Summary.Create+p.Summary.Update > 0 {
		w.Supported()
	}
	if c.ready != nil {
		c.ready(p)
	}
	return w.confirmed(c.what, func() (bool, error) { return w.ask(ctx, p, c) }, w.needsYes(p, c))
}

// agreeWriting asks for what is written although the vCenters need no change.
func (w *work) agreeWriting(ctx context.Context, c change) error {
	for _, r := range c.records {
		if path := r.pending(); path != "" {
			ask := func() (bool, error) { return w.Confirm(ctx, "the vCenters need no change: write this to "+path+"?") }
			if err := w.confirmed(c.what, ask, w.needsYes(&plan.Plan{}, c)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask asks about a plan, and says so where it is not to be done on every vCenter, and where nobody knows whether a cluster uses what goes.
func (w *work) ask(ctx context.Context, p *plan.Plan, c change) (bool, error) {
	question, part := c.question, p.Part()
	if part != "" {
		question = strings.TrimSuffix(question, "?") + " " + part
	}
	if part != "" && c.name == "" {
		question += "?"
	}
	if len(w.unproven(p, c)) > 0 {
		question = "not all of the cluster's secrets were checked (--secrets): what still uses these accounts is locked out; " + question
	}
	if needed := needed(p); len(needed) > 0 {
		question = "virtual machines still need " + strings.Join(needed, ", ") + ": afterwards the cluster can neither change nor remove its machines there; " + question
	}
	if narrows := narrows(p); narrows != "" {
		question = narrows + "; " + question
	}
	if c.name == "" {
		return w.Confirm(ctx, question)
	}
	answer, err := w.Prompt(ctx, question+", type the cluster's name ("+c.name+")", "")
	if err == nil && strings.TrimSpace(answer) != c.name {
		err = errors.New("the cluster name does not match; nothing was removed")
	}
	return true, err
}

// needsYes is the error where nobody can be asked.
func (w *work) needsYes(p *plan.Plan, c change) func(error) error {
	return func(err error) error {
		confirms := "--yes confirms"
		switch {
		case len(needed(p)) > 0, narrows(p) != "":
			confirms += ", with --applied"
		case len(w.unproven(p, c)) > 0:
			confirms += ", with --secrets or --applied"
		}
		return hint.Errorf(confirms, "%s needs confirmation: %w", c.what, err)
	}
}

// ended reports what became of a plan, once everybody is logged out: all of it for machines, what went wrong and the count for people,
// who have just read the plan. Then it says what is left, and what comes next.
func (w *work) ended(p *plan.Plan, c change, warnings []string, err error) error {
	saved := err == nil
	w.finish()
	w.Warn(warnings...)
	for _, f := range p.Findings {
		if f.Code == finding.UnknownBefore {
			w.Warnf("%s", f.Text)
		}
	}
	if p.Kind == plan.KindApplied {
		err = errors.Join(err, w.Print(w.Output, viewed(p, c.view), p.Reporter(w.Show.Full)))
	}
	if saved && c.proof != nil {
		c.proof(p)
	}
	for _, r := range c.records {
		r.tell(true)
	}
	again := cmp.Or(w.again, theSame)
	if w.handover != nil {
		w.handover.written(w)
		again = "run it again with another file in --out"
	}
	if len(vcenter.MissingPrivileges(p.Err())) > 0 { // the same is refused until somebody grants it
		again = "'" + w.CommandLine("doctor", w.said) + "' shows what the administrator lacks; with it, " + again
	}
	unfinished(w.Factory, p, again)
	if err == nil {
		err = outcome(p)
	}
	left := leaving(err, p.Findings)
	if c.left != nil {
		left = c.left(left)
	}
	if c.next != nil && (left == nil || saved && changedOver(p)) {
		left = command.Joined(left, c.next(p))
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

// theSame is the command that completes what was not done.
const theSame = "run the same command again"

// unfinished says in one line how far a plan got that was not done to its end, and what completes it.
func unfinished(f *command.Factory, p *plan.Plan, again string) {
	if outcome(p) == nil {
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
