package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// PlanDestroy says what undoes an Apply: the permissions of our accounts wherever they stand, those that the
// specification names for adopted ones, the accounts, and the roles that nobody else uses.
func (j *Job) PlanDestroy(ctx context.Context) *plan.Plan {
	j.undoing = true
	granted := map[*site]map[adoptedGrant]bool{}
	var mu sync.Mutex
	j.each(ctx, func(ctx context.Context, s *site) error { // all that can fail comes before the first account is planned to go
		if err := j.gather(ctx, s); err != nil || !j.does(plan.Permission) {
			return err
		}
		found, err := j.granted(ctx, s)
		mu.Lock()
		defer mu.Unlock()
		granted[s] = found
		return err
	})
	return j.assemble(func(s *site) ([]*plan.Change, error) { return j.undo(ctx, s, granted[s]) })
}

func (j *Job) undo(ctx context.Context, s *site, granted map[adoptedGrant]bool) ([]*plan.Change, error) {
	if err := j.foreign(s); err != nil {
		return nil, err
	}
	var changes []*plan.Change
	var keys []string
	gone := map[perms.Permission]bool{}
	if j.does(plan.Permission) {
		removed, err := j.removable(ctx, s, granted)
		if err != nil {
			return nil, err
		}
		for _, c := range removed {
			changes = append(changes, c.change)
			keys = append(keys, c.change.Provides)
			gone[c.permission] = true
		}
	}
	if j.does(plan.User) {
		changes = append(changes, j.removeUsers(s)...)
	}
	if j.does(plan.Role) {
		changes = append(changes, j.removeRoles(s, j.ourRoles(s), gone, keys)...)
	}
	return changes, nil
}

// foreign refuses to touch accounts of our names that are not ours.
func (j *Job) foreign(s *site) error {
	var errs []error
	for _, c := range j.o.Spec.ComponentNames() {
		u, exists := s.sso.Users[strings.ToLower(j.o.Spec.AccountName(c))]
		if exists && j.owns(c) && u.Description != sso.Mark(j.o.Spec.Cluster, string(c)) {
			errs = append(errs, fmt.Errorf("%s: account %s is not ours (its description is %q); nothing of it is removed",
				s.spec.Server, u.Name, u.Description))
		}
	}
	return errors.Join(errs...)
}

type removal struct {
	change     *plan.Change
	permission perms.Permission
}

