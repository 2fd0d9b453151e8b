package decision

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Rotation is a new password for one account of ours, once per SSO domain.
type Rotation struct {
	accounts.Record
	At      *snapshot.Snapshot // the vCenter that sets it
	Resumed bool               // the password is of the journal, perhaps set already
	Change  *plan.Change
}

// PlanRotations decides which accounts of a vCenter get a new password in place.
func (d *Decision) PlanRotations(p *VCenterPlan) ([]*plan.Change, error) {
	s := p.At
	if err := errors.Join(s.CheckOlder(), d.checkNames(s, true)); err != nil {
		return nil, err
	}
	var changes []*plan.Change
	var rotations []*Rotation
	var errs []error
	for _, c := range d.Request.Spec.ComponentNames() {
		l, principal := s.Domain.Accounts[c], s.Principal(c)
		if p.DomainPlan.planned[principal] {
			continue
		}
		why, wrong, err := d.mayReset(s, c)
		switch {
		case err != nil:
			errs = append(errs, err)
			continue
		case why != nil:
			d.refused(p, why, wrong)
			continue
		}
		r, err := d.planRotation(s, c, l.User)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		rotations, changes = append(rotations, r), append(changes, r.Change)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := d.fit(rotations); err != nil { // trying each takes as often the whole file
		for _, r := range rotations {
			if err := d.fit([]*Rotation{r}); err != nil {
				errs = append(errs, hint.Errorf(d.ownFile(), "%s: the new password of %s cannot be written to the credentials file: %w",
					s.VCenter.Server, r.To.User, err))
			}
		}
		return nil, cmp.Or(errors.Join(errs...), err)
	}
	d.Rotations = append(d.Rotations, rotations...)
	return changes, nil
}

// fit reports whether the credentials file takes the new passwords of a vCenter's accounts.
func (d *Decision) fit(rotations []*Rotation) error {
	sections := map[string]map[component.Name]credfile.Account{}
	for _, r := range rotations {
		for _, server := range r.Servers {
			if sections[server] == nil {
				sections[server] = map[component.Name]credfile.Account{}
			}
			sections[server][r.Component] = r.To
		}
	}
	return d.Request.Credentials.Fits(sections)
}

// mayReset returns why an account keeps its password; nil if it does not.
func (d *Decision) mayReset(s *snapshot.Snapshot, c component.Name) (why *accounts.Refusal, wrong bool, err error) {
	l := s.Domain.Accounts[c]
	if _, why, wrong = l.Next(accounts.Reset, s.AccountConditions(c)); why != nil {
		if u, exists := s.SSO.Own(s.Account(c).Name); why.Code == accounts.Foreign && exists {
			return nil, true, errForeign(s, c, u)
		}
		return why, wrong, nil
	}
	principal := s.Principal(c)
	if refusal := d.usedElsewhere(s, principal, func(server string) bool {
		return d.Read.stores(server, c) || d.Request.Credentials.Sealed() && d.Request.Specifies(server)
	}); refusal != nil {
		return nil, true, s.LeftOutError(principal, *refusal)
	}
	if other := d.Read.lacking(s, c); other != "" && !l.Pending { // the cluster's secret is written for all vCenters
		return &accounts.Refusal{Code: accounts.AbsentElsewhere, Component: c, Server: other}, true, nil
	}
	return nil, false, nil
}

// lacking returns another vCenter that was read and lacks a component's account; "" if none.
func (e *Snapshots) lacking(s *snapshot.Snapshot, c component.Name) string {
	for _, other := range e.All {
		if other == s || other.Err != nil || e.Request.Spec.Disabled(c) {
			continue
		}
		if _, exists := other.Ours(other.Request.OwnAccount(c, other.Domain.Generations[c].Current)); !exists {
			return other.VCenter.Server
		}
	}
	return ""
}

// ownFile is the hint at a credentials file of this cluster alone.
func (d *Decision) ownFile() string {
	return "it may have another cluster's passwords; use a file of this cluster's own: --credentials-file " +
		script.Word(credfile.Apart(d.Request.Credentials.Path(), d.Request.Spec.Cluster))
}

// planRotation finds the password, in the journal or new, and its sections of the file.
func (d *Decision) planRotation(s *snapshot.Snapshot, c component.Name, u sso.User) (*Rotation, error) {
	r := &Rotation{At: s, Record: accounts.Record{Component: c, From: s.Principal(c), To: credfile.Account{User: s.Principal(c)}}}
	others := d.sections(r)
	for _, server := range r.Servers {
		had := d.Request.Files().Section(server, c)
		user := had.Pending()
		switch open := user != ""; {
		case open && s.Request.Spec.Account(c).Generation(user) > 0 && !strings.EqualFold(user, r.To.User):
			err := fmt.Errorf("%s: a rotation of %s has started: %s will replace %s", server, c, user, r.To.User)
			return nil, hint.Wrap(err, s.Request.Ways(accounts.NextUnusedYet, nil, c)...)
		case open && !strings.EqualFold(user, r.To.User):
			return nil, hint.Errorf(d.ownFile(),
				"%s: %s holds an unfinished rotation of %s for %s, not of %s", server,
				d.Request.Journal.Path(), user, c, r.To.User)
		case open && !r.Resumed:
			r.Resumed, r.To.Password = true, had.Journal.Password
		}
	}
	if !r.Resumed {
		var err error
		if r.To.Password, err = s.SSO.Policy.Generate(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.VCenter.Server, r.To.User, err)
		}
	}
	before := plan.UserState{Description: u.Description, Disabled: u.Disabled}
	if !u.PasswordSet.IsZero() {
		before.PasswordSet = u.PasswordSet.Format(time.DateOnly)
	}
	r.Change = &plan.Change{
		Verb: plan.Update, Kind: plan.User, Name: r.To.User, Note: r.note(d.Read, u, others),
		Before: before, After: plan.UserState{Description: u.Description, Disabled: u.Disabled, NewPassword: true},
	}
	return r, nil
}

