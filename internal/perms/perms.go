// Package perms compares and changes the permissions of one vCenter. It only ever writes permissions of principals that
// it is given; everybody else's are read and left alone.
package perms

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Permission is a rule as the vCenter has it.
type Permission struct {
	Entity    types.ManagedObjectReference
	Principal string // as the vCenter spells it
	Group     bool
	RoleID    int32
	Propagate bool
}

// Place is where a permission stands: an object that exists, or a folder that an earlier change makes.
type Place struct {
	Path   string
	Object *vcenter.Object // nil until the folder is made
	Ref    func() types.ManagedObjectReference
}

// At is the Place of an object that exists.
func At(o *vcenter.Object) *Place {
	return &Place{Path: o.Path(), Object: o, Ref: func() types.ManagedObjectReference { return o.Ref }}
}

// Want is a permission as it shall be. Principals are name@domain or DOMAIN\name.
type Want struct {
	Place     *Place
	Principal string
	Group     bool // of a group; a vCenter refuses the wrong flag
	Role      string
	Holds     []string // privileges of the role, without the implicit ones
	Propagate bool
	Note      string
	Needs     []string // keys of changes that come first, besides the role
}

// State is all the permissions of a vCenter that the administrator sees.
type State struct {
	All []Permission

	session *vcenter.Session
	same    func(principal string) string
}

// Live reads every permission of the vCenter: one request, so that stale ones are found wherever they are. same gives
// one key for every spelling of a principal.
func Live(ctx context.Context, s *vcenter.Session) (*State, error) {
	res, err := methods.RetrieveAllPermissions(ctx, s, &types.RetrieveAllPermissions{This: *s.Content.AuthorizationManager})
	if err != nil {
		return nil, fmt.Errorf("%s: permissions: %w", s.Server, err)
	}
	state := &State{session: s, same: strings.ToLower}
	for _, p := range res.Returnval {
		if p.Entity == nil { // nothing says where it stands, so nothing can be done about it
			continue
		}
		state.All = append(state.All, Permission{
			Entity: *p.Entity, Principal: p.Principal, Group: p.Group, RoleID: p.RoleId, Propagate: p.Propagate,
		})
	}
	return state, nil
}

// Identify sets the function that tells spellings of one principal from different principals.
func (s *State) Identify(same func(string) string) { s.same = same }

// Of lists the permissions of a user.
func (s *State) Of(principal string) []Permission { return s.Held(principal, false) }

// Held lists the permissions of a user or of a group.
func (s *State) Held(principal string, group bool) []Permission {
	key := s.same(principal)
	var found []Permission
	for _, p := range s.All {
		if p.Group == group && s.same(p.Principal) == key {
			found = append(found, p)
		}
	}
	return found
}

// Holders are the principals that hold a role anywhere, sorted, each once.
func (s *State) Holders(roleID int32) []string {
	var who []string
	for _, p := range s.All {
		if p.RoleID == roleID {
			who = append(who, p.Principal)
		}
	}
	slices.Sort(who)
	return slices.Compact(who)
}

// Roles tells roles' names and ids, those made a moment ago too.
type Roles interface {
	ID(name string) (int32, bool)
	Name(id int32) string
	Privileges(name string) []string
}

// Options steer Diff.
type Options struct {
	Additive bool
	Owned    []string // principals whose permissions are all ours: what is not wanted is removed
	Path     func(types.ManagedObjectReference) string
}

// Diff says what makes the wanted permissions out of the live ones.
func Diff(want []Want, live *State, r Roles, o Options) []*plan.Change {
	var changes []*plan.Change
	wanted := map[string]bool{}
	sets := batches{session: live.session, roles: r}
	for _, w := range want {
		var before *Permission
		if w.Place.Object != nil {
			if !w.Group { // only users are owned
				wanted[w.Place.Object.Ref.String()+"\x00"+live.same(w.Principal)] = true
			}
			for _, p := range live.Held(w.Principal, w.Group) {
				if p.Entity == w.Place.Object.Ref {
					before = &p
				}
			}
		}
		after := plan.PermissionState{Role: w.Role, Propagate: w.Propagate}
		if before == nil {
			changes = append(changes, sets.change(plan.Create, w, nil, after))
			continue
		}
		had := plan.PermissionState{Role: r.Name(before.RoleID), Propagate: before.Propagate}
		if had != after && o.Additive && !covers(w, had, r.Privileges(had.Role)) {
			changes = append(changes, &plan.Change{
				Verb: plan.Note, Kind: plan.Permission, Object: w.Place.Path, Principal: w.Principal, Group: w.Group,
				Note: "stays " + had.String() + "; " + after.String() + " would take something away",
			})
			continue
		}
		if had != after {
			if had.Role != after.Role { // else only the propagation changes, which the line says
				w.Note = join("displaces "+had.String(), w.Note)
			}
			changes = append(changes, sets.change(plan.Update, w, had, after))
		}
	}
	if o.Additive {
		return changes
	}
	for _, owner := range o.Owned {
		for _, p := range live.Of(owner) {
			if !wanted[p.Entity.String()+"\x00"+live.same(owner)] {
				changes = append(changes, live.Remove(p, owner, o.Path(p.Entity), r))
			}
		}
	}
	return changes
}

// covers tells whether a wanted permission gives all that the one before gave.
func covers(w Want, had plan.PermissionState, privileges []string) bool {
	if had.Propagate && !w.Propagate {
		return false
	}
	for _, id := range privileges {
		if !slices.Contains(w.Holds, id) {
			return false
		}
	}
	return true
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// Key identifies a permission among changes.
func (s *State) Key(entity types.ManagedObjectReference, principal string) string {
	return plan.Key(s.session.Server, plan.Permission, entity.String()+" "+s.same(principal))
}
