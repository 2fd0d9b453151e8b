package provision

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/workorder"
)

// Plan reads every vCenter and says what has to change. What is wrong with a vCenter is in its part of the plan and
// does not keep the others from being planned.
func (j *Job) Plan(ctx context.Context) *plan.Plan {
	e := j.read(ctx, j.Request)
	p := j.propose(ctx, e.decide((*decision).change))
	j.first(p, e.left())
	p.Findings = slices.Concat(e.findings(), j.decided.unable(), p.Findings)
	return p
}

// WorkOrder is what a plan of this job comes to when other teams do it.
func (j *Job) WorkOrder(p *plan.Plan, again workorder.Again) *workorder.Order {
	return j.decided.workOrder(p, again)
}

// first puts notes about no vCenter in particular to the first that was planned.
func (j *Job) first(p *plan.Plan, notes []*plan.Change) {
	if i := slices.IndexFunc(j.decided.vcenters, func(p *vcenterPlan) bool { return p.err == nil }); i >= 0 {
		p.VCenters[i].Changes = slices.Insert(p.VCenters[i].Changes, 0, notes...)
	}
}

// propose keeps a decision to be carried out, says what its changes do, and shows it. What is missing is named with what is
// near: only runs that fail pay for looking.
func (j *Job) propose(ctx context.Context, dec *decision) *plan.Plan {
	j.decided = &execution{decision: dec, work: plan.Steps{}}
	var group crash.Group
	group.Limit(j.o.Parallel)
	for i, p := range dec.vcenters {
		t := j.targets[i]
		if p.err == nil {
			t.attach(j.decided, p)
		} else if t.session != nil {
			group.Go(func() { p.err = t.nearby(ctx, p.err) })
		}
	}
	group.Wait()
	shown := dec.plan()
	shown.Findings = shown.Staying()
	return shown
}

// attach says what the changes of a vCenter do.
func (t *target) attach(dec *execution, p *vcenterPlan) {
	t.directory.Attach(dec.work, p.changes, p.domainPlan.passwords)
	if t.roles == nil { // a rotation reads accounts alone
		return
	}
	if p.wanted != nil {
		t.attachFolders(dec.work, p.wanted.folders)
	}
	w := roles.NewWriter(t.session, t.roles)
	w.Attach(dec.work, p.changes)
	perms.NewWriter(t.session, w, t.keyOf).Attach(dec.work, p.steps)
}

// change decides what has to change on a vCenter.
func (dec *decision) change(p *vcenterPlan) ([]*plan.Change, error) {
	s := p.snapshot
	if err := s.checkOlder(); err != nil {
		return nil, err
	}
	d, err := s.desired()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(p.checkPrincipals(), s.checkAmbiguous(), p.checkAdministrators(), p.checkMarks(), p.checkRivals(d)); err != nil {
		return nil, err
	}
	p.wanted = d
	d.notes = append(d.notes, p.ordered(d)...)
	roleChanges, err := roles.Diff(d.roles, s.roles, roles.Options{
		Additive: dec.Additive, Affects: s.perms.Holders,
		Strangers: func(id int32) []string { return p.strangers(s.perms.Holders(id)) },
	})
	if err != nil {
		return nil, err
	}
	userChanges, err := dec.users(p)
	if err != nil {
		return nil, err
	}
	var notes []*plan.Change
	if dec.Only == plan.Permission {
		if notes, err = p.checkPresent(slices.Concat(roleChanges, userChanges)); err != nil {
			return nil, err
		}
		notes = append(notes, p.unread()...)
	}
	var permissionChanges []*plan.Change
	if dec.does(plan.Permission) {
		if err := dec.permissions(p); err != nil {
			return nil, err
		}
		if err := errors.Join(dec.checkShared(p), dec.checkMatrix(p)); err != nil {
			return nil, err
		}
		permissionChanges = perms.Changes(p.steps)
		notes = slices.Concat(notes, dec.leftNotes(p), p.neighbours(d))
		if !dec.Prune {
			notes = append(notes, p.unnamed()...)
		}
	}
	if s.sso.Users != nil {
		userChanges = slices.Concat(userChanges, p.replaced(), dec.notPruned(s))
	}
	return slices.Concat(d.notes, notes, d.folderChanges(), roleChanges, userChanges, permissionChanges), nil
}

