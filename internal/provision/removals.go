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
func (dec *decision) removals(p *part) []*plan.Change {
	if dec.domains == nil { // a rotation removes nothing
		return nil
	}
	var changes []*plan.Change
	if dec.does(plan.User) && (dec.undoing || dec.Prune && !dec.Additive) {
		changes = append(changes, dec.removeUsers(p)...)
	}
	if dec.does(plan.Role) {
		changes = append(changes, dec.removeRoles(p)...)
	}
	return changes
}

// removeUsers deletes each account once per SSO domain, after the permissions of all its vCenters: a permission whose
// account is gone cannot be told from anybody's. An account stays unless every vCenter of the domain was read and grants it
// nothing.
func (dec *decision) removeUsers(p *part) []*plan.Change {
	sharing := dec.sharingParts(p.domainKey)
	if first := slices.IndexFunc(sharing, func(p *part) bool { return p.err == nil }); sharing[first] != p {
		return nil
	}
	var changes []*plan.Change
	for _, a := range dec.removable(p.snapshot) {
		name := a.principal(p.snapshot)
		if why := dec.stays(p, a); why != "" {
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: name, Note: "stays, because " + why})
			continue
		}
		if _, known := dec.Credentials.Get(p.spec.Server, a.component); !known {
			changes = append(changes, &plan.Change{
				Verb: plan.Note, Kind: plan.User, Name: name,
				Note: "its password is not in this credentials file: was it made for another cluster of this name?",
			})
		}
		var needs []string
		for _, other := range sharing {
			for _, had := range other.perms.Held(other.userKey(name)) {
				needs = append(needs, other.perms.Key(had))
			}
		}
		u, _ := p.sso.Own(a.name)
		changes = append(changes, p.sso.Remove(u, p.domainKey, needs...))
	}
	return changes
}

// stays says why an account of the SSO domain of a vCenter cannot be deleted; "" when it can.
func (dec *decision) stays(p *part, a ownAccount) string {
	sharing, d := dec.sharingParts(p.domainKey), dec.domains[p.domainKey]
	principal := a.principal(p.snapshot)
	for _, other := range sharing {
		if other.err != nil {
			return other.spec.Server + ", of the same SSO domain, could not be planned"
		}
	}
	if len(d.unread) > 0 {
		return strings.Join(d.unread, "; ")
	}
	if held := d.holds(p.userKey(principal)); len(held) > 0 {
		return "it is in use on " + strings.Join(held, ", ") + ", of the same SSO domain: a specification that names all of them takes it away"
	}
	for _, l := range d.linked {
		if dec.stored(l.server, principal, a.component) {
			return l.server + " uses it too, by the credentials file"
		}
	}
	if !dec.does(plan.Permission) {
		held := 0
		for _, other := range sharing {
			held += len(other.perms.Held(other.userKey(principal)))
		}
		if held > 0 {
			return fmt.Sprintf("it has %s: permissions revoke removes them first", permissionCount(held))
		}
	}
	return ""
}

// removeRoles deletes the roles that nobody holds any more: a destroy all of ours, a plan those that it frees itself.
func (dec *decision) removeRoles(p *part) []*plan.Change {
	var changes []*plan.Change
	for _, r := range p.roles.All() {
		kind := p.facts[r.ID].kind
		freed := p.frees(r)
		if kind == foreignRole && !(len(freed) > 0 && p.wants(r)) || p.wants(r) && !dec.undoing || len(freed) == 0 && !dec.undoing {
			continue
		}
		note := func(text string) {
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.Role, Name: r.Name, Note: text})
		}
		users, unread := dec.usersOf(p, r)
		switch {
		case len(users) > 0 && dec.undoing:
			note("stays, it is in use by " + strings.Join(users, ", "))
		case len(users) > 0:
		case len(unread) > 0:
			note("stays, because " + strings.Join(unread, "; "))
		case kind == plainRole && len(freed) == 0:
			note("stays: a version before this one may have made it, or somebody else; nothing tells")
		case kind != sharedRole && kind != ownRole && kind != plainRole && !p.lacksOnly(r):
			note("stays: its privileges are not those that it was made with, so somebody changed it")
		default:
			changes = append(changes, p.roles.Remove(r, dec.freeing(p, r)...))
		}
	}
	return changes
}

// lacksOnly tells whether a role is one that the specification asks for, and only lacks some of what it shall hold: its vCenter
// may have learned these privileges since.
func (p *part) lacksOnly(r roles.Role) bool {
	return p.wanted != nil && slices.ContainsFunc(p.wanted.roles, func(w roles.Want) bool {
		return w.Name == r.Name && len(without(r.Privileges, w.Privileges)) == 0
	})
}

// wants tells whether the specification asks for a role of this name.
func (p *part) wants(r roles.Role) bool {
	return p.wanted != nil && slices.ContainsFunc(p.wanted.roles, func(w roles.Want) bool { return w.Name == r.Name })
}

// frees are the permissions with a role that the plan takes away or gives another role.
func (p *part) frees(r roles.Role) []perms.Step {
	var all []perms.Step
	for _, step := range p.steps {
		after, _ := step.After.(plan.PermissionState)
		if step.Had != nil && step.Acts() && step.Had.RoleID == r.ID && after.Role != r.Name {
			all = append(all, step)
		}
	}
	return all
}

// freeing are the keys of the changes that free a role, on every vCenter that may share it.
func (dec *decision) freeing(p *part, r roles.Role) []string {
	var keys []string
	for _, other := range dec.sharingParts(p.domainKey) {
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
func (dec *decision) usersOf(p *part, r roles.Role) (users, unread []string) {
	for _, other := range dec.sharingParts(p.domainKey) {
		if other.err != nil {
			unread = append(unread, other.spec.Server+", of the same SSO domain, could not be planned")
			continue
		}
		same, ok := other.roles.ByName(r.Name)
		if !ok {
			continue
		}
		freed := other.frees(same)
		for _, had := range other.perms.All {
			if had.RoleID == same.ID && !slices.ContainsFunc(freed, func(step perms.Step) bool { return *step.Had == had }) {
				who := had.Principal
				if other != p {
					who += " on " + other.spec.Server
				}
				users = appendNew(users, who)
			}
		}
	}
	d := dec.domains[p.domainKey]
	return append(users, d.holders(r.Name)...), append(unread, d.unread...)
}
