package access

import (
	"cmp"
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

// places are the needs by object. An object that takes another's permissions is a place of its
// account too, even without needs: its permissions displace those from above.
func places(needs []Need) map[*inventory.Object][]*place {
	on := map[*inventory.Object][]*place{}
	at := func(o *inventory.Object, a Account, propagate bool) *place {
		i := slices.IndexFunc(on[o], func(p *place) bool { return p.entry.Key == a.Key })
		if i < 0 {
			i = len(on[o])
			on[o] = append(on[o], &place{entry: Entry{Key: a.Key, Group: a.Principal.Group}})
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

// Needed is what a subject needs on an object, sorted: there, or below the nearest object with
// propagating needs. nil if nothing is needed, not even to see it.
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

// ScopesAt are an object's scopes for an account; empty without needs on the object itself.
func (w *Wanted) ScopesAt(key string, o *inventory.Object) []privileges.Scope {
	for _, p := range w.places[o] {
		if p.entry.Key == key {
			return p.scopes
		}
	}
	return nil
}

// Granted is what the permissions give a subject on an object, sorted; nil if it does not see it.
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

// spot is where one account has a permission.
type spot struct {
	key string
	at  *inventory.Object
}

// inherit keeps added rows from taking privileges away. If a permission exists, or propagates, only
// because of added rows, what it hides from above is needed there too.
func (b *binder) inherit() {
	if !slices.ContainsFunc(b.needs, func(n Need) bool { return n.Added }) {
		return
	}
	on := map[spot][]Need{}
	var spots []spot
	put := func(n Need) {
		n.Place, n.Propagate = n.carrier()
		s := spot{n.Account.Key, n.Place}
		if on[s] == nil {
			spots = append(spots, s)
		}
		on[s] = append(on[s], n)
	}
	for _, n := range b.needs {
		put(n)
	}
	slices.SortStableFunc(spots,
		func(x, y spot) int { return cmp.Compare(len(x.at.Ancestors()), len(y.at.Ancestors())) })
	reaching := map[spot]bool{}
	for _, s := range spots { // from above: what one takes over it hands down
		here := on[s]
		var handed []Need
		for _, above := range s.at.Ancestors() {
			if up := (spot{s.key, above}); reaching[up] {
				handed = on[up]
				break
			}
		}
		own := slices.DeleteFunc(slices.Clone(here), func(n Need) bool { return n.Added })
		reaching[s] = reaches(here, handed != nil)
		if len(own) > 0 && reaching[s] == reaches(own, handed != nil) {
			continue
		}
		for _, n := range handed {
			if n.Propagate {
				n.Scope, n.Place, n.Propagate, n.Added = here[0].Scope, s.at, reaching[s], true
				b.add(n)
				put(n)
			}
		}
	}
}

// reaches reports whether an object's permission for needs propagates; see [placing.propagation].
func reaches(needs []Need, inherits bool) bool {
	read, more, stays := false, false, false
	for _, n := range needs {
		implicit := privileges.Implicit(n.Row.Privilege)
		read = read || n.Propagate && implicit
		more = more || n.Propagate && !implicit
		stays = stays || !n.Propagate && !implicit
	}
	return more || read && !(stays && inherits)
}
