package access

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// place is what a subject needs on one object: inheritance treats it as a permission there.
type place struct {
	entry  Entry
	here   []*Need
	scopes []privileges.Scope
}

// places are the needs by object. What takes the permissions of another object is a place of its account too, though nothing
// may be needed there: like every permission, those displace what comes from further up.
func places(needs []Need) map[*inventory.Object][]*place {
	on := map[*inventory.Object][]*place{}
	at := func(o *inventory.Object, a Account, propagate bool) *place {
		i := slices.IndexFunc(on[o], func(p *place) bool { return p.entry.Key == a.Key })
		if i < 0 {
			i = len(on[o])
			on[o] = append(on[o], &place{entry: Entry{Key: a.Key, Name: a.Principal.Name, Group: a.Principal.Group}})
		}
		on[o][i].entry.Propagate = on[o][i].entry.Propagate || propagate
		return on[o][i]
	}
	for i := range needs {
		n := &needs[i]
		p := at(n.Place, n.Account, n.Propagate)
		p.here = append(p.here, n)
		p.scopes = lists.AppendNew(p.scopes, n.Scope)
		if carrier, propagate := n.carrier(); carrier != n.Place {
			at(carrier, n.Account, propagate)
		}
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
		ids = append(ids, privileges.ImplicitIDs()...)
		for _, n := range e.Permission.here {
			if n.Propagate || o.OneWith(e.At) {
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
		ids = append(append(ids, privileges.ImplicitIDs()...), p.Holds...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Satisfying are the permissions by which a subject gets what it needs.
func (w *Wanted) Satisfying(who Subject) []*Permission {
	return slices.DeleteFunc(slices.Clone(w.All), func(p *Permission) bool {
		return !who.concerns(Entry{Key: p.Account.Key, Group: p.Account.Principal.Group})
	})
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
