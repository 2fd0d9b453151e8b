package provision

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// PlanFinish plans to disable and remove replaced accounts. named is as in [Job.PlanReplacement].
func (j *Job) PlanFinish(ctx context.Context, named bool) *plan.Plan {
	return j.planGenerations(ctx, j.Request.Doing(accounts.Finish, named))
}

// PlanWithdrawal plans to remove accounts of a rotation that are not in use, never or no longer.
// named is as in [Job.PlanReplacement]. proved: the cluster's secrets are checked, which allows to
// remove an account that an older credentials file does not know.
func (j *Job) PlanWithdrawal(ctx context.Context, named, proved bool) *plan.Plan {
	q := j.Request.Doing(accounts.Withdraw, named)
	q.Proved = proved
	return j.planGenerations(ctx, q)
}

// Finish makes the changes of PlanFinish or PlanWithdrawal. It ends the sessions of disabled
// accounts and waits for grace before removing them; until then [Job.PlanRevert] can go back.
// The plan is told of sessions that continue. An error means that the wait was interrupted, or the
// journal could not be written.
func (j *Job) Finish(ctx context.Context, p *plan.Plan, grace time.Duration) error {
	dec := j.decided
	first := func(c *plan.Change) bool {
		return slices.ContainsFunc(dec.decision.Disabled, func(d *decision.Disabling) bool { return d.Change == c })
	}
	j.execute(ctx, p, first)
	if slices.ContainsFunc(dec.decision.Disabled,
		func(d *decision.Disabling) bool { return dec.work.Status(d.Change) == plan.Done }) {
		p.Findings = append(p.Findings, j.endSessions(ctx)...)
		if j.o.Waits != nil && grace > 0 {
			j.o.Waits("waiting " + grace.String() + " before the disabled accounts are removed")
		}
		if err := j.o.Pause(ctx, grace); err != nil {
			p.Execute(ctx, dec.work, plan.ExecuteOptions{}) // reports the others as interrupted
			return hint.Wrap(errors.New("interrupted: the old accounts are disabled but not removed"),
				"run the same command again to remove them", "or put them back into use: "+j.Request.Command("rotate undo"))
		}
	}
	j.execute(ctx, p, nil)
	return dec.forgetGone()
}

// endSessions ends the disabled accounts' sessions in their SSO domains, so clients log in again.
func (j *Job) endSessions(ctx context.Context) []*finding.Finding {
	told := make([]*finding.Finding, len(j.targets))
	var group crash.Group
	group.Limit(j.o.Parallel)
	for i, t := range j.targets {
		if t.at.Err != nil || t.session == nil {
			continue
		}
		group.Go(func() {
			all, known, err := t.session.Sessions(ctx)
			all = slices.DeleteFunc(all, func(u vcenter.UserSession) bool {
				return !slices.ContainsFunc(j.decided.decision.Disabled, func(d *decision.Disabling) bool {
					return j.decided.work.Status(d.Change) == plan.Done && d.At.At.Domain.Key == t.at.Domain.Key &&
						t.at.UserKey(d.Change.Name) == t.at.UserKey(u.User)
				})
			})
			if err == nil {
				err = t.session.EndSessions(ctx, all)
			}
			if err == nil && !known {
				err = errors.New(t.at.Administrator + " lacks Sessions.TerminateSession")
			}
			if err != nil {
				told[i] = finding.New(finding.OldSessions, t.at.VCenter.Server,
					"sessions of the old accounts may continue: %v", err)
			}
		})
	}
	group.Wait()
	return slices.DeleteFunc(told, func(f *finding.Finding) bool { return f == nil })
}

// Revert makes the changes of PlanRevert. An error means that one of the files was not written.
func (j *Job) Revert(ctx context.Context, p *plan.Plan) error {
	j.execute(ctx, p, nil)
	done := j.decided.records(plan.Done) // the account before stays in the journal
	return errors.Join(j.decided.decision.Request.Files().Announce(done...), j.decided.exchange(done))
}

// forgetGone removes from the journal accounts that this or an earlier run removed.
func (e *execution) forgetGone() error {
	gone := e.ended(func(s *plan.Step) bool { return s.Verb == plan.Delete && s.Status == plan.Done })
	var forgotten []accounts.Record
	for _, p := range e.decision.Planned() {
		for _, c := range e.decision.Request.Spec.ComponentNames() {
			if !p.At.Owns(c) {
				continue
			}
			section := e.decision.Request.Files().Section(p.At.VCenter.Server, c)
			settled := section.Settled()
			for _, user := range []string{section.Journal.User, section.Earlier.User} {
				begins := user == section.Journal.User && !settled
				n := p.At.Request.Spec.Account(c).Generation(user)
				if n == 0 || begins && e.decision.Request.Op != accounts.Withdraw { // what is begun is not forgotten
					continue
				}
				a := p.At.Request.OwnAccount(c, n)
				_, exists := p.At.Ours(a)
				if !exists || gone[plan.Key(p.At.Domain.Key, plan.User, a.Name)] || user == section.Journal.User && settled {
					forgotten = append(forgotten, accounts.Record{Component: c, Servers: []string{p.At.VCenter.Server}, To: credfile.Account{User: user}})
				}
			}
		}
	}
	return e.decision.Request.Files().Forget(forgotten...)
}

// arrived waits up to a minute for a vCenter to know an account (R40): earlier logins would fail.
func (j *Job) arrived(ctx context.Context, t *target, name, mark string) error {
	for _, seconds := range []int{0, 2, 3, 5, 10, 20, 30, 30} {
		if err := t.session.Pause(ctx, time.Duration(seconds)*time.Second); err != nil {
			return err
		}
		if there, err := t.directory.Bears(ctx, name, mark); err != nil || there {
			return err
		}
	}
	return hint.Errorf("run the same command again to continue",
		"%s: account %s is not replicated yet from the vCenter that created it", t.at.VCenter.Server, name)
}

// enterNew logs in as an account with new permissions, which a vCenter sees a moment later (R8). A
// refused password is not tried again.
func (j *Job) enterNew(ctx context.Context, t *target, user string, password secret.Secret) (*vcenter.Session, error) {
	for n := 0; ; n++ {
		session, _, err := login.Enter(ctx, j.o.Config(t.at.VCenter), user, password)
		if err == nil || len(vcenter.MissingPrivileges(err)) == 0 || !again(ctx, t.session, n) {
			return session, err
		}
	}
}

// Replacement is an account that another generation replaces on a vCenter.
type Replacement struct {
	Component component.Name
	Server    string
	From      string           // name@domain
	Stays     credfile.Account // as the credentials file has it
}

// Replacements returns the accounts that the last plan removes, with those that stay.
func (j *Job) Replacements() []Replacement {
	var all []Replacement
	for _, d := range j.decided.decision.Disabled {
		for _, p := range d.At.DomainPlan.VCenters {
			stays, _ := j.Request.Credentials.Get(p.At.VCenter.Server, d.Account.Component)
			all = append(all, Replacement{d.Account.Component, p.At.VCenter.Server, d.Change.Name, stays})
		}
	}
	return all
}
