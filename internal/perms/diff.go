package perms

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

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
	Stays    func(Permission) bool                         // permissions that are left alone though others are wanted, or none; nil = none
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

// Compared is a permission beside what is wanted of it.
type Compared struct {
	Had   *Permission      // nil = there is none
	Want  *Want            // nil = nobody wants it
	Owner string           // of one that nobody wants: the principal, where it is one of ours; "" = it is somebody else's
	Stays bool             // it is not as wanted, and is left alone all the same
	Told  *finding.Finding // what is to be known of that; nil = nothing
	Step  *Step            // what makes it as wanted; nil = nothing changes
}

// Compare says of each wanted permission, in their order, and then of each other one how it is. What somebody else gave an adopted
// principal on the very object stays where it gives just what is wanted; else the step that replaces it displaces something.
func Compare(want []Want, live *State, r Roles, o Options) []Compared {
	var all []Compared
	wanted := map[string]bool{}
	for _, w := range want {
		c := Compared{Want: &w}
		for _, p := range live.Held(w.Key) {
			if c.Had == nil && w.At.Exists() && p.Entity == w.At.Ref {
				c.Had, wanted[p.id()] = &p, true
			}
		}
		var change *plan.Change
		change, c.Told = diff(w, c.Had, live, r, o)
		switch stays := c.Had != nil && o.stays(*c.Had); {
		case stays:
			c.Stays, c.Told = change != nil || c.Told != nil, nil
		case change != nil:
			c.Step = &Step{Change: change, Had: c.Had, want: &w}
		default:
			c.Stays = c.Told != nil
		}
		all = append(all, c)
	}
	for i := range live.All {
		p := &live.All[i]
		if wanted[p.id()] {
			continue
		}
		c := Compared{Had: p, Owner: o.owner(*p)}
		if c.Stays = c.Owner != "" && o.stays(*p); c.Owner != "" && !c.Stays && !o.Additive {
			c.Step = live.removal(p, c.Owner, r, o)
		}
		all = append(all, c)
	}
	return all
}

// Diff says what makes the wanted permissions out of the live ones.
func Diff(want []Want, live *State, r Roles, o Options) []Step {
	return Steps(Compare(want, live, r, o), want, r)
}

// Steps are those of all that was compared with want. What goes comes last, by object.
func Steps(all []Compared, want []Want, r Roles) []Step {
	var steps, removals []Step
	for _, c := range all {
		switch {
		case c.Step == nil:
		case c.Want != nil:
			steps = append(steps, *c.Step)
		default:
			removals = append(removals, *c.Step)
		}
	}
	return compareSteps(append(steps, byObject(removals)...), want, r)
}

// Removals takes permissions away, each from whom of says it belongs to; "" leaves one alone. They come by object.
func (s *State) Removals(of func(Permission) string, r Roles, o Options) []Step {
	var steps []Step
	for i := range s.All {
		if owner := of(s.All[i]); owner != "" {
			steps = append(steps, *s.removal(&s.All[i], owner, r, o))
		}
	}
	return byObject(steps)
}

func (s *State) removal(p *Permission, owner string, r Roles, o Options) *Step {
	c := s.remove(*p, owner, r, o.former(*p))
	c.Object, c.Datacenter = o.Place(p.Entity)
	return &Step{Change: c, Had: p, adopted: o.Made != nil && o.Made(*p)}
}

func byObject(steps []Step) []Step {
	slices.SortFunc(steps, func(a, b Step) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Principal, b.Principal), strings.Compare(a.Had.id(), b.Had.id()))
	})
	return steps
}

func diff(w Want, before *Permission, live *State, r Roles, o Options) (*plan.Change, *finding.Finding) {
	after := plan.PermissionState{Role: w.Role, Propagate: w.Propagate}
	if before == nil {
		return live.set(plan.Create, w, nil, after), nil
	}
	had := plan.PermissionState{Role: r.Name(before.RoleID), Propagate: before.Propagate}
	foreign := w.Adopted && had.Role != after.Role && (o.Made == nil || !o.Made(*before))
	same := had.Propagate == after.Propagate && r.Reads(before.RoleID) && slices.Equal(r.Privileges(had.Role), w.Holds)
	switch {
	case had == after, foreign && same:
		return nil, nil
	case o.Additive && (foreign || had.Propagate && !w.Propagate ||
		len(lists.Without(r.Privileges(had.Role), w.Holds)) > 0):
		return nil, plan.Change{Kind: plan.Permission, Object: w.At.Path(), Principal: w.Principal, Group: w.Group}.Tell(
			finding.PlanNote, "stays "+had.String()+"; "+after.String()+" would remove something")
	}
	w.Displaces = w.Displaces || foreign
	c := live.set(plan.Update, w, had, after)
	if had.Role != after.Role && !same { // else only the propagation changes, or the name, which the line says
		c.Note, c.Displaced, c.Remark = strings.TrimSuffix("displaces "+had.String()+"; "+w.Note, "; "), &had, w.Note
	}
	return c, nil
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

func (o Options) stays(p Permission) bool { return o.Stays != nil && o.Stays(p) }

func (o Options) former(p Permission) *plan.PermissionState {
	if o.Former != nil {
		if former, ok := o.Former(p); ok {
			return &former
		}
	}
	return nil
}

// named tells a group from a user of the same name.
func named(principal string, group bool) string {
	if group {
		return "group " + principal
	}
	return principal
}
