package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Apply does what Plan said; the plan becomes the report. displace says that the administrator agreed to change what others
// gave (plan.Change.Displaces); without it a plan that does so is refused as a whole. Every password of an account that is going to be made is in
// the credentials file, on the disk, before it is sent to its vCenter, so that a run killed anywhere is completed by
// running again. An error means that the credentials file
// could not be written; nothing was done then, unless the plan says so.
func (j *Job) Apply(ctx context.Context, p *plan.Plan, displace bool) error {
	if what := p.Alters(); what != "" && !displace {
		return hint.Errorf("review them in the plan; confirm them with --displace", "%s, which is not confirmed; nothing was done", what)
	}
	if err := j.decided.recordDisplaced(); err != nil {
		return err
	}
	if j.Does(plan.User) {
		if err := j.decided.savePasswords(); err != nil {
			return err
		}
	}
	j.executeAndClose(ctx, p)
	err := j.decided.forgetDisplaced()
	if j.Does(plan.User) {
		err = errors.Join(err, j.decided.dropTaken(), j.decided.forgetMade())
		if j.Prune {
			err = errors.Join(err, j.decided.forgetRemoved(p))
		}
	}
	return err
}

// HasAccounts reports whether any account of ours was there when the last plan was made.
func (j *Job) HasAccounts() bool {
	return slices.ContainsFunc(j.decided.Planned(), func(p *decision.VCenterPlan) bool {
		return slices.ContainsFunc(p.At.OwnAccounts(), func(a snapshot.OwnAccount) bool { _, there := p.At.Ours(a); return there })
	})
}

// dropTaken takes the passwords out of the journal and the credentials file again that were made for accounts that somebody else was
// faster to make: each was refused when it was tried, and would be taken for theirs. One that could not be tried stays.
func (dec *execution) dropTaken() error {
	var dropped []accounts.Record
	taken := dec.ended(func(s *plan.Step) bool { return errors.Is(s.Err(), sso.ErrTaken) })
	for _, p := range dec.Planned() {
		for _, a := range p.At.OwnAccounts() {
			if taken[plan.Key(p.At.DomainKey, plan.User, a.Name)] {
				dec.Request.Credentials.Remove(p.At.VCenter.Server, a.Component)
				dropped = append(dropped, accounts.Record{Component: a.Component, Servers: []string{p.At.VCenter.Server}, To: credfile.Account{User: a.Principal(p.At)}})
			}
		}
	}
	return cmp.Or(dec.Request.Files().Forget(dropped...), dec.Request.Credentials.Save())
}

// ended are the accounts about which a step is as is says, by what its change provides.
func (dec *execution) ended(is func(*plan.Step) bool) map[string]bool {
	all := map[string]bool{}
	for _, s := range dec.work {
		if s.Kind == plan.User && is(s) {
			all[s.Provides] = true
		}
	}
	return all
}

// counting shows after each change how many of those on its vCenter are made, and how many will not be.
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

// forgetMade takes the accounts that exist now out of the journal, which announced them.
func (dec *execution) forgetMade() error {
	made := dec.ended(func(s *plan.Step) bool { return s.Verb == plan.Create && s.Status == plan.Done })
	var settled []accounts.Record
	for _, p := range dec.Planned() {
		for _, a := range p.At.OwnAccounts() {
			_, exists := p.At.Ours(a)
			had := dec.Request.Files().Section(p.At.VCenter.Server, a.Component)
			if p.At.InUse(a) && had.Settled() && (exists || made[plan.Key(p.At.DomainKey, plan.User, a.Name)]) {
				settled = append(settled, accounts.Record{Component: a.Component, Servers: []string{p.At.VCenter.Server}, To: had.Journal})
			}
		}
	}
	return dec.Request.Files().Forget(settled...)
}

