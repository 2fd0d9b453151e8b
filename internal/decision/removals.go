package decision

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// removeUsers deletes the accounts that destroy or --prune removes, once per SSO domain and after
// the permissions of all its vCenters, whose holders would be unknown afterwards. An account stays
// unless every vCenter of the domain was read and grants it nothing.
func (d *Decision) removeUsers(p *VCenterPlan) []*plan.Change {
	sharing := p.DomainPlan.VCenters
	if first := slices.IndexFunc(sharing, func(p *VCenterPlan) bool { return p.Err == nil }); sharing[first] != p {
		return nil
	}
	var changes []*plan.Change
	for _, a := range d.removable(p) {
		name := a.Principal(p.At)
		if why, used := d.WhyKept(p, a); why != "" {
			// A run for some linked vCenters removes nothing that others of the specification still use.
			unnamed := func(l *snapshot.Linked) bool {
				return !d.Request.Specifies(l.Server) &&
					(l.Held(p.At.UserKey(name)) > 0 || d.Request.Stored(l.Server, name, a.Component))
			}
			asked := !used || !d.Request.Undoing || slices.ContainsFunc(p.At.Domain.Linked, unnamed)
			var ways []string
			if !d.Request.Does(plan.Permission) && !used {
				ways = []string{"to revoke them: " + d.Request.Command("permissions revoke")}
			}
			p.tell(ofUser(name).Tell(stays(asked, finding.PlanNote), "kept: "+why, ways...))
			continue
		}
		held, known := d.Request.Credentials.Get(p.At.VCenter.Server, a.Component)
		known = known && d.Request.Spec.AnotherCluster(a.Component, held.User) == ""
		if !known && !p.At.Leaves(a) {
			p.tell(ofUser(name).Tell(finding.Consequence, "the password is not in this credentials file: another cluster with this name may use the account"))
		}
		var needs []string
		if d.Request.Op != accounts.Keep {
			needs = append(needs, sso.UseKey(p.At.Domain.Key, a.Name))
		}
		for _, other := range sharing {
			for _, had := range other.At.Perms.Held(other.At.UserKey(name)) {
				needs = append(needs, other.At.Perms.Key(had))
			}
		}
		u, _ := p.At.SSO.Own(a.Name)
		changes = append(changes, p.At.SSO.Remove(u, p.At.Domain.Key, needs...))
	}
	return changes
}

// WhyKept says why an account cannot be deleted; "" if it can. used: another vCenter works with it.
func (d *Decision) WhyKept(p *VCenterPlan, a snapshot.OwnAccount) (why string, used bool) {
	sharing, domain := p.DomainPlan.VCenters, p.At.Domain
	principal := a.Principal(p.At)
	key := p.At.UserKey(principal)
	if d.Request.Undoing { // it works on linked vCenters by what holds its permissions
		if holder := p.At.Holder(a.Component); holder.Group {
			key = p.At.Key(holder)
		}
	}
	if why, used = d.elsewhere(p, key); why != "" {
		return why, used
	}
	for _, l := range domain.Linked {
		if d.Request.Stored(l.Server, principal, a.Component) {
			return l.Server + " uses it too, according to the credentials file", true
		}
	}
	if !d.Request.Does(plan.Permission) {
		held := 0
		for _, other := range sharing {
			own := other.At.UserKey(principal)
			held += len(other.At.Perms.Held(own))
			for _, had := range other.At.Perms.Held(key) {
				if key != own && other.At.Made(other.Wanted, had) { // others' of a group stay
					held++
				}
			}
		}
		if held > 0 {
			return term.Count(held, "permission") + " left: they go first", false
		}
	}
	return "", false
}

// elsewhere says why a principal may be, or that it is used, on other vCenters of the SSO domain.
func (d *Decision) elsewhere(p *VCenterPlan, key string) (why string, used bool) {
	domain := p.At.Domain
	for _, other := range p.DomainPlan.VCenters {
		if other.Err != nil {
			return other.At.VCenter.Server + ", in the same SSO domain, could not be planned", false
		}
	}
	held := domain.Holds(key)
	if len(domain.Unread) > 0 || len(held) == 0 {
		return strings.Join(domain.Unread, "; "), false
	}
	way := "use a specification that names all of them"
	if !slices.ContainsFunc(domain.Linked, func(l *snapshot.Linked) bool {
		return l.Held(key) > 0 && !d.Request.Specifies(l.Server)
	}) {
		way = "omit --vcenters, or name all of them"
	}
	return "in use on " + strings.Join(held, ", ") + ", in the same SSO domain: to remove it, " + way, true
}

