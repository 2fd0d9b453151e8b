package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Apply makes the changes of Plan, all confirmed; the plan becomes the report. Passwords of new
// accounts are on the disk before a vCenter gets them, so an interrupted run can be repeated. An
// error means that the file was not written; the plan then shows what was done.
func (j *Job) Apply(ctx context.Context, p *plan.Plan) error {
	if err := j.decided.recordDisplaced(); err != nil {
		return err
	}
	if j.Request.Does(plan.User) {
		if err := j.decided.savePasswords(); err != nil {
			return err
		}
	}
	j.executeAndClose(ctx, p)
	err := j.decided.forgetDisplaced()
	if j.Request.Does(plan.User) {
		err = errors.Join(err, j.decided.dropTaken(), j.decided.forgetMade())
		if j.Request.Prune {
			err = errors.Join(err, j.decided.forgetRemoved(p))
		}
	}
	return err
}

// HasAccounts reports whether any account of ours existed at the last plan, of these components.
func (j *Job) HasAccounts(of ...component.Name) bool {
	return slices.ContainsFunc(j.decided.decision.Planned(), func(p *decision.VCenterPlan) bool {
		return slices.ContainsFunc(p.At.OwnAccounts(),
			func(a snapshot.OwnAccount) bool {
				_, there := p.At.Ours(a)
				return there && (len(of) == 0 || slices.Contains(of, a.Component))
			})
	})
}

// dropTaken forgets passwords of accounts that others created first: their login was refused.
func (e *execution) dropTaken() error {
	var dropped []accounts.Record
	taken := e.ended(func(s *plan.Step) bool { return errors.Is(s.Err(), sso.ErrTaken) })
	for _, p := range e.decision.Planned() {
		for _, a := range p.At.OwnAccounts() {
			if taken[plan.Key(p.At.Domain.Key, plan.User, a.Name)] {
				e.decision.Request.Credentials.Remove(p.At.VCenter.Server, a.Component)
				dropped = append(dropped, accounts.Record{
					Component: a.Component, Servers: []string{p.At.VCenter.Server},
					To: credfile.Account{User: a.Principal(p.At)},
				})
			}
		}
	}
	return cmp.Or(e.decision.Request.Files().Forget(dropped...), e.decision.Request.Credentials.Save())
}

// ended returns the accounts with a step for which the condition holds, by what its change provides.
func (e *execution) ended(is func(*plan.Step) bool) map[string]bool {
	all := map[string]bool{}
	for _, s := range e.work {
		if s.Kind == plan.User && is(s) {
			all[s.Provides] = true
		}
	}
	return all
}

// counting shows after each change how many of its vCenter's changes are made, and how many fail.
func (j *Job) counting(p *plan.Plan) func(server string, s *plan.Step) {
	type tally struct{ made, lost, all int }
	of := map[string]*tally{}
	for _, v := range p.VCenters {
		t := &tally{}
		for _, c := range v.Changes {
			t.all++
			if v.Status(c) == plan.Done {
				t.made++
			}
		}
		of[v.Server] = t
	}
	return func(server string, s *plan.Step) {
		t := of[server]
		step := ""
		if s.Status == plan.Done {
			t.made++
			step = ": " + s.Sign() + " " + s.Subject()
		} else {
			t.lost++
		}
		if t.lost > 0 {
			step = fmt.Sprintf(", %d not made%s", t.lost, step)
		}
		j.progress(server, fmt.Sprintf("%d of %d changes made%s", t.made, t.all, step))
	}
}

// forgetMade removes existing accounts from the journal, which announced them.
func (e *execution) forgetMade() error {
	made := e.ended(func(s *plan.Step) bool { return s.Verb == plan.Create && s.Status == plan.Done })
	var settled []accounts.Record
	for _, p := range e.decision.Planned() {
		for _, a := range p.At.OwnAccounts() {
			_, exists := p.At.Ours(a)
			had := e.decision.Request.Files().Section(p.At.VCenter.Server, a.Component)
			if p.At.InUse(a) && had.Settled() && (exists || made[plan.Key(p.At.Domain.Key, plan.User, a.Name)]) {
				settled = append(settled, accounts.Record{Component: a.Component, Servers: []string{p.At.VCenter.Server}, To: had.Journal})
			}
		}
	}
	return e.decision.Request.Files().Forget(settled...)
}

