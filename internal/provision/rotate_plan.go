package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// rotation is a new password for one account of ours, once per SSO domain.
type rotation struct {
	site      *site // the one that is asked
	component component.Name
	user      string
	servers   []string // whose sections of the credentials file hold the account
	password  secret.Secret
	resumed   bool // the password is of the journal: an earlier run may have set it
	change    *plan.Change

	accepted bool   // the vCenter has the password
	finished bool   // nothing of it is left to do, so the journal can forget it
	warning  string // what is not as it should be although it is accepted
}

// PlanRotation says which accounts get a new password, in their place: all of ours of the specification's components. Where
// named is set, somebody asked for just these, and one that cannot be rotated is an error instead of a note. Unfinished
// rotations of the journal come to their end with the journal's password. Call it once per Job.
func (j *Job) PlanRotation(ctx context.Context, named bool) *plan.Plan {
	lockouts := make(map[*site]sso.Lockout, len(j.sites))
	var mu sync.Mutex
	j.each(ctx, func(ctx context.Context, s *site) error {
		if err := j.readDomain(ctx, s); err != nil {
			return err
		}
		lockout, err := s.directory.Lockout(ctx)
		mu.Lock()
		defer mu.Unlock()
		lockouts[s] = lockout
		return err
	})
	planned := map[string]bool{}
	return j.assemble(func(s *site) ([]*plan.Change, error) {
		changes, err := j.planRotations(ctx, s, named, planned)
		if err == nil && slices.ContainsFunc(changes, (*plan.Change).Acts) {
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Note: lockoutText(lockouts[s])})
		}
		return changes, err
	})
}

// readDomain logs the administrator in and reads the accounts of ours, and nothing else.
func (j *Job) readDomain(ctx context.Context, s *site) error {
	if err := j.connect(ctx, s); err != nil {
		return err
	}
	j.progress(s.spec.Server, "reading")
	names := []string{}
	if j.o.Spec.Cluster != "" {
		names = j.accountNames()
	}
	var err error
	if s.directory, s.sso, err = sso.Read(ctx, s.session, sso.Query{Names: names}); err != nil {
		return err
	}
	return j.identify(ctx, s)
}

func (j *Job) planRotations(ctx context.Context, s *site, named bool, planned map[string]bool) ([]*plan.Change, error) {
	var changes []*plan.Change
	var rotations []*rotation
	var errs []error
	for _, c := range j.o.Spec.ComponentNames() {
		principal := j.principal(s, c)
		note := func(text string, hints ...string) {
			if named {
				errs = append(errs, hint.Wrap(fmt.Errorf("%s: %s: %s", s.spec.Server, principal, text), hints...))
				return
			}
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: text})
		}
		u, exists := s.sso.Users[strings.ToLower(j.o.Spec.Account(c).Name)]
		switch mark := sso.Mark(j.o.Spec.Cluster, c); {
		case !j.owns(c):
			note("is not ours (components."+string(c)+".principal), so its password is not ours to change",
				"ask those who look after "+principal+" for a new password, then: credentials import")
		case !exists:
			note("does not exist", "apply creates it")
		case u.Description != mark:
			errs = append(errs, hint.Errorf("the specification, or --cluster, may name another cluster than it was made for",
				"%s: account %s is not ours (its description is %q)", s.spec.Server, principal, u.Description))
		case planned[s.domainKey+"\x00"+string(c)]:
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: "gets its new password with the first vCenter of this SSO domain"})
		default:
			r, err := j.planRotation(ctx, s, c, u)
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
		planned[s.domainKey+"\x00"+string(r.component)] = true
	}
	j.rotations = append(j.rotations, rotations...)
	return changes, nil
}