// removable are the permissions to remove: all of our own accounts', of adopted ones exactly those that the
// specification asks for, role and all.
func (j *Job) removable(ctx context.Context, s *site, granted map[adoptedGrant]bool) ([]removal, error) {
	var all []removal
	ours, others := j.owners(s), j.adoptees(s)
	path, err := j.pathsOf(ctx, s, append(ours, others...))
	if err != nil {
		return nil, err
	}
	for _, g := range ours {
		for _, p := range s.held(g) {
			all = append(all, removal{s.perms.Remove(p, g.name, path(p.Entity), s.roles), p})
		}
	}
	for _, g := range others {
		for _, p := range s.held(g) {
			if granted[adoptedGrant{s.key(g), p.Entity, s.roles.Name(p.RoleID), p.Propagate}] {
				all = append(all, removal{s.perms.Remove(p, g.name, path(p.Entity), s.roles), p})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b removal) int { return strings.Compare(a.change.Object, b.change.Object) })
	return all, nil
}

// adoptedGrant is a permission of an adopted account.
type adoptedGrant struct {
	principal string // a site's key
	object    types.ManagedObjectReference
	role      string
	propagate bool
}

// granted are the permissions that the specification asks for, of adopted accounts.
func (j *Job) granted(ctx context.Context, s *site) (map[adoptedGrant]bool, error) {
	found := map[adoptedGrant]bool{}
	if len(j.adopted()) == 0 {
		return found, nil
	}
	d, err := j.bind(s)
	if err != nil {
		return nil, s.nearby(ctx, err)
	}
	for _, e := range d.entries {
		if e.place.Object != nil {
			found[adoptedGrant{e.who, e.place.Object.Ref, e.role, e.propagate}] = true
		}
	}
	return found, nil
}

// removeUsers deletes each account once per SSO domain, after the permissions of all its vCenters: a permission whose
// account is gone cannot be told from anybody's. While a vCenter that may share the domain cannot be read, they stay.
func (j *Job) removeUsers(s *site) []*plan.Change {
	var shared []*site
	unread := ""
	for _, other := range j.sites {
		switch {
		case other.err != nil:
			unread = other.spec.Server
		case other.domainKey == s.domainKey:
			shared = append(shared, other)
		}
	}
	if shared[0] != s {
		return nil
	}
	var changes []*plan.Change
	for _, c := range j.o.Spec.ComponentNames() {
		name := j.o.Spec.AccountName(c)
		if _, exists := s.sso.Users[strings.ToLower(name)]; !exists || !j.owns(c) {
			continue
		}
		if unread != "" && s.peers > len(shared) {
			changes = append(changes, &plan.Change{
				Verb: plan.Note, Kind: plan.User, Name: j.principal(s, c),
				Note: "stays, because " + unread + " may share this SSO domain and could not be read",
			})
			continue
		}
		if user := j.elsewhere(s, c); user != "" {
			changes = append(changes, &plan.Change{
				Verb: plan.Note, Kind: plan.User, Name: j.principal(s, c),
				Note: "stays, because " + user + " uses it too, by the credentials file",
			})
			continue
		}
		if held := j.held(shared, c); held > 0 && !j.does(plan.Permission) {
			changes = append(changes, &plan.Change{
				Verb: plan.Note, Kind: plan.User, Name: j.principal(s, c),
				Note: fmt.Sprintf("stays, because it has %d permissions: permissions revoke removes them first", held),
			})
			continue
		}
		if _, known := j.o.Credentials.Get(s.spec.Server, string(c)); !known {
			changes = append(changes, &plan.Change{
				Verb: plan.Note, Kind: plan.User, Name: j.principal(s, c),
				Note: "its password is not in this credentials file: was it made for another cluster of this name?",
			})
		}
		var needs []string
		for _, other := range shared {
			for _, p := range other.perms.Of(j.principal(s, c)) {
				needs = append(needs, other.perms.Key(p.Entity, j.principal(s, c)))
			}
		}
		remove := s.sso.Remove(name, s.domainKey, needs...)
		if len(s.others) > 0 {
			remove.Note = "its permissions on " + strings.Join(s.others, ", ") + ", of the same SSO domain, are not looked at: it must have none there"
		}
		changes = append(changes, remove)
	}
	return changes
}

// held counts the permissions that a component's account has on these vCenters.
func (j *Job) held(sites []*site, c privileges.Component) int {
	n := 0
	for _, s := range sites {
		n += len(s.perms.Of(j.principal(s, c)))
	}
	return n
}

// ourRoles are the roles that this specification makes: those of its names with the component's parts behind the
// prefix. They are found by name, because a role carries no mark.
func (j *Job) ourRoles(s *site) []roles.Role {
	var ours []roles.Role
	for _, r := range s.roles.WithPrefix(j.o.Spec.Privileges.RolePrefix) {
		if j.isOurs(r.Name) {
			ours = append(ours, r)
		}
	}
	return ours
}

// removeRoles deletes the roles that nobody holds any more. needs are the removals of permissions on this vCenter.
func (j *Job) removeRoles(s *site, ours []roles.Role, gone map[perms.Permission]bool, needs []string) []*plan.Change {
	var changes []*plan.Change
	for _, r := range ours {
		var others []string
		for _, p := range s.perms.All {
			if p.RoleID == r.ID && !gone[p] {
				others = appendNew(others, p.Principal)
			}
		}
		if len(others) > 0 {
			changes = append(changes, &plan.Change{
				Verb: plan.Note, Kind: plan.Role, Name: r.Name, Note: "stays, it is in use by " + strings.Join(others, ", "),
			})
			continue
		}
		changes = append(changes, s.roles.Remove(r, needs...))
	}
	return changes
}

// elsewhere names a vCenter of the SSO domain that is no part of this job and for which the credentials file holds the
// same account; "" if there is none.
func (j *Job) elsewhere(s *site, c privileges.Component) string {
	for _, host := range s.others {
		if a, ok := j.o.Credentials.Get(host, string(c)); ok && strings.EqualFold(a.User, j.principal(s, c)) {
			return host
		}
	}
	return ""
}

// Destroy does what PlanDestroy said; the entries of the credentials file go last, each when its account is gone from
// every vCenter of its SSO domain.
func (j *Job) Destroy(ctx context.Context, p *plan.Plan) error {
	p.Execute(ctx, plan.ExecuteOptions{Done: j.done})
	if !j.does(plan.User) {
		return nil
	}
	kept := map[string]bool{} // accounts that are still there, with the server that was to delete them
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			if c.Kind == plan.User { // notes come before the change that they are about
				kept[strings.ToLower(c.Name)+"\x00"+v.Server] = c.Status != plan.Done
			}
		}
	}
	for _, s := range j.sites {
		if s.err != nil {
			continue
		}
		for _, c := range j.o.Spec.ComponentNames() {
			principal := j.principal(s, c)
			account, ok := j.o.Credentials.Get(s.spec.Server, string(c))
			if !ok || !j.owns(c) || !strings.EqualFold(account.User, principal) || j.keeps(kept, s, principal) {
				continue
			}
			j.o.Credentials.Remove(s.spec.Server, string(c))
		}
	}
	return errors.Join(j.o.Credentials.Save(), j.forget(func(s *site, principal string) bool { return !j.keeps(kept, s, principal) }))
}

// keeps tells whether an account of s's SSO domain is still there.
func (j *Job) keeps(kept map[string]bool, s *site, principal string) bool {
	for _, other := range j.sites {
		if other.domainKey == s.domainKey && kept[strings.ToLower(principal)+"\x00"+other.spec.Server] {
			return true
		}
	}
	return false
}
