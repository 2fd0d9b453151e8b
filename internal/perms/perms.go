// Package perms compares and changes the permissions of one vCenter: [Read] gives plain values, [Diff] is pure, a [Writer] does
// what a step says. It only ever writes permissions of principals that it is given; everybody else's are read and left alone.
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
	Key       string // equal for every spelling of the principal, different for a user and a group of one name
}

// Want is a permission as it must be. Principals are name@domain or DOMAIN\name.
type Want struct {
	At        *inventory.Object
	Principal string
	Group     bool   // of a group; a vCenter refuses the wrong flag
	Key       string // of the principal, as in Permission
	Role      string
	Holds     []string // privileges of the role, without the implicit ones
	Propagate bool
	Note      string
	Needs     []string // keys of changes that come first, besides the role
	Adopted   bool     // the principal is somebody else's: what it was given by others is theirs
	Serves    []plan.Need
	Displaces bool // the permission ends what others gave the principal further up
}

// State is all the permissions of a vCenter that the administrator sees, as they were read. Nothing changes it.
type State struct {
	All []Permission

	server string
	held   map[string][]Permission        // by key of the principal
	on     map[inventory.Ref][]Permission // by object
}

// Of is a state of some permissions. key is that of a principal, see [Permission].
func Of(server string, all []Permission, key func(principal string, group bool) string) *State {
	s := &State{server: server, All: slices.Clone(all), held: map[string][]Permission{}, on: map[inventory.Ref][]Permission{}}
	for i := range s.All {
		p := &s.All[i]
		p.Key = key(p.Principal, p.Group)
		s.held[p.Key] = append(s.held[p.Key], *p)
		s.on[p.Entity] = append(s.on[p.Entity], *p)
	}
	return s
}

// Read reads every permission of the vCenter, without keys: one request, so that stale ones are found wherever they are.
func Read(ctx context.Context, s *vcenter.Session) ([]Permission, error) {
	res, err := methods.RetrieveAllPermissions(ctx, s, &types.RetrieveAllPermissions{This: *s.Content.AuthorizationManager})
	if err != nil {
		return nil, fmt.Errorf("%s: permissions: %w", s.Server, err)
	}
	var all []Permission
	for _, p := range res.Returnval {
		if p.Entity == nil { // nothing says where it stands, so nothing can be done about it
			continue
		}
		all = append(all, Permission{
			Entity: vcenter.Ref(*p.Entity), Principal: p.Principal, Group: p.Group, RoleID: p.RoleId, Propagate: p.Propagate,
		})
	}
	return all, nil
}

// Held lists the permissions of a principal, by its key.
func (s *State) Held(key string) []Permission { return slices.Clip(s.held[key]) }

// On lists the permissions of one object.
func (s *State) On(ref inventory.Ref) []Permission { return slices.Clip(s.on[ref]) }

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

// Roles tells what roles are called and hold.
type Roles interface {
	Name(id int32) string
	Privileges(name string) []string
	Known(name string) bool
	Reads(id int32) bool // whether it holds the implicit privileges, as all do but NoAccess and its like
}

// Options steer Diff.
type Options struct {
	Additive bool
	Owned    map[string]string                             // key → name of principals whose permissions are all ours: what is not wanted is removed
	Made     func(Permission) bool                         // permissions of adopted principals that are ours all the same; nil = none
	Stays    func(Permission) bool                         // permissions of ours that are not wanted, and are left alone all the same; nil = none
	Place    func(inventory.Ref) (path, datacenter string) // as in [plan.Change]
	// Former gives what stood where a permission of ours stands, for the change that removes it; false = nothing.
	Former func(Permission) (plan.PermissionState, bool)
}