// savePasswords makes missing passwords and writes them for all vCenters of the SSO domain, and
// those of accounts to be created into the journal as well: an interrupted run may have created
// one. The next run uses them unless the policy has become stricter.
func (e *execution) savePasswords() error {
	for _, p := range e.decision.Planned() {
		for _, c := range p.Changes {
			if c.Kind == plan.User && c.Verb == plan.Create {
				if err := p.DomainPlan.MakePassword(c.Name, p.At.SSO.Policy); err != nil {
					return err
				}
			}
		}
	}
	var entries []credfile.Entry
	var announced []accounts.Record
	for _, p := range e.decision.Planned() {
		for _, a := range p.At.OwnAccounts() {
			account := credfile.Account{User: a.Principal(p.At), Password: p.DomainPlan.Passwords[a.Principal(p.At)]}
			if account.Password.Empty() || !p.At.InUse(a) {
				continue
			}
			// its owner has it, and passwords of the journal are generated
			given := e.decision.Request.GivenPassword(p.At.VCenter.Server, a.Component, account.User)
			if _, exists := p.At.Ours(a); !exists && !account.Password.Equal(given) {
				begun := e.decision.Request.Files().Section(p.At.VCenter.Server, a.Component).Journal.User
				if begun == "" || strings.EqualFold(begun, account.User) { // the journal may have the only copy of another one
					announced = append(announced,
						accounts.Record{Component: a.Component, Servers: []string{p.At.VCenter.Server}, To: account})
				}
			}
			// A section of a linked vCenter that the specification does not name may have the account, too.
			for _, server := range append([]string{p.At.VCenter.Server}, p.At.Domain.Others...) {
				had, ok := e.decision.Request.Credentials.Get(server, a.Component)
				if had.Same(account) || server != p.At.VCenter.Server && !(ok && strings.EqualFold(had.User, account.User)) {
					continue
				}
				entries = append(entries, credfile.Entry{Server: server, Component: a.Component, Account: account})
			}
		}
	}
	if err := e.decision.Request.Credentials.SetAll(entries); err != nil {
		return err
	}
	if err := e.decision.Request.Credentials.Save(); err != nil || e.decision.Request.Journal == nil {
		return err
	}
	return e.decision.Request.Files().Announce(announced...)
}

// recordDisplaced records what the plan displaces before a vCenter is changed.
func (e *execution) recordDisplaced() error {
	if !e.decision.Request.Does(plan.Permission) || !slices.ContainsFunc(e.decision.Read.All,
		func(s *snapshot.Snapshot) bool { return len(s.Request.Adopted()) > 0 }) {
		return nil
	}
	if e.decision.Read.DisplacedErr != nil {
		return e.decision.Read.DisplacedErr
	}
	// Adopted accounts with our permissions had a record, so a missing one is not replaced.
	provisioned := slices.ContainsFunc(e.decision.Planned(), func(p *decision.VCenterPlan) bool {
		return slices.ContainsFunc(p.At.Perms.All, func(had perms.Permission) bool { return p.At.Made(p.Wanted, had) })
	})
	if e.decision.Read.Displaced.Found() || !provisioned {
		e.decision.Read.Displaced.Begin()
	}
	for _, p := range e.decision.Planned() {
		e.decision.Read.Displaced.Same = p.At.SSO.Same
		if p.Wanted != nil {
			for _, permission := range p.Wanted.Wanted.All { // others have removed what was there before
				if permission.Account.Adopted && permission.At.Exists() && p.At.Exactly(permission) == nil {
					e.decision.Read.Displaced.Remove(p.At.Where(perms.Permission{
						Entity:    permission.At.Ref,
						Principal: permission.Account.Principal.Name, Group: permission.Account.Principal.Group,
					}))
				}
			}
		}
		for _, step := range p.Steps {
			before, ok := step.Before.(plan.PermissionState)
			if ok && step.Verb == plan.Update && step.Displaces && step.Had != nil {
				f := p.At.Where(*step.Had)
				f.Path, f.Role, f.Propagate = step.Object, before.Role, before.Propagate
				e.decision.Read.Displaced.Put(f)
			}
		}
	}
	return e.decision.Read.Displaced.Save()
}

// forgetDisplaced removes from the record what was restored, or is gone with our permission.
func (e *execution) forgetDisplaced() error {
	if e.decision.Read.Displaced == nil || !e.decision.Request.Does(plan.Permission) {
		return nil
	}
	remains := e.decision.Request.Undoing && len(e.decision.Unrestored()) > 0
	for _, p := range e.decision.Plans {
		if p.Err != nil {
			remains = true
			continue
		}
		e.decision.Read.Displaced.Same = p.At.SSO.Same
		remains = remains || len(p.At.Unnamed()) > 0 // which a later destroy gives back
		for _, step := range p.Steps {
			switch removal := step.Verb == plan.Delete || step.Restores; {
			case !removal || step.Had == nil:
			case e.work.Status(step.Change) == plan.Done:
				e.decision.Read.Displaced.Remove(p.At.Where(*step.Had))
			default:
				remains = true
			}
		}
	}
	// nothing of ours is left on these vCenters
	if e.decision.Request.Undoing && !remains && e.decision.Request.Spec.Before == nil {
		for _, p := range e.decision.Plans {
			e.decision.Read.Displaced.Clear(p.At.Instance)
		}
		e.decision.Read.Displaced.End()
	}
	return e.decision.Read.Displaced.Save()
}
