package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Rotation is a new password for one account of ours, once per SSO domain.
type Rotation struct {
	accounts.Record
	at      *snapshot // the vCenter that is asked
	resumed bool      // the password is of the journal: an earlier run may have set it
	change  *plan.Change
}

// PlanRotation says which accounts get a new password, in their place: all of ours of the specification's components. Where
// named is set, somebody asked for just these, and one that cannot be rotated is an error instead of a note. Limits choose among
// them. Unfinished rotations of the journal come to their end with the journal's password.
func (j *Job) PlanRotation(ctx context.Context, named bool, limits sso.Limits) *plan.Plan {
	q := j.limited(limits).doing(accounts.Keep, named)
	j.each(ctx, q, j.readDomain)
	e := j.snapshots(q)
	j.readDomains(ctx, e, true)
	p := j.propose(ctx, e.decide(func(dec *decision, p *vcenterPlan) ([]*plan.Change, error) {
		changes, err := dec.planRotations(p)
		if err == nil {
			changes = append(changes, dec.inPlaceNotes(p.snapshot)...)
		}
		return changes, err
	}))
	p.Findings = j.decided.blockages()
	for _, planned := range j.decided.decision.rotations {
		r := &rotation{Rotation: planned}
		j.decided.rotations = append(j.decided.rotations, r)
		t := j.target(r.at.spec.Server)
		j.decided.work.Do(r.change, func(ctx context.Context) error { return t.rotate(ctx, j.decided, r) })
	}
	return p
}

// readDomain logs the administrator in and reads the accounts of ours, and nothing else.
func (j *Job) readDomain(ctx context.Context, t *target) error {
	if err := j.connect(ctx, t); err != nil {
		return err
	}
	j.progress(t.spec.Server, "reading")
	q, names := t.request, []string{}
	if q.Spec.Cluster != "" {
		names = q.knownNames(t.spec.Server)
	}
	var err error
	if t.directory, t.sso, err = sso.Read(ctx, t.session, sso.Query{Names: names, Cluster: q.markedFor(), Lockout: true, Ages: q.Ages, Doubted: q.passwordDoubted(t.spec.Server)}); err != nil {
		return err
	}
	if err := t.trace(ctx); err != nil {
		return err
	}
	return j.identify(ctx, t)
}

// planRotations decides which accounts of a vCenter get a new password in their place.
func (dec *decision) planRotations(p *vcenterPlan) ([]*plan.Change, error) {
	s := p.snapshot
	if err := s.checkOlder(); err != nil {
		return nil, err
	}
	var changes []*plan.Change
	var rotations []*Rotation
	var errs []error
	for _, c := range dec.Spec.ComponentNames() {
		l, principal := s.accounts[c], s.principal(c)
		if p.domainPlan.planned[principal] {
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: "shares the account of the first vCenter of this SSO domain, and with it the new password"})
			continue
		}
		why, wrong, err := dec.mayReset(s, c)
		switch {
		case err != nil:
			errs = append(errs, err)
			continue
		case why != nil:
			if note := dec.refused(s, why, wrong); note != nil {
				changes = append(changes, note)
			}
			continue
		}
		r, err := dec.planRotation(s, c, l.User)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		rotations, changes = append(rotations, r), append(changes, r.change)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	dec.rotations = append(dec.rotations, rotations...)
	return changes, nil
}

// mayReset says why an account keeps its password, if it does.
func (dec *decision) mayReset(s *snapshot, c component.Name) (why *accounts.Refusal, wrong bool, err error) {
	l := s.accounts[c]
	why, wrong = nil, true
	if _, why, wrong = l.Next(accounts.Reset, s.accountConditions(c)); why != nil {
		if u, exists := s.sso.Own(s.account(c).Name); why.Code == accounts.Foreign && exists {
			return nil, true, errForeign(s, s.principal(c), u)
		}
		return why, wrong, nil
	}
	principal := s.principal(c)
	if left := dec.usedElsewhere(s, principal, func(server string) bool {
		return dec.stores(server, c) || dec.Credentials.Sealed() && dec.specifies(server)
	}); left != nil {
		return nil, true, s.errLeftOut(principal, *left)
	}
	if other := dec.lacking(s, c); other != "" && !l.Pending { // the cluster's secret is written for all vCenters
		return &accounts.Refusal{Code: accounts.AbsentElsewhere, Component: c, Server: other}, true, nil
	}
	return nil, false, nil
}

// lacking is another vCenter, of those that were read, on which the account of a component does not exist; "" where none is.
func (e *snapshots) lacking(s *snapshot, c component.Name) string {
	for _, other := range e.all {
		if other == s || other.err != nil || e.Spec.Disabled(c) {
			continue
		}
		if _, exists := other.ours(e.ownAccount(c, other.generations[c].Current)); !exists {
			return other.spec.Server
		}
	}
	return ""
}

