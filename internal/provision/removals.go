package provision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// removals are the accounts and roles of a vCenter that can go once its permissions are changed: accounts that a destroy or
// --prune removes, roles that nobody holds then. The vCenters of an SSO domain share its accounts, and perhaps its roles
// (R40), so each of them has a say.
func (j *Job) removals(s *site) []*plan.Change {
	if j.domains == nil { // a rotation removes nothing
		return nil
	}
	var changes []*plan.Change
	if j.does(plan.User) && (j.undoing || j.o.Prune && !j.o.Additive) {
		changes = append(changes, j.removeUsers(s)...)
	}
	if j.does(plan.Role) {
		changes = append(changes, j.removeRoles(s)...)
	}
	return changes
}

// removeUsers deletes each account once per SSO domain, after the permissions of all its vCenters: a permission whose
// account is gone cannot be told from anybody's. An account stays unless every vCenter of the domain was read and grants it
// nothing.
func (j *Job) removeUsers(s *site) []*plan.Change {
	d := j.domains[s.domainKey]
	if first := slices.IndexFunc(d.sites, func(s *site) bool { return s.err == nil }); d.sites[first] != s {
		return nil
	}
	var changes []*plan.Change
	for _, a := range j.removable(s) {
		name := a.principal(s)
		if why := j.stays(d, a); why != "" {
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: name, Note: "stays, because " + why})
			continue
		}
		if _, known := j.o.Credentials.Get(s.spec.Server, a.component); !known {
			changes = append(changes, &plan.Change{
				Verb: plan.Note, Kind: plan.User, Name: name,
				Note: "its password is not in this credentials file: was it made for another cluster of this name?",
			})
		}
		var needs []string
		for _, other := range d.sites {
			for _, p := range other.perms.Held(other.userKey(name)) {
				needs = append(needs, other.perms.Key(p))
			}
		}
		u, _ := s.sso.Own(a.name)
		changes = append(changes, s.sso.Remove(u, s.domainKey, needs...))
	}
	return changes
}

// stays says why an account cannot be deleted; "" when it can.
func (j *Job) stays(d *domain, a ownAccount) string {
	principal := a.principal(d.sites[0])
	for _, s := range d.sites {
		if s.err != nil {
			return s.spec.Server + ", of the same SSO domain, could not be planned"
		}
	}
	if len(d.unread) > 0 {
		return strings.Join(d.unread, "; ")
	}
	if held := d.holds(principal); len(held) > 0 {
		return "it is in use on " + strings.Join(held, ", ") + ", of the same SSO domain: a specification that names all of them takes it away"
	}
	if user := j.elsewhere(d, a); user != "" {
		return user + " uses it too, by the credentials file"
	}
	if !j.does(plan.Permission) {
		held := 0
		for _, s := range d.sites {
			held += len(s.perms.Held(s.userKey(principal)))
		}
		if held > 0 {
			return fmt.Sprintf("it has %s: permissions revoke removes them first", permissionCount(held))
		}
	}
	return ""
}

// elsewhere names a vCenter of the SSO domain that is no part of this job and for which the credentials file holds the
// same account; "" if there is none.
func (j *Job) elsewhere(d *domain, a ownAccount) string {
	for _, l := range d.linked {
		if stored, ok := j.o.Credentials.Get(l.server, a.component); ok && strings.EqualFold(stored.User, a.principal(d.sites[0])) {
			return l.server
		}
	}
	return ""
}

// removeRoles deletes the roles that nobody holds any more: a destroy all of ours, a plan those that it frees itself.
func (j *Job) removeRoles(s *site) []*plan.Change {
	var changes []*plan.Change
	for _, r := range s.roles.All() {
		kind := j.role(s, r.ID).kind
		freed := s.frees(r)
		if kind == foreignRole && !(len(freed) > 0 && s.wants(r)) || s.wants(r) && !j.undoing || len(freed) == 0 && !j.undoing {
			continue
		}
		note := func(text string) {
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.Role, Name: r.Name, Note: text})
		}
		users, unread := j.usersOf(s, r)
		switch {
		case len(users) > 0 && j.undoing:
			note("stays, it is in use by " + strings.Join(users, ", "))
		case len(users) > 0:
		case len(unread) > 0:
			note("stays, because " + strings.Join(unread, "; "))
		case kind == plainRole && len(freed) == 0:
			note("stays: a version before this one may have made it, or somebody else; nothing tells")
		case kind != sharedRole && kind != ownRole && kind != plainRole && !s.lacksOnly(r):
			note("stays: its privileges are not those that it was made with, so somebody changed it")
		default:
			changes = append(changes, s.roles.Remove(r, j.freeing(s, r)...))
		}
	}
	return changes
}

// lacksOnly tells whether a role is one that the specification asks for, and only lacks some of what it shall hold: its vCenter
// may have learned these privileges since.
func (s *site) lacksOnly(r roles.Role) bool {
	return s.wanted != nil && slices.ContainsFunc(s.wanted.roles, func(w roles.Want) bool {
		return w.Name == r.Name && len(without(r.Privileges, w.Privileges)) == 0
	})
}

// wants tells whether the specification asks for a role of this name.
func (s *site) wants(r roles.Role) bool {
	return s.wanted != nil && slices.ContainsFunc(s.wanted.roles, func(w roles.Want) bool { return w.Name == r.Name })
}

// frees are the permissions with a role that the plan takes away or gives another role.
func (s *site) frees(r roles.Role) []perms.Step {
	var all []perms.Step
	for _, step := range s.steps {
		after, _ := step.After.(plan.PermissionState)
		if step.Had != nil && step.Acts() && step.Had.RoleID == r.ID && after.Role != r.Name {
			all = append(all, step)
		}
	}
	return all
}

// freeing are the keys of the changes that free a role, on every vCenter that may share it.
func (j *Job) freeing(s *site, r roles.Role) []string {
	var keys []string
	for _, other := range j.domains[s.domainKey].sites {
		if same, ok := other.roles.ByName(r.Name); ok {
			for _, step := range other.frees(same) {
				keys = append(keys, step.Provides)
			}
		}
	}
	return keys
}

// usersOf are those who hold a role when the plan is done, on any vCenter of the SSO domain: linked vCenters may share their
// roles (R40), and one that is removed here takes its permissions along there. unread says what is not known of that.
func (j *Job) usersOf(s *site, r roles.Role) (users, unread []string) {
	d := j.domains[s.domainKey]
	for _, other := range d.sites {
		if other.err != nil {
			unread = append(unread, other.spec.Server+", of the same SSO domain, could not be planned")
			continue
		}
		same, ok := other.roles.ByName(r.Name)
		if !ok {
			continue
		}
		freed := other.frees(same)
		for _, p := range other.perms.All {
			if p.RoleID == same.ID && !slices.ContainsFunc(freed, func(step perms.Step) bool { return *step.Had == p }) {
				who := p.Principal
				if other != s {
					who += " on " + other.spec.Server
				}
				users = appendNew(users, who)
			}
		}
	}
	return append(users, d.holders(r.Name)...), append(unread, d.unread...)
}
