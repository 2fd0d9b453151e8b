package access

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Implicit are the privileges of every role that lets anybody see anything, sorted.
func Implicit() []string { return []string{"System.Anonymous", "System.Read", "System.View"} }

// place is what a subject needs on one object: inheritance treats it as a permission there.
type place struct {
	entry  Entry
	here   []Need
	scopes []privileges.Scope
}

// places are the needs by object.
func places(needs []Need) map[*inventory.Object][]*place {
	on := map[*inventory.Object][]*place{}
	for _, n := range needs {
		i := slices.IndexFunc(on[n.Place], func(p *place) bool { return p.entry.Key == n.Account.Key })
		if i < 0 {
			i = len(on[n.Place])
			on[n.Place] = append(on[n.Place], &place{entry: Entry{
				Key: n.Account.Key, Name: n.Account.Principal.Name, Group: n.Account.Principal.Group,
			}})
		}
		p := on[n.Place][i]
		p.here = append(p.here, n)
		p.scopes = appendNew(p.scopes, n.Scope)
		p.entry.Propagate = p.entry.Propagate || n.Propagate
	}
	return on
}

// Needed is what a subject needs on an object, sorted: what is needed there, or what the nearest object above hands down that
// is needed on everything below it. nil where nothing is needed, not even to see it.
func (w *Wanted) Needed(who Subject, o *inventory.Object) []string {
	on := func(at *inventory.Object) []*place { return w.places[at] }
	var ids []string
	for _, e := range Explain(who, o, on, func(p *place) Entry { return p.entry }) {
		if !e.Counts {
			continue
		}
		ids = append(ids, Implicit()...)
		for _, n := range e.Permission.here {
			if e.At == o || n.Propagate || o.Complex() && o.Parent == e.At {
				ids = append(ids, n.Row.Privilege)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ScopesAt are what an object is for an account; empty where nothing is needed on the object itself.
func (w *Wanted) ScopesAt(key string, o *inventory.Object) []privileges.Scope {
	for _, p := range w.places[o] {
		if p.entry.Key == key {
			return p.scopes
		}
	}
	return nil
}

// Granted is what the permissions give a subject on an object, sorted; nil where they do not let it see it.
func (w *Wanted) Granted(who Subject, o *inventory.Object) []string {
	var ids []string
	for _, p := range w.Counting(who, o) {
		ids = append(append(ids, Implicit()...), p.Holds...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Objects are those on which a subject needs something, in the order of its needs.
func (w *Wanted) Objects(who Subject) []*inventory.Object {
	var all []*inventory.Object
	seen := map[*inventory.Object]bool{}
	for _, n := range w.Needs {
		if !seen[n.Place] && who.concerns(Entry{Key: n.Account.Key, Group: n.Account.Principal.Group}) {
			seen[n.Place] = true
			all = append(all, n.Place)
		}
	}
	return all
}