// Step is a change of a permission, with the one that it replaces or removes; nil for a new one.
type Step struct {
	*plan.Change
	Had     *Permission
	want    *Want // nil = the permission goes
	adopted bool  // it goes, and is somebody else's principal's
}

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
	waits := map[string][]string{} // by object: its steps become ready together, see Writer
	for _, w := range want {
		before := live.standing(w)
		if before != nil {
			wanted[before.id()] = true
		}
		if c := diff(w, before, live, r, o); c != nil {
			steps = append(steps, Step{Change: c, Had: before, want: &w})
			if c.Acts() {
				waits[c.Object] = append(waits[c.Object], c.Needs...)
			}
		}
	}
	for _, step := range steps {
		if step.Acts() {
			step.Waits = waits[step.Object]
		}
	}
	if o.Additive {
		return turns(steps, want, r)
	}
	return turns(append(steps, live.Removals(func(p Permission) string {
		if wanted[p.id()] {
			return ""
		}
		owner := o.owner(p)
		if owner != "" && o.Stays != nil && o.Stays(p) {
			return ""
		}
		return owner
	}, r, o)...), want, r)
}

// Removals takes permissions away, each from whom of says it belongs to; "" leaves one alone. They come by object.
func (s *State) Removals(of func(Permission) string, r Roles, o Options) []Step {
	var steps []Step
	for _, p := range s.All {
		if owner := of(p); owner != "" {
			adopted := o.Made != nil && o.Made(p)
			c := s.remove(p, owner, r, o.former(p))
			c.Object, c.Datacenter = o.Place(p.Entity)
			steps = append(steps, Step{Change: c, Had: &p, adopted: adopted})
		}
	}
	slices.SortFunc(steps, func(a, b Step) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Principal, b.Principal), strings.Compare(a.Had.id(), b.Had.id()))
	})
	return steps
}

// standing is the permission that a principal has on the object where one is wanted; nil if none.
func (s *State) standing(w Want) *Permission {
	if !w.At.Exists() {
		return nil
	}
	for _, p := range s.Held(w.Key) {
		if p.Entity == w.At.Ref {
			return &p
		}
	}
	return nil
}

func diff(w Want, before *Permission, live *State, r Roles, o Options) *plan.Change {
	after := plan.PermissionState{Role: w.Role, Propagate: w.Propagate}
	if before == nil {
		return live.set(plan.Create, w, nil, after)
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
			Note: "stays " + had.String() + "; " + after.String() + " would remove something",
		}
	}
	w.Displaces = w.Displaces || foreign
	if had.Role != after.Role && !same { // else only the propagation changes, or the name, which the line says
		w.Note = join("displaces "+had.String(), w.Note)
	}
	return live.set(plan.Update, w, had, after)
}

func (s *State) set(verb plan.Verb, w Want, before, after plan.State) *plan.Change {
	return &plan.Change{
		Verb: verb, Kind: plan.Permission, Object: w.At.Path(), Principal: w.Principal, Group: w.Group,
		Datacenter: w.At.Datacenter(), Before: before, After: after, Note: w.Note, Displaces: w.Displaces,
		Provides: plan.Key(s.server, plan.Permission, w.At.Path()+" "+named(w.Principal, w.Group)),
		Needs:    append(slices.Clone(w.Needs), plan.Key(s.server, plan.Role, w.Role)),
		Serves:   w.Serves,
	}
}

// remove is the change that takes a permission of ours away. Where something else stood there before us, that comes back; the
// role may be gone by then.
func (s *State) remove(p Permission, principal string, r Roles, former *plan.PermissionState) *plan.Change {
	c := &plan.Change{
		Verb: plan.Delete, Kind: plan.Permission, Principal: principal, Group: p.Group,
		Before:   plan.PermissionState{Role: r.Name(p.RoleID), Propagate: p.Propagate},
		Provides: s.Key(p),
	}
	switch {
	case former == nil:
	case !r.Known(former.Role):
		c.Note = "role " + former.Role + ", which it had here before, no longer exists and cannot be restored"
	default:
		c.Verb, c.After, c.Restores, c.Note = plan.Update, *former, true, "restores what it had before"
	}
	return c
}

// owner is whose permission of ours this is; "" if it is none.
func (o Options) owner(p Permission) string {
	if owner, ok := o.Owned[p.Key]; ok {
		return owner
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

// covers reports whether a wanted permission gives all that the one before gave.
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
func (s *State) Key(p Permission) string { return plan.Key(s.server, plan.Permission, p.id()) }

func (p Permission) id() string { return p.Entity.String() + " " + p.Key }

// named tells a group from a user of the same name.
func named(principal string, group bool) string {
	if group {
		return "group " + principal
	}
	return principal
}
