package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// rotation is a new password for one account of ours, once per SSO domain.
type rotation struct {
	at        *snapshot // the vCenter that is asked
	component component.Name
	user      string
	servers   []string // whose sections of the credentials file hold the account
	password  secret.Secret
	resumed   bool // the password is of the journal: an earlier run may have set it
	change    *plan.Change

	accepted bool   // the vCenter has the password
	refused  bool   // what became of the reset is not known, and a login with the password was refused
	finished bool   // nothing of it is left to do, so the journal can forget it
	warning  string // what is not as it should be although it is accepted

	day      time.Time  // that the account bears now; zero where it was not noted in this run
	unproved []unproved // other vCenters of the SSO domain
}

// PlanRotation says which accounts get a new password, in their place: all of ours of the specification's components. Where
// named is set, somebody asked for just these, and one that cannot be rotated is an error instead of a note. Limits choose among
// them. Unfinished rotations of the journal come to their end with the journal's password.
func (j *Job) PlanRotation(ctx context.Context, named bool, limits Limits) *plan.Plan {
	j.each(ctx, func(ctx context.Context, t *target) error { return j.readDomainOf(ctx, j.limited(limits), t) })
	planned := map[passwordKey]bool{}
	p := j.propose(ctx, j.estate(j.asked).decide(func(dec *decision, p *part) ([]*plan.Change, error) {
		changes, err := dec.planRotations(p.snapshot, named, !named && !limits.chosen(), planned, func(u sso.User) (bool, string) { return limits.due(u, p.sso.Policy.LifetimeDays, j.Now) })
		if err == nil {
			changes = append(changes, dec.inPlaceNotes(p.snapshot)...)
		}
		return changes, err
	}))
	p.Findings = j.decided.blocked
	for _, r := range j.decided.rotations {
		t := j.target(r.at.spec.Server)
		r.change.Do = func(ctx context.Context) error { return t.rotate(ctx, j.decided, r) }
	}
	return p
}

// readDomain logs the administrator in and reads the accounts of ours, and nothing else.
func (j *Job) readDomain(ctx context.Context, t *target) error {
	return j.readDomainOf(ctx, j.asked, t)
}

// readDomainOf is readDomain for another request.
func (j *Job) readDomainOf(ctx context.Context, q *asked, t *target) error {
	if err := j.connect(ctx, t); err != nil {
		return err
	}
	j.progress(t.spec.Server, "reading")
	names := []string{}
	if q.Spec.Cluster != "" {
		names = q.knownNames(t.spec.Server)
	}
	var err error
	if t.directory, t.sso, err = sso.Read(ctx, t.session, sso.Query{Names: names, Cluster: q.markedFor(), Lockout: true, Ages: q.Ages, Doubted: q.doubted(t.spec.Server)}); err != nil {
		return err
	}
	if err := t.trace(ctx, q); err != nil {
		return err
	}
	return j.identify(ctx, q, t)
}

func (dec *decision) planRotations(s *snapshot, named, everybody bool, planned map[passwordKey]bool, due func(sso.User) (bool, string)) ([]*plan.Change, error) {
	if err := dec.checkOlder(s); err != nil {
		return nil, err
	}
	var changes []*plan.Change
	var rotations []*rotation
	var errs []error
	for _, c := range dec.Spec.ComponentNames() {
		principal := dec.principal(s, c)
		note := func(text string, hints ...string) {
			if named {
				errs = append(errs, hint.Wrap(fmt.Errorf("%s: %s: %s", s.spec.Server, principal, text), hints...))
				return
			}
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: text})
		}
		account := dec.account(s, c)
		u, exists := s.sso.Own(account.Name)
		switch {
		case !dec.owns(c):
			note("belongs to somebody else (components."+string(c)+".principal), so its password is not changed",
				"ask the owner of "+principal+" for a new password, then run credentials import")
		case !exists:
			const why = "does not exist: create it with apply"
			if everybody && !dec.Spec.Disabled(c) {
				dec.block(finding.Account{Server: s.spec.Server, Component: c, Principal: principal}, why)
				continue
			}
			note(why)
		case u.Description != sso.Mark(dec.Spec.Cluster, c):
			errs = append(errs, errForeign(s, principal, u))
		case planned[s.passwordKey(dec.ownAccount(c, s.generations[c].Current))]:
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: "gets its new password at the first vCenter of this SSO domain"})
		default:
			if chosen, why := due(u); !chosen && !dec.open(s, c) {
				changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: notDue(why)})
				continue
			}
			if why := dec.leftOut(s, func(server string) bool {
				return dec.stores(server, c) || dec.Credentials.Sealed() && dec.specifies(server)
			}); why != "" {
				errs = append(errs, dec.errLeftOut(s, principal, why))
				continue
			}
			if other := dec.lacking(s, c); other != "" && !dec.open(s, c) { // the cluster's secret is written for all vCenters
				why := other + " has no account of " + string(c) + ": create it with apply first"
				if named {
					note(why)
				} else {
					dec.block(finding.Account{Server: s.spec.Server, Component: c, Principal: principal}, why)
				}
				continue
			}
			if dec.Credentials.Sealed() && len(s.accounts[c].Others) > 0 {
				errs = append(errs, hint.Errorf("finish it where the credentials file is: only that says which account is in use",
					"%s: %s: a rotation of %s is unfinished", s.spec.Server, principal, c))
				continue
			}
			r, err := dec.planRotation(s, c, u)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			rotations, changes = append(rotations, r), append(changes, r.change)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, r := range rotations { // not before all of this vCenter's part stands
		planned[s.passwordKey(dec.ownAccount(r.component, s.generations[r.component].Current))] = true
	}
	dec.rotations = append(dec.rotations, rotations...)
	return changes, nil
}

