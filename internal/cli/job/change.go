package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Change is a change as data: how it is planned, confirmed and made, and what follows.
type Change struct {
	Command     string   // its name
	Own         []string // flags of its own that name it again
	Within      []string // settings that these flags hold already
	Subject     string   // the change, as the subject of an error
	Question    string   // asked below the plan, answered with yes
	Partly      string   // asked instead if some vCenters could not be planned; "" = the same
	ConfirmName string   // the answer, where yes is not enough; "" = it is

	Plan func(context.Context) *plan.Plan
	Do   func(context.Context, *plan.Plan) error // adds findings of the run to the plan

	ExitCode        bool
	FailsOnFindings bool                           // findings fail a dry run, too
	Revokes         bool                           // it takes all permissions of an account
	Replaced        func() []provision.Replacement // what replaced removed accounts and keeps their rights; nil = none
	Grace           time.Duration                  // for which replaced accounts are disabled first; 0 = none are
	ClearsReleases  bool                           // the file records no release as reconciled afterwards
	Seen            bool                           // the plan was seen when it was saved
	Agreed          string                         // digest of the plan that this person has seen and agreed to; "" = none

	Check   func(context.Context, *plan.Plan) error           // checks before the question
	Preface func(p *plan.Plan, to io.Writer, width int) error // what is said above the plan
	Ready   func(*plan.Plan)                                  // says below the plan what to have ready
	View    func(*plan.Plan) any                              // the document with the plan; nil = the plan
	State   *State                                            // what to write before any vCenter is changed; nil = none
	Proof   func(*plan.Plan)                                  // prints findings below the report
	Left    func(err error) error                             // adds what the run did not get to
	Rest    func(*plan.Plan)                                  // prints what completes a run that did some; nil = [SameCommand]
	Next    func(*plan.Plan) error                            // prints the next step, after all or an account changed
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

// alteration is the key for tests that alter a change before it is made.
type alteration struct{}

// Change plans a change, asks, makes it and reports.
func (r *Run) Change(ctx context.Context, c Change) error {
	defer r.Finish()
	if alter, ok := ctx.Value(alteration{}).(func(*Change)); ok {
		alter(&c)
	}
	p := c.Plan(ctx)
	r.reached = p.Reached()
	if r.used.Cluster != nil {
		r.here = r.Job.NamesOf(ctx, lists.Union(r.used.Cluster.Serving(), r.used.Cluster.Servers())...)
	}
	switch {
	case r.DryRun && r.Among != nil:
		return r.Among.planned(ctx, r, p, c)
	case r.DryRun:
		return r.notMade(p, c)
	case r.Among != nil:
		if err := r.Among.agreed(ctx, r, p); err != nil {
			return err
		}
	}
	if c.Check != nil {
		if err := c.Check(ctx, p); err != nil {
			return err
		}
	}
	if len(p.VCenters) > 0 && len(p.Unread()) == len(p.VCenters) {
		return p.Err()
	}
	if err := r.guarded(p, c); err != nil {
		return err
	}
	if err := r.agree(ctx, p, c); err != nil {
		return err
	}
	if err := r.agreeDisplacing(ctx, p); err != nil {
		return err
	}
	if err := c.State.Write(); err != nil {
		return hint.Wrap(err, "nothing was done on the vCenters")
	}
	if err := r.undoing(p, c).Record(); err != nil {
		return hint.Wrap(err,
			"nothing was done on the vCenters: the list of reconciled releases has to be cleared first")
	}
	told := len(p.Findings)
	err := c.Do(ctx, p)
	return r.ended(p, c, told, err)
}

// notMade shows a plan that is not made, and what else would be done.
func (r *Run) notMade(p *plan.Plan, c Change) error {
	r.Finish()
	if err := r.prefaced(p, c); err != nil || r.cut(p) {
		return errors.Join(err, Outcome(p))
	}
	if err := r.render(p, c.View); err != nil {
		return err
	}
	if c.Ready != nil {
		c.Ready(p)
	}
	c.State.tell(false)
	r.undoing(p, c).tell(false)
	err := r.outcomeBelow(p)
	if err == nil {
		err = r.stillUsed(p, c)
	}
	if err == nil && c.Replaced != nil && !p.Empty() {
		r.switching(c)
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

func (r *Run) prefaced(p *plan.Plan, c Change) error {
	r.progress.Pause() // a line painted now would take the plan's end, or the question, away
	switch {
	case c.Preface == nil:
		return nil
	case r.Output == term.FormatTable:
		return r.Print(r.Output, nil, func(w io.Writer) error { return c.Preface(p, w, r.Width()) })
	case r.DryRun || r.Yes:
		return c.Preface(p, io.Discard, 0)
	}
	return c.Preface(p, r.Err, 0)
}

// agree shows the plan, unless it was seen, and asks, unless it is empty or --yes is given.
func (r *Run) agree(ctx context.Context, p *plan.Plan, c Change) error {
	if c.Agreed != "" && c.Agreed == p.Digest && len(r.unproven(p, c)) == 0 {
		return nil
	}
	err := r.prefaced(p, c)
	if r.cut(p) {
		return Outcome(p)
	}
	switch asking := !p.Empty() && !r.Yes; {
	case err != nil:
	case c.Seen:
		err = plan.Found(r.Err, r.Width(), slices.DeleteFunc(slices.Clone(p.Findings),
			func(f *finding.Finding) bool { return f.Object != nil && f.Advice() }))
	case r.Output == term.FormatTable:
		err = r.render(p, nil)
	case asking: // a question needs the plan; stdout is for the report
		err = overview.Renderer(p, r.view(r.ErrColors()))(r.Err)
	}
	if err != nil || r.Yes {
		return err
	}
	if p.Empty() {
		return r.agreeWriting(ctx, c)
	}
	if c.Ready != nil {
		c.Ready(p)
	}
	return r.Agree(ctx, r.consent(p, c))
}

func (r *Run) agreeWriting(ctx context.Context, c Change) error {
	if c.State == nil || !c.State.Changes {
		return nil
	}
	return r.Agree(ctx, command.Consent{
		Subject: c.Subject, Question: "the vCenters need no change: write this to " + c.State.Path + "?",
	})
}

// consent asks about a plan, with unchanged vCenters and accounts whose use in a cluster is unknown.
func (r *Run) consent(p *plan.Plan, c Change) command.Consent {
	question := c.Question
	if part := p.Part(); part != "" {
		question = strings.TrimSuffix(cmp.Or(c.Partly, question), "?") + " " + part
		if c.ConfirmName == "" {
			question += "?"
		}
	}
	return command.Consent{Subject: c.Subject, Question: question, Word: c.ConfirmName, Guards: r.guards(p, c)}
}

// ended reports the outcome after logout: a document, or errors and a count, then the next steps.
func (r *Run) ended(p *plan.Plan, c Change, told int, err error) error {
	saved := err == nil
	r.reached = p.Reached()
	r.Finish()
	for i, f := range p.Findings { // of the run, and what only a table shows with the plan
		if i >= told || f.Code == finding.UnknownBefore && r.Output != term.FormatTable {
			r.Warnf("%s", f)
		}
	}
	if p.Kind == plan.KindApplied {
		report := p.Reporter(r.Show.Full)
		if p.Empty() && unsettled(p) != nil { // which is printed
			report = func(io.Writer) error { return nil }
		}
		err = errors.Join(err, r.Print(r.Output, viewed(p, c.View), report))
	}
	if saved && c.Proof != nil {
		c.Proof(p)
	}
	c.State.tell(true)
	again := cmp.Or(r.Again, SameCommand)
	if r.Handover != nil {
		r.Handover.written(r)
		again = "run it again with another file in --out"
	}
	again += " to complete"
	made, _ := p.Made()
	narrower := made > 0 && c.Rest != nil
	if narrower || errors.Is(p.Err(), provision.ErrNoWayBack) { // which says what leads out
		again = ""
	}
	if len(vcenter.MissingPrivileges(p.Err())) > 0 { // the same is refused until an administrator grants it
		lacks := "'" + r.CommandLine("doctor", r.Invocation) + "' shows what the administrator lacks"
		again = followed(lacks, "; with it, ", again)
	}
	if errors.Is(p.Err(), decision.ErrStrangers) {
		again = followed("take them out of the group, or name another one", ", then ", again)
	}
	unfinished(r.Factory, p, again)
	if narrower && Outcome(p) != nil {
		c.Rest(p)
	}
	if err == nil {
		err = Outcome(p)
	}
	remaining := leaving(err, p)
	if c.Left != nil {
		remaining = c.Left(remaining)
	}
	if c.Next != nil && (remaining == nil || saved && changedOver(p)) {
		remaining = command.Joined(remaining, c.Next(p))
	} else if saved && r.Handover == nil { // what completes the run does not make them again
		r.ForPeople(func() { r.PrintRenewal(p) })
	}
	return remaining
}

func viewed(p *plan.Plan, view func(*plan.Plan) any) any {
	if view == nil {
		return p
	}
	return view(p)
}

// changedOver reports whether the credentials file has a new value, which the cluster always needs.
func changedOver(p *plan.Plan) bool {
	for v, c := range p.Changes() {
		if after, ok := c.After.(plan.UserState); ok &&
			v.Status(c) == plan.Done && (after.InsteadOf != "" || after.NewPassword) {
			return true
		}
	}
	return false
}

// SameCommand completes what was not done.
const SameCommand = "run the same command again"

// unfinished prints in one line how far an incomplete plan got, and what completes it.
func unfinished(f *command.Factory, p *plan.Plan, again string) {
	if Outcome(p) == nil {
		return
	}
	if made, all := p.Made(); made < all {
		again = followed(fmt.Sprintf("%d of %s made", made, term.Count(all, "change")), "; ", again)
	}
	if p.Interrupted() {
		again = followed("interrupted", ": ", again)
	}
	if again != "" {
		f.Todof("%s", again)
	}
}

// followed is a text with what follows behind sep; "" = nothing does.
func followed(text, sep, by string) string {
	if by == "" {
		return text
	}
	return text + sep + by
}
