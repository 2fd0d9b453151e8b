package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// PlanReplacement plans a next generation of the accounts of the specification's components, with
// the same grants. It takes over once every vCenter of its SSO domain has accepted it. named: these
// components were requested, so one that cannot be replaced is an error. Limits select among them;
// those that they select and that cannot be replaced are findings.
func (j *Job) PlanReplacement(ctx context.Context, named bool, limits sso.Limits) *plan.Plan {
	return j.planGenerations(ctx, j.Request.Limited(limits).Doing(accounts.Replace, named))
}

// PlanRevert plans to return to the accounts before unfinished rotations. The newer ones stay until
// [Job.PlanWithdrawal], because the cluster may use them. named is as in [Job.PlanReplacement].
func (j *Job) PlanRevert(ctx context.Context, named bool) *plan.Plan {
	return j.planGenerations(ctx, j.Request.Doing(accounts.Revert, named))
}

// planGenerations decides a turn of generations, and sets what its changes do.
func (j *Job) planGenerations(ctx context.Context, q *snapshot.Request) *plan.Plan {
	p := j.propose(ctx, j.read(ctx, q).Decide((*decision.Decision).ChangeGenerations))
	p.Findings = append(j.decided.decision.Blockages(), p.Findings...)
	for _, h := range j.decided.decision.Handovers {
		j.decided.work.Do(h.Change, func(ctx context.Context) error { return j.accept(ctx, h) })
	}
	for _, d := range j.decided.decision.Disabled {
		j.decided.work.Do(d.Change, func(ctx context.Context) error { return j.setDisabledAt(ctx, d.At.DomainPlan, d.Account, true) })
	}
	return p
}

// Replace makes the changes of PlanReplacement; the plan becomes the report. The journal has both
// generations before a vCenter gets the next one, and keeps the earlier one until [Job.Finish], so
// an interrupted run can be repeated. An error means that one of the files was not written.
func (j *Job) Replace(ctx context.Context, p *plan.Plan) error {
	dec := j.decided
	if err := dec.announceNext(); err != nil {
		return hint.Wrap(err, "nothing was changed")
	}
	j.execute(ctx, p, nil)
	return dec.exchange(dec.records(plan.Done))
}

// announceNext writes passwords of the next and the replaced generations into the journal.
func (e *execution) announceNext() error {
	for _, h := range e.decision.Handovers {
		at := h.VCenters[0]
		if _, exists := at.At.Ours(h.Account); exists && !h.Passwords[h.Record.To.User].Empty() {
			continue
		}
		if err := h.MakePassword(h.Record.To.User, at.At.SSO.Policy); err != nil {
			return fmt.Errorf("%s: %w", at.At.VCenter.Server, err)
		}
	}
	return e.decision.Request.Files().Announce(e.records()...)
}

// records returns those of the handovers, or of those with a status.
func (e *execution) records(status ...plan.Status) []accounts.Record {
	var all []accounts.Record
	for _, h := range e.decision.Handovers {
		if len(status) == 0 || slices.Contains(status, e.work.Status(h.Change)) {
			r := h.Record
			r.To.Password = h.Passwords[h.Record.To.User]
			all = append(all, r)
		}
	}
	return all
}

// setDisabledAt disables or enables an account on every vCenter of its SSO domain (R40).
func (j *Job) setDisabledAt(ctx context.Context, d *decision.DomainPlan, a snapshot.OwnAccount, disabled bool) error {
	var errs []error
	for _, p := range d.VCenters {
		errs = append(errs, j.target(p.At.VCenter.Server).directory.SetDisabled(ctx, a.Name,
			sso.Mark(j.Request.Spec.Cluster, a.Component), disabled))
	}
	return errors.Join(errs...)
}

// exchange moves accounts that took over into the credentials file and forgets them in the journal.
func (e *execution) exchange(done []accounts.Record) error {
	if err := e.decision.Request.Files().Take(done...); err != nil {
		return hint.Wrap(err, "the passwords are in "+e.decision.Request.Journal.Path()+"; run the same command again to continue")
	}
	return e.decision.Request.Files().Forget(done...)
}