// removeRoles deletes unused roles in the SSO domain: destroy all of ours, a plan those it frees.
func (d *Decision) removeRoles(p *VCenterPlan) []*plan.Change {
	var changes []*plan.Change
	for _, r := range p.At.Roles.All() {
		kind := p.At.Facts[r.ID].Kind
		freed, want := p.frees(r), p.wants(r)
		if kind == snapshot.ForeignRole && (len(freed) == 0 || want == nil) || want != nil && !d.Request.Undoing {
			continue
		}
		freeing := d.freeing(p, r)
		// A destroy restores a role that the record of displaced permissions names, or is about to name.
		restored := d.Read.Displaced.Names(p.At.Instance, r.Name) ||
			slices.ContainsFunc(freed, func(step perms.Step) bool { return step.Displaces })
		if len(freeing) == 0 && !d.Request.Undoing || restored {
			continue
		}
		keep := func(why string, asked bool) {
			asked = asked && (d.Request.Undoing || d.Request.Op != accounts.Keep || d.Request.Prune)
			p.tell(plan.Change{Kind: plan.Role, Name: r.Name}.Tell(stays(asked, finding.PlanNote), "kept: "+why))
		}
		users, ours, unread := d.usersOf(p, r)
		switch {
		case len(users) > 0 && d.Request.Undoing: // others may share it, so it stays
			keep("used by "+strings.Join(users, ", "), ours)
		case len(users) > 0:
		case len(unread) > 0:
			keep(strings.Join(unread, "; "), true)
		case kind == snapshot.PrefixedRole && len(freeing) == 0:
			keep("nobody holds it, and another specification may have made it: privileges.rolePrefix is another one here", false)
		case kind != snapshot.SharedRole && kind != snapshot.PrefixedRole && kind != snapshot.OwnRole &&
			(want == nil || len(lists.Without(r.Privileges, want.Privileges)) > 0): // it may only lack what its vCenter learned
			keep("somebody changed its privileges", true)
		default:
			changes = append(changes, p.At.Roles.Remove(r, freeing...))
		}
	}
	return changes
}

// wants returns what the specification asks of a role; nil if nothing.
func (v *VCenterPlan) wants(r roles.Role) *roles.Want {
	if v.Wanted != nil {
		for _, w := range v.Wanted.Roles {
			if w.Name == r.Name {
				return &w
			}
		}
	}
	return nil
}

func (v *VCenterPlan) frees(r roles.Role) []perms.Step {
	var all []perms.Step
	for _, step := range v.Steps {
		after, _ := step.After.(plan.PermissionState)
		if step.Had != nil && step.Had.RoleID == r.ID && after.Role != r.Name {
			all = append(all, step)
		}
	}
	return all
}

// freeing returns the keys of the changes that free a role, on every vCenter that may share it.
func (d *Decision) freeing(p *VCenterPlan, r roles.Role) []string {
	var keys []string
	for _, other := range p.DomainPlan.VCenters {
		if other.Err != nil {
			continue
		}
		if same, ok := other.At.Roles.ByName(r.Name); ok {
			for _, step := range other.frees(same) {
				keys = append(keys, step.Provides)
			}
		}
	}
	return keys
}

// usersOf returns who holds a role after the plan, on any vCenter of the SSO domain, because linked
// vCenters may share it (R40). ours: an account of the specification is among them. unread says
// what is unknown.
func (d *Decision) usersOf(p *VCenterPlan, r roles.Role) (users []string, ours bool, unread []string) {
	for _, other := range p.DomainPlan.VCenters {
		if other.Err != nil {
			unread = append(unread, other.At.VCenter.Server+", in the same SSO domain, could not be planned")
			continue
		}
		same, ok := other.At.Roles.ByName(r.Name)
		if !ok {
			continue
		}
		freed := other.frees(same)
		for _, had := range other.At.Perms.All {
			if had.RoleID == same.ID &&
				!slices.ContainsFunc(freed, func(step perms.Step) bool { return *step.Had == had }) {
				who := had.Principal
				ours = ours || len(other.strangers([]string{who})) == 0
				if other != p {
					who += " on " + other.At.VCenter.Server
				}
				users = lists.AppendNew(users, who)
			}
		}
	}
	domain := p.At.Domain
	return append(users, domain.Holders(r.Name)...), ours, append(unread, domain.Unread...)
}

// scripted begins role names of openshift/enhancements#1931's script; a component follows.
const scripted = "openshift-"

// leftovers reports unused roles with names of the enhancement's script, which makes roles first
// and stops at an unknown privilege. They belong to another, so the finding gives a command.
func (v *VCenterPlan) leftovers() {
	for _, c := range component.Names() {
		role, there := v.At.Roles.ByName(scripted + string(c))
		if !there || len(v.At.Perms.Holders(role.ID)) > 0 {
			continue
		}
		v.tell(plan.Change{Kind: plan.Role, Name: role.Name}.Tell(finding.PlanNote, fmt.Sprintf(
			"nobody holds this role, which was not created by this tool and has a name of the enhancement's script: if that left it, '%s' on %s removes it",
			script.Line("govc", "role.remove", role.Name), v.At.VCenter.Server)))
	}
}

