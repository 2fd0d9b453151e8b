// Package perms compares and changes the permissions of one vCenter. It only ever writes permissions of principals that
// it is given; everybody else's are read and left alone.
package perms

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Permission is a rule as the vCenter has it.
type Permission struct {
	Entity    inventory.Ref
	Principal string // as the vCenter spells it
	Group     bool
	RoleID    int32
	Propagate bool
}

// Want is a permission as it shall be. Principals are name@domain or DOMAIN\name.
type Want struct {
	At        *inventory.Object
	Principal string
	Group     bool // of a group; a vCenter refuses the wrong flag
	Role      string
	Holds     []string // privileges of the role, without the implicit ones
	Propagate bool
	Note      string
	Needs     []string // keys of changes that come first, besides the role
	Adopted   bool     // the principal is somebody else's: what it was given by others is theirs
	Displaces bool     // the permission ends what others gave the principal further up

	had *Permission // what the plan replaces
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
			Entity: vcenter.Ref(*p.Entity), Principal: p.Principal, Group: p.Group, RoleID: p.RoleId, Propagate: p.Propagate,
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

// On lists the permissions of one object.
func (s *State) On(ref inventory.Ref) []Permission {
	var found []Permission
	for _, p := range s.All {
		if p.Entity == ref {
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
	Reads(id int32) bool // whether it holds the implicit privileges, as all do but NoAccess and its like
}

// Options steer Diff.
type Options struct {
	Additive bool
	Owned    []string              // principals whose permissions are all ours: what is not wanted is removed
	Made     func(Permission) bool // permissions of adopted principals that are ours all the same; nil = none
	Path     func(inventory.Ref) string
	// Former gives what stood where a permission of ours stands, for the change that removes it; false = nothing.
	Former func(Permission) (plan.PermissionState, bool)
}

// Step is a change of a permission, with the one that it replaces or removes; nil for a new one.
type Step struct {
	*plan.Change
	Had      *Permission
	restores bool
}

// Restores tells whether a permission of ours goes and the one before it comes back.
func (s Step) Restores() bool { return s.restores }

// Changes are those of some steps, in their order.
func Changes(steps []Step) []*plan.Change {
	all := make([]*plan.Change, len(steps))
	for i, step := range steps {
		all[i] = step.Change
	}
	return all
}

// Diff says what makes the wanted permissions out of the live ones. What somebody else gave an adopted principal on the
// very object stays where it gives just what is wanted; else the step that replaces it displaces something.
func Diff(want []Want, live *State, r Roles, o Options) []Step {
	var steps []Step
	wanted := map[string]bool{}
	sets := batches{session: live.session, roles: r, same: live.same}
	for _, w := range want {
		before := live.standing(w)
		if before != nil {
			wanted[live.key(*before)] = true
		}
		if c := diff(w, before, &sets, r, o); c != nil {
			steps = append(steps, Step{Change: c, Had: before})
		}
	}
	if o.Additive {
		return steps
	}
	return append(steps, live.Removals(func(p Permission) string {
		if wanted[live.key(p)] {
			return ""
		}
		return o.owner(live, p)
	}, r, o)...)
}

// Removals takes permissions away, each from whom of says it belongs to; "" leaves one alone. They come by object.
func (s *State) Removals(of func(Permission) string, r Roles, o Options) []Step {
	var steps []Step
	for _, p := range s.All {
		if owner := of(p); owner != "" {
			c := s.Remove(p, owner, o.Path(p.Entity), r, o.former(p), o.Made != nil && o.Made(p))
			steps = append(steps, Step{c, &p, c.Verb == plan.Update})
		}
	}
	slices.SortFunc(steps, func(a, b Step) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Principal, b.Principal), strings.Compare(s.key(*a.Had), s.key(*b.Had)))
	})
	return steps
}

// standing is the permission that a principal has on the object where one is wanted; nil if none.
func (s *State) standing(w Want) *Permission {
	if !w.At.Exists() {
		return nil
	}
	for _, p := range s.Held(w.Principal, w.Group) {
		if p.Entity == w.At.Ref {
			return &p
		}
	}
	return nil
}

func diff(w Want, before *Permission, sets *batches, r Roles, o Options) *plan.Change {
	after := plan.PermissionState{Role: w.Role, Propagate: w.Propagate}
	if before == nil {
		return sets.change(plan.Create, w, nil, after)
	}
	had := plan.PermissionState{Role: r.Name(before.RoleID), Propagate: before.Propagate}
	foreign := w.Adopted && had.Role != after.Role && (o.Made == nil || !o.Made(*before))
	same := had.Propagate == after.Propagate && r.Reads(before.RoleID) && slices.Equal(r.Privileges(had.Role), w.Holds)
	switch {
	case had == after, foreign && same:
		return nil
	case o.Additive && (foreign || !covers(w, had, r.Privileges(had.Role))):
		return &plan.Change{
			Verb: plan.Note, Kind: plan.Permission, Object: w.At.Path(), Principal: w.Principal, Group: w.Group,
			Note: "stays " + had.String() + "; " + after.String() + " would take something away",
		}
	}
	w.had, w.Displaces = before, w.Displaces || foreign
	if had.Role != after.Role && !same { // else only the propagation changes, or the name, which the line says
		w.Note = join("displaces "+had.String(), w.Note)
	}
	return sets.change(plan.Update, w, had, after)
}

// owner is whose permission of ours this is; "" if it is none.
func (o Options) owner(live *State, p Permission) string {
	if !p.Group {
		for _, owner := range o.Owned {
			if live.same(p.Principal) == live.same(owner) {
				return owner
			}
		}
	}
	if o.Made != nil && o.Made(p) {
		return p.Principal
	}
	return ""
}

func (o Options) former(p Permission) *plan.PermissionState {
	if o.Former != nil {
		if former, ok := o.Former(p); ok {
			return &former
		}
	}
	return nil
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

// Key identifies the removal of a permission among changes.
func (s *State) Key(p Permission) string {
	return plan.Key(s.session.Server, plan.Permission, s.key(p))
}

func (s *State) key(p Permission) string {
	return p.Entity.String() + " " + named(s.same(p.Principal), p.Group)
}
