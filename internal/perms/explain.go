package perms

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Subject is whose rights are explained: a user or a group, with all groups that it belongs to, through other groups
// too. Names are in any spelling.
type Subject struct {
	Name   string
	Group  bool
	Groups []string
}

// Evidence is one permission between an object and the root folder that concerns a subject, and what became of it.
type Evidence struct {
	Permission
	At     *vcenter.Object // where it stands
	Counts bool
	Why    string // how it reaches the object, or what keeps it from counting
}

// Explain says which permissions decide what a subject may do on an object, and which do not and why: the object's own
// first, then upwards. The subject has the privileges of all that count together.
//
// On one object an entry for the user beats those for his groups, and those for several groups unite. The nearest object
// with an entry for the user or one of his groups decides, whoever of them it is for; above it only what propagates is
// looked at, except that the parts of a complex object (a datacenter and its four folders, a cluster and its root pool)
// share even what does not. A virtual machine inherits from its folder and from its pool, and the results are
// added; in a vApp from the vApp alone. Source: vSphere Security, Hierarchical Inheritance of Permissions and Multiple
// Permission Settings; vSphere Web Services SDK Programming Guide, Permissions. Global permissions are not among those
// that this API tells.
func (s *State) Explain(who Subject, o *vcenter.Object) []Evidence {
	e := &explanation{state: s, groups: map[string]bool{}, index: map[string]int{}}
	if who.Group {
		e.groups[s.same(who.Name)] = true
	} else {
		e.user = s.same(who.Name)
	}
	for _, g := range who.Groups {
		e.groups[s.same(g)] = true
	}
	decided := e.at(o, "on the object itself", func(Permission) string { return "" })
	var by *vcenter.Object
	if decided {
		by = o
	}
	above := Above(o)
	for i, parent := range above {
		how := "inherited"
		if len(above) > 1 {
			how += ", by way of its " + []string{"folder", "resource pool"}[i]
		}
		e.up(parent, o.Complex(), by, how)
	}
	return e.found
}

// Above are the objects that hand permissions down to o: its parent, for a virtual machine its folder and its pool.
func Above(o *vcenter.Object) []*vcenter.Object {
	const vApp = "VirtualApp"
	switch {
	case o.Pool != nil && o.Pool.Ref.Type == vApp:
		return []*vcenter.Object{o.Pool}
	case o.Parent == nil:
		return slices.DeleteFunc([]*vcenter.Object{o.Pool}, func(p *vcenter.Object) bool { return p == nil })
	case o.Pool == nil || o.Parent.Ref.Type == vApp:
		return []*vcenter.Object{o.Parent}
	}
	return []*vcenter.Object{o.Parent, o.Pool}
}

// explanation is the walk upwards from one object.
type explanation struct {
	state  *State
	user   string // "" when a group is asked about
	groups map[string]bool
	found  []Evidence
	index  map[string]int // of found, by object and principal
}

// up walks one way to the root. by is the object that has decided already, nil while none has.
func (e *explanation) up(at *vcenter.Object, half bool, by *vcenter.Object, how string) {
	for ; at != nil; at, half = at.Parent, false {
		reaches := how
		if half {
			reaches = "shared with " + at.Path() + ", which it is one object with"
		}
		decided := e.at(at, reaches, func(p Permission) string {
			switch {
			case !p.Propagate && !half:
				return "does not propagate"
			case by != nil:
				return "displaced by the nearer permission on " + by.Path()
			}
			return ""
		})
		if decided {
			by = at
		}
	}
}

// at judges the permissions of one object; refuse says why one cannot count at all. It tells whether any counts.
func (e *explanation) at(o *vcenter.Object, how string, refuse func(Permission) string) (decided bool) {
	var mine []Permission
	var user string
	for _, p := range e.state.On(o.Ref) {
		key := e.state.same(p.Principal)
		switch {
		case p.Group && !e.groups[key], !p.Group && (e.user == "" || key != e.user):
			continue
		case !p.Group && refuse(p) == "":
			user = p.Principal
		}
		mine = append(mine, p)
	}
	for _, p := range mine {
		why := refuse(p)
		if why == "" && p.Group && user != "" {
			why = "displaced by the permission of " + user + " itself on the same object"
		}
		if why == "" {
			decided = true
			e.add(Evidence{Permission: p, At: o, Counts: true, Why: how})
		} else {
			e.add(Evidence{Permission: p, At: o, Why: why})
		}
	}
	return decided
}

// add joins what is met on both ways of a virtual machine: it counts when it counts on one.
func (e *explanation) add(v Evidence) {
	key := v.Entity.String() + "\x00" + v.Principal
	if v.Group {
		key += "\x00group"
	}
	i, again := e.index[key]
	switch {
	case !again:
		e.index[key] = len(e.found)
		e.found = append(e.found, v)
	case v.Counts && e.found[i].Counts && v.Why != e.found[i].Why:
		e.found[i].Why = "inherited, both ways"
	case v.Counts:
		e.found[i] = v
	}
}

// On lists the permissions of one object.
func (s *State) On(ref types.ManagedObjectReference) []Permission {
	var found []Permission
	for _, p := range s.All {
		if p.Entity == ref {
			found = append(found, p)
		}
	}
	return found
}
