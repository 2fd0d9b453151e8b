package decision

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// Change decides what has to change on a vCenter.
func (d *Decision) Change(p *VCenterPlan) ([]*plan.Change, error) {
	s := p.At
	if err := s.CheckOlder(); err != nil {
		return nil, err
	}
	desired, err := s.Desired()
	if err != nil {
		return nil, err
	}
	if d.Request.Does(plan.User) && d.Request.Op == accounts.Keep && d.Request.Spec.OfCluster() {
		if err := openshift.CheckServer(s.VCenter.Server); err != nil { // no secret could hold the accounts
			return nil, err
		}
		if upper := openshift.UpperCase(s.VCenter.Server); upper != "" {
			p.tell(plan.Change{Kind: plan.VCenterKind, Name: s.VCenter.Server}.Tell(finding.Consequence, upper))
		}
	}
	if err := errors.Join(d.checkNames(s, d.Request.Prune || d.Request.Op != accounts.Keep), p.checkPrincipals(),
		s.CheckAmbiguous(), p.checkAdministrators(), p.checkMarks(), p.checkRivals(desired)); err != nil {
		return nil, err
	}
	p.Wanted = desired
	p.tell(desired.Told...)
	p.ordered(desired)
	roleChanges, err := roles.Diff(desired.Roles, s.Roles, roles.Options{
		Additive: d.Request.Additive, Affects: s.Perms.Holders,
		Strangers: func(id int32) []string { return p.strangers(s.Perms.Holders(id)) },
	})
	if err != nil {
		return nil, err
	}
	userChanges, err := d.users(p)
	if err != nil {
		return nil, err
	}
	if d.Request.Only == plan.Permission {
		if err := p.checkPresent(slices.Concat(roleChanges, userChanges)); err != nil {
			return nil, err
		}
		if s.SSO.Why != nil {
			p.tell(plan.Change{Kind: plan.Permission}.Tell(finding.Consequence, fmt.Sprintf(
				"the accounts are assumed to exist in SSO domain %s, because %s may not administer SSO and cannot read them; "+
					"permissions that are left over are not searched for", s.SSO.Domain, s.Administrator)))
		}
	}
	var permissionChanges []*plan.Change
	if d.Request.Does(plan.Permission) {
		if err := d.permissions(p); err != nil {
			return nil, err
		}
		if err := errors.Join(d.checkShared(p), d.checkMatrix(p)); err != nil {
			return nil, err
		}
		d.markNarrowing(p)
		permissionChanges = perms.Changes(p.Steps)
		for _, c := range p.Permissions {
			if c.Told != nil {
				p.tell(c.Told)
			}
		}
		d.tellLeft(p)
		p.neighbours(desired)
		p.leftovers()
		if !d.Request.Prune {
			p.unnamed()
		}
	}
	if s.SSO.Users != nil {
		p.replaced()
		d.Read.notPruned(p)
	}
	return slices.Concat(desired.FolderChanges(), tags.Changes(desired.Tags), roleChanges,
		userChanges, permissionChanges), nil
}

// strangers returns the principals that are no accounts of this specification.
func (v *VCenterPlan) strangers(principals []string) []string {
	ours := append(v.At.Owned(), v.At.Request.Adopted()...)
	return slices.DeleteFunc(principals, func(p string) bool {
		return slices.ContainsFunc(ours, func(our string) bool { return v.At.SSO.Same(our) == v.At.SSO.Same(p) })
	})
}

// checkAdministrators refuses administrators of the vCenter, whose permissions would be displaced, and
// the group that they and everybody else are in.
func (v *VCenterPlan) checkAdministrators() error {
	for _, c := range v.At.Request.Spec.ComponentNames() {
		who := v.At.Holder(c)
		if name, _ := v.At.SSO.Split(who.Name); who.Group && strings.EqualFold(name, sso.Everyone) {
			return hint.Errorf(snapshot.OfItsOwn(c), "%s: everybody is in %s, which cannot be the account of %s",
				v.At.VCenter.Server, who, c)
		}
		for _, p := range v.At.PermissionsOf(who) {
			if v.At.Administers(p) {
				way := snapshot.OfItsOwn(c)
				if v.At.Request.OwnsHolder(c) && !v.At.IsAdministrator(who) {
					way = "remove what somebody gave it: " + p.Removal("/")
				}
				return hint.Errorf(way, "%s: %s administers this vCenter and cannot be the account of %s",
					v.At.VCenter.Server, who, c)
			}
		}
	}
	return nil
}