// savePasswords makes the passwords that are missing and writes all known ones for all vCenters of their SSO domain, and then those
// of accounts that will be created into the journal as well: a run that is killed may have created one. The next run uses such a
// password, unless the policy has become stricter, and no other one that the file has for an account that does not exist.
func (dec *execution) savePasswords() error {
	for _, p := range dec.Planned() {
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
	for _, p := range dec.Planned() {
		for _, a := range p.At.OwnAccounts() {
			account := credfile.Account{User: a.Principal(p.At), Password: p.DomainPlan.Passwords[a.Principal(p.At)]}
			if account.Password.Empty() || !p.At.InUse(a) {
				continue
			}
			given := dec.Request.GivenPassword(p.At.VCenter.Server, a.Component, account.User) // is with its owner, and the journal's are drawn
			if _, exists := p.At.Ours(a); !exists && !account.Password.Equal(given) {
				begun := dec.Request.Files().Section(p.At.VCenter.Server, a.Component).Journal.User
				if begun == "" || strings.EqualFold(begun, account.User) { // another one may have its only copy there
					announced = append(announced, accounts.Record{Component: a.Component, Servers: []string{p.At.VCenter.Server}, To: account})
				}
			}
			if had, ok := dec.Request.Credentials.Get(p.At.VCenter.Server, a.Component); ok && had.Same(account) {
				continue
			}
			entries = append(entries, credfile.Entry{Server: p.At.VCenter.Server, Component: a.Component, Account: account})
		}
	}
	if err := dec.Request.Credentials.SetAll(entries); err != nil {
		return err
	}
	if err := dec.Request.Credentials.Save(); err != nil || dec.Request.Journal == nil {
		return err
	}
	return dec.Request.Files().Announce(announced...)
}

// recordDisplaced writes down what the plan is going to displace, before it is sent to a vCenter.
func (dec *execution) recordDisplaced() error {
	if !dec.Request.Does(plan.Permission) || !slices.ContainsFunc(dec.Read.All, func(s *snapshot.Snapshot) bool { return len(s.Request.Adopted()) > 0 }) {
		return nil
	}
	if dec.Read.DisplacedErr != nil {
		return dec.Read.DisplacedErr
	}
	// Where an adopted account has permissions of ours there was a record, and its absence is not covered up by an empty one.
	provisioned := slices.ContainsFunc(dec.Planned(), func(p *decision.VCenterPlan) bool {
		return slices.ContainsFunc(p.At.Perms.All, func(had perms.Permission) bool { return p.At.Made(p.Wanted, had) })
	})
	if dec.Read.Displaced.Found() || !provisioned {
		dec.Read.Displaced.Begin()
	}
	for _, p := range dec.Planned() {
		dec.Read.Displaced.Same = p.At.SSO.Same
		if p.Wanted != nil {
			for _, e := range p.Wanted.All { // whatever stood there once, others have taken it away since
				if e.Account.Adopted && e.At.Exists() && p.At.Exactly(e) == nil {
					dec.Read.Displaced.Remove(p.At.Where(perms.Permission{Entity: e.At.Ref, Principal: e.Account.Principal.Name, Group: e.Account.Principal.Group}))
				}
			}
		}
		for _, step := range p.Steps {
			before, ok := step.Before.(plan.PermissionState)
			if ok && step.Verb == plan.Update && step.Displaces && step.Had != nil {
				f := p.At.Where(*step.Had)
				f.Path, f.Role, f.Propagate = step.Object, before.Role, before.Propagate
				dec.Read.Displaced.Put(f)
			}
		}
	}
	return dec.Read.Displaced.Save()
}

// forgetDisplaced drops from the record what was given back, or is gone with our permission.
func (dec *execution) forgetDisplaced() error {
	if dec.Read.Displaced == nil || !dec.Request.Does(plan.Permission) {
		return nil
	}
	left := false
	for _, p := range dec.Plans {
		if p.Err != nil {
			left = true
			continue
		}
		dec.Read.Displaced.Same = p.At.SSO.Same
		left = left || len(p.At.Unnamed()) > 0 // which a later destroy gives back
		for _, step := range p.Steps {
			switch removal := step.Verb == plan.Delete || step.Restores; {
			case !removal || step.Had == nil:
			case dec.work.Status(step.Change) == plan.Done:
				dec.Read.Displaced.Remove(p.At.Where(*step.Had))
			default:
				left = true
			}
		}
	}
	if dec.Request.Undoing && !left && dec.Request.Spec.Before == nil { // nothing of ours is left on these vCenters
		for _, p := range dec.Plans {
			dec.Read.Displaced.Clear(p.At.Instance)
		}
		dec.Read.Displaced.End()
	}
	return dec.Read.Displaced.Save()
}