// strangers are those of the principals that are no account of this specification.
func (s *vcenterPlan) strangers(principals []string) []string {
	ours := append(s.owned(), s.request.adopted()...)
	return slices.DeleteFunc(principals, func(p string) bool {
		return slices.ContainsFunc(ours, func(our string) bool { return s.sso.Same(our) == s.sso.Same(p) })
	})
}

// checkAdministrators refuses accounts that administer the whole vCenter: a permission of a component would displace theirs.
func (s *vcenterPlan) checkAdministrators() error {
	for _, c := range s.request.Spec.ComponentNames() {
		who := s.holder(c)
		for _, p := range s.permissionsOf(who) {
			if s.administers(p) {
				way := "give " + string(c) + " an account of its own"
				if s.request.owns(c) {
					way = "remove what somebody gave it: " + p.Removal("/")
				}
				return hint.Errorf(way, "%s: %s administers this vCenter and cannot be the account of %s", s.spec.Server, who, c)
			}
		}
	}
	return nil
}

// users plans the accounts of ours. vCenters of one SSO domain share them: the first one creates.
func (dec *decision) users(p *vcenterPlan) ([]*plan.Change, error) {
	s := p.snapshot
	if s.sso.Users == nil { // they were not read
		return nil, nil
	}
	var wants []sso.Want
	var notes []*plan.Change
	for _, a := range s.ownAccounts() {
		u, exists := s.sso.Own(a.name)
		made := dec.madeAt(s, a)
		stored, err := dec.password(s, a, exists || made != "")
		if err != nil {
			return nil, err
		}
		if _, known := p.domainPlan.passwords[a.principal(s)]; !known {
			if s.accounts[a.component].Phase(a.generation) == accounts.Absent && !stored.Empty() { // it may have been removed because others know it
				stored = secret.Secret{}
				notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: a.principal(s), Note: "gets a new password: the password that " + dec.Credentials.Path() + " has for its name is not used again"})
			}
			p.domainPlan.passwords[a.principal(s)] = stored
		}
		if !exists && made != "" {
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: a.principal(s), Note: "exists on " + made + ", in the same SSO domain, but is not replicated to this one yet"})
			continue
		}
		if s.leaves(a) {
			continue
		}
		disabled := dec.Spec.Disabled(a.component)
		if exists && (!s.inUse(a) || s.touches(a)) { // its rotation may have disabled it
			disabled = disabled || u.Disabled
		}
		if exists && u.Disabled && s.inUse(a) && dec.Spec.Disabled(a.component) && u.Description == sso.Mark(dec.Spec.Cluster, a.component) {
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: a.principal(s), Note: "is disabled, as specified: no login is possible until users enable"})
		}
		if s.mustDisable(a) {
			if elsewhere := dec.usedElsewhere(s, a.principal(s), func(string) bool { return false }); elsewhere != nil {
				return nil, s.errLeftOut(a.principal(s), *elsewhere)
			}
		}
		wants = append(wants, sso.Want{
			Name:        a.name,
			Component:   a.component,
			Description: sso.Mark(dec.Spec.Cluster, a.component),
			Disabled:    disabled,
		})
	}
	changes, err := sso.Diff(wants, s.sso, s.domainKey)
	if err != nil {
		return nil, err
	}
	for i, c := range changes {
		c.Stays = c.Differs && dec.does(plan.User)
		if c.Acts() && p.domainPlan.planned[c.Name] {
			becomes := "created"
			if c.Verb == plan.Update {
				becomes = "disabled"
			}
			changes[i] = &plan.Change{Verb: plan.Note, Kind: plan.User, Name: c.Name, Note: becomes + " at the first vCenter of this SSO domain"}
		}
	}
	return append(notes, changes...), nil
}