// checkLinkedUsers refuses different users of a component on linked vCenters where we create one of
// them, because an account of ours is the same in its whole SSO domain.
func (v *VCenterPlan) checkLinkedUsers() error {
	for _, c := range v.At.Request.Spec.ComponentNames() {
		here := v.At.VCenter.Accounts[c]
		for _, vc := range v.At.Request.Spec.Whole().VCenters {
			there := vc.Accounts[c]
			if !slices.Contains(v.At.Domain.Sections, vc.Server) || v.At.SSO.Same(there) == v.At.SSO.Same(here) ||
				here != "" && there != "" && !v.At.Request.Owns(c) {
				continue
			}
			return hint.Errorf("name one user of "+string(c)+" for both, or users that exist already",
				"%s: %s names %s for %s here and %s on %s, which is in the same SSO domain",
				v.At.VCenter.Server, v.At.Request.Given.Name(), cmp.Or(here, "none"), c, cmp.Or(there, "none"), vc.Server)
		}
	}
	return nil
}

// users plans the accounts of ours. The first vCenter of an SSO domain creates them.
func (d *Decision) users(p *VCenterPlan) ([]*plan.Change, error) {
	s := p.At
	if s.SSO.Users == nil { // they were not read
		return nil, nil
	}
	if err := p.checkLinkedUsers(); err != nil {
		return nil, err
	}
	var wants []sso.Want
	for _, a := range s.OwnAccounts() {
		u, exists := s.SSO.Own(a.Name)
		made := d.Read.madeAt(s, a)
		stored, err := d.Read.password(s, a, exists || made != "")
		if err != nil {
			return nil, err
		}
		if drawn := s.Journaled(a); drawn.Equal(stored) {
			stored = drawn
		}
		if _, known := p.DomainPlan.Passwords[a.Principal(s)]; !known {
			absent := s.Domain.Accounts[a.Component].Phase(a.Generation) == accounts.Absent
			given := d.Request.GivenPassword(s.VCenter.Server, a.Component, a.Principal(s))
			if err := s.SSO.Policy.Check(given); absent && !given.Empty() && err != nil {
				stored = secret.Secret{}
				p.tell(ofUser(a.Principal(s)).Tell(finding.Consequence, "gets a new password instead of that in "+d.Request.Given.Name()+", because "+err.Error()))
			} else if absent && !stored.Empty() && given.Empty() { // it may have been removed because others know its password
				stored = secret.Secret{}
				p.tell(ofUser(a.Principal(s)).Tell(finding.Consequence, "gets a new password: the password that "+d.Request.Credentials.Path()+" has for its name is not used again"))
			}
			p.DomainPlan.Passwords[a.Principal(s)] = stored
		}
		if !exists && made != "" {
			p.tell(ofUser(a.Principal(s)).Tell(finding.PlanNote, "exists on "+made+", in the same SSO domain, but is not replicated to this one yet"))
			continue
		}
		if s.Leaves(a) {
			continue
		}
		if !exists && made == "" {
			if err := d.checkFiled(s); err != nil {
				return nil, err
			}
			if next := d.Request.Spec.At(s.VCenter.Server).Account(a.Component).Of(a.Generation + 1); next.CheckName() != nil {
				p.tell(ofUser(a.Principal(s)).Tell(finding.Consequence, "the name leaves no room for that of its replacement, "+next.Name+
					", so it can only be rotated in place: shorten accounts.username now"))
			}
		}
		disabled := d.Request.Spec.Disabled(a.Component)
		if disabled && u.Disabled && s.InUse(a) && s.Compared(a.Name, a.Component).Ours() {
			p.tell(ofUser(a.Principal(s)).Tell(finding.PlanNote, "is disabled, as specified: no login is possible until users enable"))
		}
		if exists && (!s.InUse(a) || s.Touches(a)) { // its rotation may have disabled it
			disabled = disabled || u.Disabled
		}
		if s.MustDisable(a) {
			if err := d.mayDisable(p, a.Principal(s), func(string) bool { return false }); err != nil {
				return nil, err
			}
		}
		w := sso.Want{
			Name:        a.Name,
			Component:   a.Component,
			Description: sso.Mark(d.Request.Spec.Cluster, a.Component),
			Disabled:    disabled,
		}
		if holder := s.Holder(a.Component); holder.Group && !s.Retired(a) {
			w.MemberOf = holder.Name
		}
		wants = append(wants, w)
	}
	changes, told, err := sso.Diff(wants, s.SSO, s.Domain.Key)
	if err != nil {
		return nil, hint.Wrap(err, p.insteadOf(wants)...)
	}
	changes = d.makeGroups(p, changes)
	var disabled []string // but not as specified: they are recorded together
	var enables []*finding.Finding
	for _, f := range told {
		if f.Code == finding.NotAsSpecified && d.Request.Does(plan.User) {
			of := string(wants[slices.IndexFunc(wants, func(w sso.Want) bool { return w.Name+"@"+s.SSO.Domain == f.Object.Name })].Component)
			f.Code, f.Severity, disabled = finding.StaysBehind, finding.Error, append(disabled, of)
			enables = append(enables, f)
			f.Remedies = []string{"to enable it: " + d.Request.Command("users enable", "--components", of)}
		}
	}
	for _, f := range enables {
		f.Remedies = append(f.Remedies, "to record what is disabled: "+d.Request.Records(disabled...))
	}
	p.tell(told...)
	return slices.DeleteFunc(changes, func(c *plan.Change) bool { return p.DomainPlan.planned[c.Name] }), nil
}

