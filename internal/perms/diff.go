package perms

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Roles tells what roles are called and hold.
type Roles interface {
	Name(id int32) string
	Privileges(name string) []string
	Known(name string) bool
	Reads(id int32) bool // it holds the implicit privileges, unlike NoAccess
}

// Options steer Diff.
type Options struct {
	Additive bool
	Owned    map[string]string                             // key → name of principals whose unwanted permissions go
	Made     func(Permission) bool                         // ours, of an adopted principal; nil = none
	Stays    func(Permission) bool                         // it stays whatever is wanted; nil = none
	Place    func(inventory.Ref) (path, datacenter string) // as in [plan.Change]
	// Former is what a permission of ours replaced, for its removal; false = nothing.
	Former func(Permission) (plan.PermissionState, bool)
}

// Step is a change of a permission, with the one that it replaces or removes; nil for a new one.
type Step struct {
	*plan.Change
	Had     *Permission
	want    *Want // nil = the permission goes
	adopted bool  // it goes, and its principal is another's
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
	Want  *Want            // nil = unwanted
	Owner string           // our principal of an unwanted one; "" = another's
	Stays bool             // it is not as wanted, and is left alone all the same
	Told  *finding.Finding // what is to be known of that; nil = nothing
	Step  *Step            // what makes it as wanted; nil = nothing changes
}

// Compare tells the state of each wanted permission, in order, and then of each other one.
// Another's permission of an adopted principal stays if it grants just what is wanted.
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

// Removals remove permissions for the principals that of returns; "" skips one. They are by object.
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
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Principal, b.Principal),
			strings.Compare(a.Had.id(), b.Had.id()))
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
	same := had.Propagate == after.Propagate && r.Reads(before.RoleID) &&
		slices.Equal(r.Privileges(had.Role), w.Holds)
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
	if had.Role != after.Role && !same { // else propagation or name changes, which the line says
		c.Note, c.Displaced, c.Remark = strings.TrimSuffix("displaces "+had.String()+"; "+w.Note, "; "),
			&had, w.Note
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

// remove is the change that removes a permission of ours, or restores what it replaced.
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

// compareSteps adds to a Diff's steps which privileges principals gain and lose on objects.
func compareSteps(steps []Step, want []Want, r Roles) []Step {
	for _, step := range steps {
		before, had := step.Before.(plan.PermissionState)
		if !had {
			continue
		}
		old := r.Privileges(before.Role)
		switch after, stays := step.After.(plan.PermissionState); {
		case step.want != nil:
			step.Gains, step.Loses = lists.Without(step.want.Holds, old), lists.Without(old, step.want.Holds)
		case stays:
			step.Gains, step.Loses = lists.Without(r.Privileges(after.Role), old),
				lists.Without(old, r.Privileges(after.Role))
		default:
			above, sees := inherited(want, step)
			step.Loses = lists.Without(old, above)
			if !sees && r.Reads(step.Had.RoleID) { // the object itself
				step.Loses = append(step.Loses, privileges.ImplicitIDs()...)
			}
		}
	}
	return steps
}

// inherited is what a principal is wanted to have above an object, and gets there without an entry.
// sees: any such permission exists, so it sees the object.
func inherited(want []Want, step Step) (all []string, sees bool) {
	for _, w := range want {
		if w.Propagate && w.Key == step.Had.Key &&
			strings.HasPrefix(step.Object, strings.TrimSuffix(w.At.Path(), "/")+"/") {
			all, sees = append(all, w.Holds...), true
		}
	}
	return all, sees
}