// planRotation finds the password, in the journal or a new one, and the sections of the credentials file that it is for.
func (j *Job) planRotation(ctx context.Context, s *site, c component.Name, u sso.User) (*rotation, error) {
	r := &rotation{site: s, component: c, user: j.principal(s, c)}
	others, err := j.sections(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, server := range r.servers {
		switch user, open := j.pending(server, c); {
		case open && !strings.EqualFold(user, r.user):
			return nil, hint.Errorf("another cluster's passwords may be in it; use another file: --credentials-file FILE",
				"%s: %s holds an unfinished rotation of %s for %s, not of %s", server, j.o.Journal.Path(), user, c, r.user)
		case open && !r.resumed:
			a, _ := j.o.Journal.Get(server, c)
			r.resumed, r.password = true, a.Password
		}
	}
	if !r.resumed {
		if r.password, err = s.sso.Policy.Generate(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.spec.Server, r.user, err)
		}
	}
	accounts := map[string]map[component.Name]credfile.Account{}
	for _, server := range r.servers {
		accounts[server] = map[component.Name]credfile.Account{c: r.account()}
	}
	if err := j.o.Credentials.Fits(accounts); err != nil {
		return nil, hint.Errorf("another cluster's passwords may be in it; use another file: --credentials-file FILE",
			"%s: the new password of %s would not go into the credentials file: %w", s.spec.Server, r.user, err)
	}
	before := plan.UserState{Description: u.Description}
	if !u.PasswordSet.IsZero() {
		before.PasswordSet = u.PasswordSet.Format(time.DateOnly)
	}
	r.change = &plan.Change{
		Verb: plan.Update, Kind: plan.User, Name: r.user, Note: r.note(j, u, others),
		Before: before, After: plan.UserState{Description: u.Description, NewPassword: true},
		Do: func(ctx context.Context) error { return j.rotate(ctx, r) },
	}
	return r, nil
}

// sections finds the sections of the credentials file that an account is for: those of the vCenters of this run, and of
// others of the same SSO domain that hold it already. others are vCenters of the domain whose sections do not, or are not
// in this file.
func (j *Job) sections(ctx context.Context, r *rotation) (others []string, err error) {
	for _, s := range j.sites {
		if s.err == nil && s.domainKey == r.site.domainKey {
			r.servers = append(r.servers, s.spec.Server)
		}
	}
	peers, err := r.site.session.PeerServers(ctx)
	if err != nil {
		return nil, err
	}
	same := func(file *credfile.File, server string) bool {
		a, ok := file.Get(server, r.component)
		return ok && strings.EqualFold(a.User, r.user)
	}
	for _, peer := range peers {
		for _, s := range j.sites { // as the specification spells it
			if strings.EqualFold(s.spec.Server, peer) {
				peer = s.spec.Server
			}
		}
		switch {
		case slices.Contains(r.servers, peer):
		case same(j.o.Credentials, peer) || j.o.Journal != nil && same(j.o.Journal, peer):
			r.servers = append(r.servers, peer)
		default:
			others = append(others, peer)
		}
	}
	return others, nil
}

// account is what goes into the sections of the journal and of the credentials file.
func (r *rotation) account() credfile.Account {
	return credfile.Account{User: r.user, Password: r.password}
}

// note says what is known of the present password, and who else is concerned.
func (r *rotation) note(j *Job, u sso.User, others []string) string {
	var notes []string
	_, known := j.o.Credentials.Get(r.site.spec.Server, r.component)
	switch {
	case r.resumed:
		notes = append(notes, "comes to the end of its unfinished rotation")
	case !known && j.lost(r.site, r.component):
		notes = append(notes, "the present one is lost")
	case !u.PasswordSet.IsZero():
		notes = append(notes, "the present one was set on "+u.PasswordSet.Format(time.DateOnly))
	}
	if u.Disabled {
		notes = append(notes, "the account is disabled, so that the new one cannot be proved")
	} else if u.Locked {
		notes = append(notes, "the account is locked, so that the new one cannot be proved")
	}
	if len(r.servers) > 1 {
		notes = append(notes, "for "+strings.Join(r.servers, ", "))
	}
	if len(others) > 0 {
		notes = append(notes, few(others)+" of the same SSO domain has the account, too: whoever uses it there needs the new password")
	}
	return strings.Join(notes, "; ")
}

// lockoutText says what the components that run will do until they have the new password.
func lockoutText(l sso.Lockout) string {
	text := "components that run go on with the old password until the cluster has the new secrets"
	switch {
	case l.MaxFailed == 0:
		return text + "; this SSO domain never locks accounts"
	case l.UnlockAfter == 0:
		return text + fmt.Sprintf("; %d failed logins within %s lock an account until somebody unlocks it", l.MaxFailed, l.Within)
	}
	return text + fmt.Sprintf("; %d failed logins within %s lock an account for %s", l.MaxFailed, l.Within, l.UnlockAfter)
}