// accept proves on every vCenter that an account can take over: it logs in and can do its work.
func (j *Job) accept(ctx context.Context, h *decision.Handover) error {
	if h.Record.Back && h.Record.From != h.Record.To.User { // Finish may have disabled it
		if err := j.setDisabledAt(ctx, h.DomainPlan, h.Account, false); err != nil {
			return err
		}
	}
	errs := make([]error, len(h.VCenters))
	var wg crash.Group
	for i, p := range h.VCenters {
		wg.Go(func() { errs[i] = j.acceptAt(ctx, h, p) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (j *Job) acceptAt(ctx context.Context, h *decision.Handover, p *decision.VCenterPlan) error {
	t := j.target(p.At.VCenter.Server)
	j.progress(p.At.VCenter.Server, "logging in as "+h.Record.To.User)
	// The vCenter knows an account with new permissions, and all grants are done by now.
	granted := slices.ContainsFunc(p.Steps,
		func(s perms.Step) bool { return p.At.UserKey(s.Principal) == p.At.UserKey(h.Record.To.User) })
	if !granted {
		if err := j.arrived(ctx, t, h.Account.Name, sso.Mark(j.Request.Spec.Cluster, h.Record.Component)); err != nil {
			return err
		}
	}
	session, err := j.enterNew(ctx, t, h.Record.To.User, h.Passwords[h.Record.To.User])
	if h.Record.Back && errors.Is(err, vcenter.ErrLogin) {
		return j.noWayBack(h, err)
	}
	if err != nil {
		return err
	}
	defer session.Close(context.WithoutCancel(ctx))
	a := &account{who: p.At.Working(h.Record.Component, h.Record.To.User), session: session, result: login.OK}
	for n := 0; ; n++ {
		seen, err := a.look(ctx, p.Wanted.Wanted, p.Wanted.Wanted.Objects(a.who), nil)
		if err != nil {
			return err
		}
		missing := p.At.Expected(p.Wanted).Lacking(a.who, seen)
		if len(missing) == 0 {
			return nil
		}
		if !again(ctx, session, n) {
			return hint.Errorf("run the same command again to continue", "%s: it cannot do its work yet and is not put into use: missing %s", p.At.VCenter.Server, lists.Few(missing))
		}
	}
}

// ErrNoWayBack is that of an earlier account that its stored password does not open.
var ErrNoWayBack = errors.New("rotate undo cannot go back with the stored password")

// noWayBack adds the ways out to the refused login of an earlier account.
func (j *Job) noWayBack(h *decision.Handover, refused error) error {
	of := []string{"--secrets", "-", "--components", string(h.Record.Component)}
	return hint.Wrap(fmt.Errorf("%w: %w", refused, ErrNoWayBack),
		"to keep the new account: "+openshift.From(j.Request.Spec.Profile)+j.Request.Command("rotate finish", of...),
		"or, if the cluster works with the earlier one, import its password from there: "+
			openshift.From(j.Request.Spec.Profile)+j.Request.Command("credentials import", append(of, "--replace")...))
}

// unproved is a vCenter at which a new password was not proved, and why.
type unproved struct{ server, why string }

// proveElsewhere proves the new passwords at other vCenters of their SSO domains, with one login
// each and without waiting. A vCenter without the password would count a failed login, so one whose
// record lacks the day is not asked, and a refusal ends the logins.
func (j *Job) proveElsewhere(ctx context.Context) {
	var wg crash.Group
	for _, r := range j.decided.rotations {
		if r.accepted && r.untested == "" {
			wg.Go(func() { r.unproved = j.unprovedOf(ctx, r) })
		}
	}
	wg.Wait()
}

// unprovedOf logs in with one password and returns the vCenters without proof.
func (j *Job) unprovedOf(ctx context.Context, r *rotation) (all []unproved) {
	known := map[string]bool{strings.ToLower(r.At.VCenter.Server): true}
	refused := ""
	for _, s := range j.decided.decision.Read.Sharing(r.At.Domain.Key) {
		if s == r.At {
			continue
		}
		known[strings.ToLower(s.VCenter.Server)] = true
		if refused != "" {
			all = append(all, unproved{s.VCenter.Server, "not tested after " + refused + " refused one"})
			continue
		}
		j.progress(s.VCenter.Server, "testing the password of "+r.To.User)
		why, counted := j.target(s.VCenter.Server).unproved(ctx, r)
		if why != "" {
			all = append(all, unproved{s.VCenter.Server, why})
		}
		if counted {
			refused = s.VCenter.Server
		}
	}
	for _, server := range r.At.Domain.PeerServers {
		if !known[strings.ToLower(server)] {
			why := "it is not part of this run"
			if slices.ContainsFunc(j.targets, func(t *target) bool { return strings.EqualFold(t.at.VCenter.Server, server) }) {
				why = "it was not read"
			}
			all = append(all, unproved{server, why})
		}
	}
	return all
}

// unproved says why a password is not proved; "" if it is. refused: the login counts as a failure.
func (t *target) unproved(ctx context.Context, r *rotation) (why string, refused bool) {
	const late = "it is not replicated yet: linked vCenters take up to a minute"
	u, err := t.directory.Person(ctx, r.To.User)
	switch {
	case err != nil:
		return err.Error(), false
	case u == nil || !r.day.IsZero() && u.PasswordSet.Format(time.DateOnly) != r.day.UTC().Format(time.DateOnly):
		return late, false
	case u.Locked:
		return "the account is locked there", false
	}
	opened, err := t.session.ProvePassword(ctx, r.To.User, r.To.Password)
	switch {
	case err != nil:
		return err.Error(), false
	case !opened:
		return "it refused it; perhaps it is not replicated yet: linked vCenters take up to a minute", true
	}
	return "", false
}

// untested tells of passwords that were set and not tested, in the order of their vCenters.
func (e *execution) untested() (all []*finding.Finding) {
	tell := func(server, format string, args ...any) {
		all = append(all, finding.New(finding.UntestedPassword, server, format, args...))
	}
	users := map[unproved][]string{}
	var order []unproved
	for _, r := range e.rotations {
		if r.untested != "" {
			text := fmt.Sprintf("%s has its new password, but it is not tested: %s", r.To.User, r.untested)
			tell(r.At.VCenter.Server, "%s", text)
			r.say(text)
		}
		for _, u := range r.unproved {
			if users[u] == nil {
				order = append(order, u)
			}
			users[u] = append(users[u], r.To.User)
			r.say("not tested at " + u.server)
		}
	}
	for _, u := range order {
		tell(u.server, "the new password of %s is not tested: %s", lists.Few(users[u]), u.why)
	}
	return all
}

func (r *rotation) say(text string) {
	r.Change.Note = strings.TrimPrefix(r.Change.Note+"; "+text, "; ")
}