// planRotation finds the password, in the journal or a new one, and the sections of the credentials file that it is for.
func (dec *decision) planRotation(s *snapshot, c component.Name, u sso.User) (*Rotation, error) {
	r := &Rotation{at: s, Record: accounts.Record{Component: c, From: s.principal(c), To: credfile.Account{User: s.principal(c)}}}
	others := dec.sections(r)
	for _, server := range r.Servers {
		had := dec.files().Section(server, c)
		user := had.Pending()
		switch open := user != ""; {
		case open && dec.Spec.Account(c).Generation(user) > 0 && !strings.EqualFold(user, r.To.User):
			return nil, hint.Errorf("continue it with rotate (without --in-place), or undo it with rotate undo",
				"%s: a rotation of %s has started: %s will replace %s", server, c, user, r.To.User)
		case open && !strings.EqualFold(user, r.To.User):
			return nil, hint.Errorf("it may have another cluster's passwords; use another file: --credentials-file FILE",
				"%s: %s holds an unfinished rotation of %s for %s, not of %s", server, dec.Journal.Path(), user, c, r.To.User)
		case open && !r.resumed:
			r.resumed, r.To.Password = true, had.Journal.Password
		}
	}
	if !r.resumed {
		var err error
		if r.To.Password, err = s.sso.Policy.Generate(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.spec.Server, r.To.User, err)
		}
	}
	sections := map[string]map[component.Name]credfile.Account{}
	for _, server := range r.Servers {
		sections[server] = map[component.Name]credfile.Account{c: r.To}
	}
	if err := dec.Credentials.Fits(sections); err != nil {
		return nil, hint.Errorf("it may have another cluster's passwords; use another file: --credentials-file FILE",
			"%s: the new password of %s cannot be written to the credentials file: %w", s.spec.Server, r.To.User, err)
	}
	before := plan.UserState{Description: u.Description, Disabled: u.Disabled}
	if !u.PasswordSet.IsZero() {
		before.PasswordSet = u.PasswordSet.Format(time.DateOnly)
	}
	r.change = &plan.Change{
		Verb: plan.Update, Kind: plan.User, Name: r.To.User, Note: r.note(dec.snapshots, u, others),
		Before: before, After: plan.UserState{Description: u.Description, Disabled: u.Disabled, NewPassword: true},
	}
	return r, nil
}

// sections finds the sections of the credentials file that an account is for: those of the vCenters of this run, and of
// others of the same SSO domain that hold it already. others are vCenters of the domain whose sections do not, or are not
// in this file.
func (dec *decision) sections(r *Rotation) (others []string) {
	for _, s := range dec.sharing(r.at.domainKey) {
		r.Servers = append(r.Servers, s.spec.Server)
	}
	for _, peer := range r.at.peerServers {
		for _, s := range dec.all { // as the specification spells it
			if strings.EqualFold(s.spec.Server, peer) {
				peer = s.spec.Server
			}
		}
		same := func(file *credfile.File) bool {
			a, ok := file.Get(peer, r.Component)
			return ok && strings.EqualFold(a.User, r.To.User)
		}
		switch {
		case slices.Contains(r.Servers, peer):
		case same(dec.Credentials) || dec.Journal != nil && same(dec.Journal):
			r.Servers = append(r.Servers, peer)
		default:
			others = append(others, peer)
		}
	}
	return others
}

// note says what is known of the present password, and who else is concerned.
func (r *Rotation) note(e *snapshots, u sso.User, others []string) string {
	var notes []string
	_, known := e.Credentials.Get(r.at.spec.Server, r.Component)
	switch {
	case r.resumed:
		notes = append(notes, "finishes its unfinished rotation")
	case !known && !e.Credentials.Sealed() && e.lost(r.at, r.Component):
		notes = append(notes, "the current one is lost")
	case !u.PasswordSet.IsZero():
		notes = append(notes, "the current one was set on "+u.PasswordSet.Format(time.DateOnly))
	}
	if u.Disabled {
		notes = append(notes, "the account is disabled, so the new one cannot be tested")
	} else if u.Locked {
		notes = append(notes, "the account is locked, so the new one cannot be tested")
	}
	if len(r.Servers) > 1 {
		notes = append(notes, "for "+strings.Join(r.Servers, ", "))
	}
	if len(others) > 0 {
		notes = append(notes, lists.Few(others)+" in the same SSO domain has the account too: its users there need the new password")
	}
	return strings.Join(notes, "; ")
}

// lockoutText says what the components that run will do until they have the new password.
func lockoutText(l sso.Lockout) string {
	text := "running components use the old password until the cluster has the new secrets"
	switch {
	case l.MaxFailed == 0:
		return text + "; this SSO domain never locks accounts"
	case l.UnlockAfter == 0:
		return text + fmt.Sprintf("; %d failed logins within %s lock an account until an administrator unlocks it", l.MaxFailed, l.Within)
	}
	return text + fmt.Sprintf("; %d failed logins within %s lock an account for %s", l.MaxFailed, l.Within, l.UnlockAfter)
}