// Unrecorded finds adopted accounts that lose permissions without a record of earlier ones.
func (d *Decision) Unrecorded() []*finding.Finding {
	var where []string
	for _, p := range d.Planned() {
		if slices.ContainsFunc(p.Steps,
			func(step perms.Step) bool { return step.Had.Group || !p.isOf(*step.Had, p.At.Owned()) }) {
			where = append(where, p.At.VCenter.Server)
		}
	}
	if len(where) == 0 || d.Read.Displaced.Found() {
		return nil
	}
	return []*finding.Finding{finding.New(finding.UnknownBefore, "", "earlier permissions of adopted accounts on %s are not known, so none are restored: %s is not there", lists.Few(where), d.Read.Displaced.Path())}
}

// Unrestored finds recorded permissions that ours no longer displace and that are not there: others
// removed ours without giving theirs back. Their record stays.
func (d *Decision) Unrestored() (all []*finding.Finding) {
	if !d.Request.Does(plan.Permission) {
		return nil
	}
	for _, p := range d.Planned() {
		for _, f := range d.Read.Displaced.On(p.At.Instance) {
			key, there := p.At.KeyOf(f.Principal, f.Group), func(held perms.Permission) bool { return held.Entity.String() == f.Object }
			if slices.ContainsFunc(p.At.Perms.Held(key), there) {
				continue
			}
			told := plan.Change{Kind: plan.Permission, Object: f.Path, Principal: f.Principal, Group: f.Group}.Tell(
				finding.StaysBehind, "it had role "+f.Role+" before this cluster, and has nothing there now",
				"give it back: "+script.Line("govc", "permissions.set", "-principal", f.Principal, "-group="+strconv.FormatBool(f.Group),
					"-propagate="+strconv.FormatBool(f.Propagate), "-role", f.Role, f.Path)+"; then run the same command again",
				"if it is not to have it, remove this entry from "+d.Read.Displaced.Path())
			told.Server = p.At.VCenter.Server
			all = append(all, told)
		}
	}
	return all
}

// Undo decides what reverts an apply on a vCenter.
func (d *Decision) Undo(p *VCenterPlan) ([]*plan.Change, error) {
	s := p.At
	if err := errors.Join(d.checkNames(s, true), d.Read.DisplacedErr, s.CheckForeign(),
		p.checkMarks()); err != nil {
		return nil, err
	}
	if d.Request.Does(plan.User) && len(d.removable(p)) == 0 {
		for _, a := range s.OwnAccounts() {
			held, ok := d.Read.filed(s, a.Component)
			if of := d.Request.Spec.AnotherCluster(a.Component, held.User); ok && of != "" {
				return nil, hint.Errorf("name cluster "+of+", or the credentials file of "+d.Request.Spec.Cluster,
					"%s: no account of cluster %s is here, and %s holds those of cluster %s", s.VCenter.Server,
					d.Request.Spec.Cluster, d.Request.Credentials.Path(), of)
			}
		}
	}
	if !d.Request.Does(plan.Permission) {
		return nil, nil
	}
	// An adopted account's permissions are recognized by role, or by the wanted place if the role was
	// changed. A failure domain whose objects are gone has none.
	p.Wanted, _ = s.Bind()
	d.takeBack(p)
	p.unnamed()
	d.Read.notPruned(p)
	return perms.Changes(p.Steps), nil
}

// removable returns the accounts to remove: specified ones for destroy, dropped ones for --prune.
func (d *Decision) removable(p *VCenterPlan) []snapshot.OwnAccount {
	if d.Request.Undoing {
		return slices.DeleteFunc(p.At.OwnAccounts(), func(a snapshot.OwnAccount) bool {
			_, exists := p.At.SSO.Own(a.Name)
			return !exists
		})
	}
	return slices.DeleteFunc(d.Read.Prunable(p.At),
		func(a snapshot.OwnAccount) bool { return p.DomainPlan.retained[a.Name] })
}

// takeBack plans the removal of our permissions, of our accounts and of adopted ones.
func (d *Decision) takeBack(p *VCenterPlan) {
	s := p.At
	ours := s.Owned() // also removed ones, whose permissions go once a day
	of := func(had perms.Permission) string {
		for _, name := range ours {
			if p.isOf(had, []string{name}) {
				return name
			}
		}
		for _, g := range s.Adoptees() {
			if s.Holds(g, had) && s.Made(p.Wanted, had) {
				return g.Name
			}
		}
		return ""
	}
	p.Steps = s.Perms.Removals(of, s.Roles, perms.Options{
		Place: s.Place, Former: d.Read.former(s),
		Made: func(had perms.Permission) bool { return !p.isOf(had, ours) },
	})
}
