package access

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// Subject is a user or group with all groups that it belongs to, nested ones too, as keys of
// [Account].
type Subject struct {
	Key    string
	Group  bool
	Groups []string
}

// Entry is what inheritance needs of a permission: its principal, and whether it propagates.
type Entry struct {
	Key       string
	Group     bool
	Propagate bool
}

// Evidence is a permission on the way to the root folder that concerns a subject, and its effect.
type Evidence[P any] struct {
	Permission P
	At         *inventory.Object // where it stands
	Counts     bool
	Why        string // how it reaches the object, or what keeps it from counting
	By         string // path of the nearer object that Why ends with; "" = it names none
}

// Said is why, in full.
func (e Evidence[P]) Said() string { return strings.TrimSpace(e.Why + " " + e.By) }

// displaced is why a permission does not count where a nearer one does.
const displaced = "displaced by the nearer permission on"

// Explain tells which permissions decide what a subject may do on an object, and which do not and
// why, from the object upwards. The subject has the union of those that count. on are the
// permissions of one object.
//
// On one object an entry for the user beats those for groups, which unite. The nearest object with
// an entry for the user or a group decides. Above it only propagating entries count, except that
// the halves of a complex object (a datacenter and its own four folders, a cluster and its root
// pool) share all. A virtual machine unites its folder and its pool; in a vApp it has that alone.
// Source: vSphere Security, Hierarchical Inheritance of Permissions and Multiple Permission
// Settings; vSphere Web Services SDK Programming Guide, Permissions; API reference,
// SetEntityPermissions. Global permissions are above the root folder: vSphere Security, Global
// Permissions.
func Explain[P any](who Subject, o *inventory.Object, on func(*inventory.Object) []P, of func(P) Entry) []Evidence[P] {
	e := &explanation[P]{who: who, on: on, of: of, index: map[met]int{}}
	decided := e.at(o, nil, "on the object itself", func(Entry) string { return "" })
	var by *inventory.Object
	if decided {
		by = o
	}
	above := o.Above()
	if o.Up() == inventory.Global {
		above = []*inventory.Object{inventory.Global}
	}
	for i, parent := range above {
		how := "inherited"
		if len(above) > 1 {
			how += ", by way of its " + []string{"folder", "resource pool"}[i]
		}
		e.up(parent, o.Complex(), by, how)
	}
	return e.found
}

// explanation is the walk upwards from one object.
type explanation[P any] struct {
	who   Subject
	on    func(*inventory.Object) []P
	of    func(P) Entry
	found []Evidence[P]
	index map[met]int // of found
}

// met is a permission that was met: a virtual machine leads to one twice.
type met struct {
	at  *inventory.Object
	key string
}

// up walks one way to the root. by is the object that has decided already, nil while none has.
func (e *explanation[P]) up(at *inventory.Object, half bool, by *inventory.Object, how string) {
	for ; at != nil; at, half = at.Up(), false {
		reaches := how
		if half {
			reaches = "shared with " + at.Path() + ", which has the same permissions"
		}
		decided := e.at(at, by, reaches, func(p Entry) string {
			switch {
			case !p.Propagate && !half:
				return "does not propagate"
			case by != nil:
				return displaced
			}
			return ""
		})
		if decided {
			by = at
		}
	}
}

// at judges one object's permissions; refuse says why one cannot count, by has displaced it then. It
// reports whether any counts.
func (e *explanation[P]) at(o, by *inventory.Object, how string, refuse func(Entry) string) (decided bool) {
	var mine []P
	user := false
	for _, p := range e.on(o) {
		entry := e.of(p)
		if !e.who.concerns(entry) {
			continue
		}
		if !entry.Group && refuse(entry) == "" {
			user = true
		}
		mine = append(mine, p)
	}
	for _, p := range mine {
		entry := e.of(p)
		why := refuse(entry)
		if why == "" && entry.Group && user {
			why = "displaced by the user's own permission on the same object"
		}
		v := Evidence[P]{Permission: p, At: o, Counts: why == "", Why: why}
		if v.Counts {
			decided, v.Why = true, how
		} else if why == displaced {
			v.By = by.Path()
		}
		e.add(v, met{o, entry.Key})
	}
	return decided
}

func (s Subject) concerns(e Entry) bool {
	if e.Key == s.Key {
		return true
	}
	return e.Group && slices.Contains(s.Groups, e.Key)
}

// add joins what is met on both ways of a virtual machine: it counts when it counts on one.
func (e *explanation[P]) add(v Evidence[P], key met) {
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