// sections finds an account's sections of the credentials file: those of this run's vCenters, and
// of others in the SSO domain that have it. others are vCenters of it without one.
func (d *Decision) sections(r *Rotation) (others []string) {
	for _, s := range d.Read.Sharing(r.At.Domain.Key) {
		r.Servers = append(r.Servers, s.VCenter.Server)
	}
	for _, peer := range r.At.Domain.PeerServers {
		for _, s := range d.Read.All { // as the specification spells it
			if strings.EqualFold(s.VCenter.Server, peer) {
				peer = s.VCenter.Server
			}
		}
		same := func(file *credfile.File) bool {
			a, ok := file.Get(peer, r.Component)
			return ok && strings.EqualFold(a.User, r.To.User)
		}
		switch {
		case slices.Contains(r.Servers, peer):
		case same(d.Request.Credentials) || d.Request.Journal != nil && same(d.Request.Journal):
			r.Servers = append(r.Servers, peer)
		default:
			others = append(others, peer)
		}
	}
	return others
}

// note says what is known of the present password, and who else is affected.
func (r *Rotation) note(e *Snapshots, u sso.User, others []string) string {
	var notes []string
	_, known := e.Request.Credentials.Get(r.At.VCenter.Server, r.Component)
	switch {
	case r.Resumed:
		notes = append(notes, "finishes its unfinished rotation")
	case !known && !e.Request.Credentials.Sealed() && e.lost(r.At, r.Component):
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

// lockoutText says what running components do until they have the new password.
func lockoutText(l sso.Lockout) string {
	text := "running components use the old password until the cluster has the new secrets"
	switch {
	case l.MaxFailed == 0:
		return text + "; this SSO domain never locks accounts"
	case l.UnlockAfter == 0:
		return text + fmt.Sprintf("; %d failed logins within %s lock an account until an administrator unlocks it", l.MaxFailed, l.Within)
	}
	return text + fmt.Sprintf("; %d failed logins within %s lock an account for %s", l.MaxFailed,
		l.Within, l.UnlockAfter)
}

// TellInPlace reports how logins change with an enabled account's password.
func (d *Decision) TellInPlace(p *VCenterPlan) {
	s := p.At
	var components []component.Name
	for _, r := range d.Rotations {
		if u, _ := r.At.SSO.Own(r.At.Account(r.Component).Name); r.At.Domain.Key == s.Domain.Key && !u.Disabled {
			components = append(components, r.Component)
		}
	}
	if components == nil {
		return
	}
	note := func(text string) { p.tell(ofUser("").Tell(finding.Consequence, text)) }
	l := s.SSO.Lockout
	note(lockoutText(l))
	if s.Domain.Peers > 1 {
		note("linked vCenters get a new password within a minute and refuse it until then")
	}
	profile, _ := openshift.FindProfile(d.Request.Spec.Profile)
	for _, r := range profile.Readers(components) {
		note(readerText(r, l, r.Root() && !profile.Shared()))
	}
}

// readerText says what a reader does between the new password and its secret, and afterwards.
// perhaps: it uses the account only if the root secret holds it.
func readerText(r openshift.Reader, l sso.Lockout, perhaps bool) string {
	text := r.Name
	if perhaps {
		text += " (if " + r.Secret.String() + " holds this account)"
	}
	if r.Hold == openshift.HoldsNothing {
		text += fmt.Sprintf(": logs in every %s, and is refused until its secret is applied", short(r.Every))
	} else {
		text += ": keeps its session, and is refused when that ends before its secret is applied"
	}
	if after, locks := r.Retry.Locks(l.MaxFailed, l.Within); locks {
		text += fmt.Sprintf("; it locks the account within %s of its first failed login", short(after))
	} else if l.MaxFailed > 0 {
		text += "; it retries too rarely to lock the account"
	}
	if r.Password.Restart {
		text += fmt.Sprintf("; it %s: %s", r.Password.Does, r.Restart)
	}
	return text
}

// short omits zero units: 3m, not 3m0s.
func short(d time.Duration) string {
	if d < time.Second {
		return "a second"
	}
	text := strings.TrimSuffix(d.Round(time.Second).String(), "m0s")
	if text != d.Round(time.Second).String() {
		text += "m"
	}
	if hours, ok := strings.CutSuffix(text, "h0m"); ok {
		text = hours + "h"
	}
	return text
}