// MustDisableAny reports whether the specification disables an enabled account on any vCenter.
func (e *Snapshots) MustDisableAny() bool {
	return slices.ContainsFunc(e.All, func(s *snapshot.Snapshot) bool {
		return s.Err == nil && slices.ContainsFunc(s.OwnAccounts(), s.MustDisable)
	})
}

// madeAt names a linked vCenter that already has an account of ours (R40); "" if none has.
func (e *Snapshots) madeAt(s *snapshot.Snapshot, a snapshot.OwnAccount) string {
	for _, other := range e.Sharing(s.Domain.Key) {
		if other.Compared(a.Name, a.Component).Ours() {
			return other.VCenter.Server
		}
	}
	return ""
}

// password returns an account's stored password; empty if none. The credentials file has that of
// the account in use, in the section of any vCenter of its SSO domain; the journal has the others.
func (e *Snapshots) password(s *snapshot.Snapshot, a snapshot.OwnAccount, exists bool) (password secret.Secret, err error) {
	user, c := a.Principal(s), a.Component
	if replaced := s.Domain.Generations[c].Replaced; replaced != a.Generation && (replaced > 0 || !s.InUse(a)) {
		return s.Journaled(a), nil
	}
	servers := slices.Clone(s.Domain.Others)
	for _, other := range e.All {
		if other.Domain.Key == s.Domain.Key {
			servers = append(servers, other.VCenter.Server)
		}
	}
	for _, server := range servers {
		account, ok := e.Request.Credentials.Get(server, c)
		switch {
		case !ok, !strings.EqualFold(account.User, user) &&
			(server != s.VCenter.Server || s.Request.Spec.Account(c).Generation(account.User) > 0):
		case !strings.EqualFold(account.User, user):
			return secret.Secret{}, e.heldInstead(s, c, user, account)
		case password.Empty():
			password = account.Password
		case exists && !password.Equal(account.Password):
			return secret.Secret{}, hint.Errorf("find the right one with verify, and write it into every section of the SSO domain",
				"%s: %s has two different passwords for %s", s.VCenter.Server, e.Request.Credentials.Path(), user)
		}
	}
	filed := !password.Empty()
	for _, server := range servers {
		switch given := e.Request.GivenPassword(server, c, user); {
		case filed || given.Empty():
		case password.Empty():
			password = given
		case !password.Equal(given):
			return secret.Secret{}, hint.Errorf("write the same one for each vCenter of the SSO domain",
				"%s: %s has two different passwords for %s", s.VCenter.Server, e.Request.Given.Name(), user)
		}
	}
	return password, nil
}

func (v *VCenterPlan) isOf(p perms.Permission, users []string) bool {
	return slices.ContainsFunc(users, func(u string) bool { return v.At.UserKey(u) == p.Key })
}

// known returns the accounts that have a stored password and are not retired. Others may serve
// another cluster of the same name, so theirs are not stale. Lists need no passwords.
func (d *Decision) known(p *VCenterPlan) []string {
	var all []string
	for _, a := range p.At.OwnAccounts() {
		if principal := a.Principal(p.At); (d.Request.Credentials == nil ||
			!p.DomainPlan.Passwords[principal].Empty()) && !p.At.Retired(a) {
			all = append(all, principal)
		}
	}
	return all
}