// mustDisable reports whether the specification disables an account that is enabled.
func (s *snapshot) mustDisable(a ownAccount) bool {
	u, exists := s.sso.Own(a.name)
	return exists && !u.Disabled && s.request.Spec.Disabled(a.component)
}

// mustDisableAny reports whether the specification disables an account that is enabled, on any vCenter.
func (e *snapshots) mustDisableAny() bool {
	return slices.ContainsFunc(e.all, func(s *snapshot) bool { return s.err == nil && slices.ContainsFunc(s.ownAccounts(), s.mustDisable) })
}

// madeAt names a vCenter of the same SSO domain that has an account of ours; "" where none has. They hear of each other's accounts
// within a minute (R40).
func (e *snapshots) madeAt(s *snapshot, a ownAccount) string {
	for _, other := range e.sharing(s.domainKey) {
		if other.compared(a.name, a.component).Ours() {
			return other.spec.Server
		}
	}
	return ""
}

// password is that of an account on this machine; empty where there is none. The one that is in use has it in the credentials
// file, in the section of any vCenter of its SSO domain, the others in the journal.
func (e *snapshots) password(s *snapshot, a ownAccount, exists bool) (password secret.Secret, err error) {
	user, c := a.principal(s), a.component
	if replaced := s.generations[c].Replaced; replaced != a.generation && (replaced > 0 || !s.inUse(a)) {
		return s.journaled(a), nil
	}
	servers := slices.Clone(s.others)
	for _, other := range e.all {
		if other.domainKey == s.domainKey {
			servers = append(servers, other.spec.Server)
		}
	}
	for _, server := range servers {
		account, ok := e.Credentials.Get(server, c)
		switch {
		case !ok, !strings.EqualFold(account.User, user) && (server != s.spec.Server || e.Spec.Account(c).Generation(account.User) > 0):
		case !strings.EqualFold(account.User, user):
			way := "it may have another cluster's passwords; use another file: "
			name, _, _ := strings.Cut(account.User, "@")
			if s.compared(name, c).Ours() {
				way = "it is this cluster's, of another accounts.username: name it so again, or keep the new accounts in a file of their own: "
			}
			return secret.Secret{}, hint.Errorf(way+"credentialsFile in the specification, or "+credfile.Variable+"=FILE",
				"%s: %s already holds %s for %s, not %s", s.spec.Server, e.Credentials.Path(), account.User, c, user)
		case password.Empty():
			password = account.Password
		case exists && !password.Equal(account.Password):
			return secret.Secret{}, hint.Errorf("find the right one with verify, and write it into every section of the SSO domain",
				"%s: %s has two different passwords for %s", s.spec.Server, e.Credentials.Path(), user)
		}
	}
	return password, nil
}

// isOf reports whether a permission is of one of these users.
func (s *vcenterPlan) isOf(p perms.Permission, users []string) bool {
	return slices.ContainsFunc(users, func(u string) bool { return s.userKey(u) == p.Key })
}

// owned are the accounts whose permissions are all ours.
func (s *snapshot) owned() []string {
	var all []string
	for _, a := range s.ownAccounts() {
		all = append(all, a.principal(s))
	}
	return all
}

// known are those whose password is known here and that are not retired. One that this machine did not make may serve another
// cluster of the same name: what it has elsewhere is not stale. Nobody asks a list for passwords.
func (dec *decision) known(p *vcenterPlan) []string {
	var all []string
	for _, a := range p.ownAccounts() {
		if principal := a.principal(p.snapshot); (dec.Credentials == nil || !p.domainPlan.passwords[principal].Empty()) && !p.retired(a) {
			all = append(all, principal)
		}
	}
	return all
}