// lacking is another vCenter, of those that were read, on which the account of a component does not exist; "" where none is.
func (e *estate) lacking(s *snapshot, c component.Name) string {
	for _, other := range e.all {
		if other == s || other.err != nil || e.Spec.Disabled(c) {
			continue
		}
		if _, exists := e.ours(other, e.ownAccount(c, other.generations[c].Current)); !exists {
			return other.spec.Server
		}
	}
	return ""
}

// planRotation finds the password, in the journal or a new one, and the sections of the credentials file that it is for.
func (dec *decision) planRotation(s *snapshot, c component.Name, u sso.User) (*rotation, error) {
	r := &rotation{at: s, component: c, user: dec.principal(s, c)}
	others := dec.sections(r)
	for _, server := range r.servers {
		switch user, open := dec.pending(server, c); {
		case open && dec.Spec.Account(c).Generation(user) > 0 && !strings.EqualFold(user, r.user):
			return nil, hint.Errorf("continue it with rotate (without --in-place), or undo it with rotate undo",
				"%s: a rotation of %s has started: %s will replace %s", server, c, user, r.user)
		case open && !strings.EqualFold(user, r.user):
			return nil, hint.Errorf("it may have another cluster's passwords; use another file: --credentials-file FILE",
				"%s: %s holds an unfinished rotation of %s for %s, not of %s", server, dec.Journal.Path(), user, c, r.user)
		case open && !r.resumed:
			a, _ := dec.Journal.Get(server, c)
			r.resumed, r.password = true, a.Password
		}
	}
	if !r.resumed {
		var err error
		if r.password, err = s.sso.Policy.Generate(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.spec.Server, r.user, err)
		}
	}
	accounts := map[string]map[component.Name]credfile.Account{}
	for _, server := range r.servers {
		accounts[server] = map[component.Name]credfile.Account{c: r.account()}
	}
	if err := dec.Credentials.Fits(accounts); err != nil {
		return nil, hint.Errorf("it may have another cluster's passwords; use another file: --credentials-file FILE",
			"%s: the new password of %s cannot be written to the credentials file: %w", s.spec.Server, r.user, err)
	}
	before := plan.UserState{Description: u.Description, Disabled: u.Disabled}
	if !u.PasswordSet.IsZero() {
		before.PasswordSet = u.PasswordSet.Format(time.DateOnly)
	}
	r.change = &plan.Change{
		Verb: plan.Update, Kind: plan.User, Name: r.user, Note: r.note(dec.estate, u, others),
		Before: before, After: plan.UserState{Description: u.Description, Disabled: u.Disabled, NewPassword: true},
	}
	return r, nil
}

// notDue says why no limit chose an account.
func notDue(why string) string { return strings.TrimSuffix("not due ("+why+")", " ()") }

// sections finds the sections of the credentials file that an account is for: those of the vCenters of this run, and of
// others of the same SSO domain that hold it already. others are vCenters of the domain whose sections do not, or are not
// in this file.
func (dec *decision) sections(r *rotation) (others []string) {
	for _, s := range dec.sharing(r.at.domainKey) {
		r.servers = append(r.servers, s.spec.Server)
	}
	for _, peer := range r.at.peerServers {
		for _, s := range dec.all { // as the specification spells it
			if strings.EqualFold(s.spec.Server, peer) {
				peer = s.spec.Server
			}
		}
		same := func(file *credfile.File) bool {
			a, ok := file.Get(peer, r.component)
			return ok && strings.EqualFold(a.User, r.user)
		}
		switch {
		case slices.Contains(r.servers, peer):
		case same(dec.Credentials) || dec.Journal != nil && same(dec.Journal):
			r.servers = append(r.servers, peer)
		default:
			others = append(others, peer)
		}
	}
	return others
}

// account is what goes into the sections of the journal and of the credentials file.
func (r *rotation) account() credfile.Account {
	return credfile.Account{User: r.user, Password: r.password}
}

// note says what is known of the present password, and who else is concerned.
func (r *rotation) note(e *estate, u sso.User, others []string) string {
	var notes []string
	_, known := e.Credentials.Get(r.at.spec.Server, r.component)
	switch {
	case r.resumed:
		notes = append(notes, "finishes its unfinished rotation")
	case !known && !e.Credentials.Sealed() && e.lost(r.at, r.component):
		notes = append(notes, "the current one is lost")
	case !u.PasswordSet.IsZero():
		notes = append(notes, "the current one was set on "+u.PasswordSet.Format(time.DateOnly))
	}
	if u.Disabled {
		notes = append(notes, "the account is disabled, so the new one cannot be tested")
	} else if u.Locked {
		notes = append(notes, "the account is locked, so the new one cannot be tested")
	}
	if len(r.servers) > 1 {
		notes = append(notes, "for "+strings.Join(r.servers, ", "))
	}
	if len(others) > 0 {
		notes = append(notes, few(others)+" in the same SSO domain has the account too: its users there need the new password")
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
