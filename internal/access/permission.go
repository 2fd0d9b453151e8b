package access

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Permission is what one account is to hold on one object, for all components, scopes and failure
// domains: a vCenter has one permission of a principal on an object.
type Permission struct {
	Account    Account // of the first component
	At         *inventory.Object
	Needs      []*Need // of Wanted.Needs
	Components []component.Name
	Scopes     []privileges.Scope
	Naming     []privileges.Scope // of Scopes: those that ask for more than reading
	Variants   []string           // conditions of an unusual role of its scope
	Privileges []string           // sorted, without the implicit ones
	Propagate  bool
	Further    []string // of Privileges: those that propagate because others have to

	// What a vCenter comes to, see [Wanted.Know] and [Wanted.Name].
	Role  string
	Holds []string // privileges of the role, sorted, without the implicit ones
	Asked []string // those that the name of the role stands for: what the vCenter does not know, too
	Notes []string // what a plan says about it
}

// Wanted are permissions that satisfy needs, and these.
type Wanted struct {
	Needs []Need
	All   []*Permission

	on     map[*inventory.Object][]*Permission
	places map[*inventory.Object][]*place
}

// Permissions are what satisfies needs, in order of the first need of each, and read access on the
// way unless it is inherited.
func Permissions(needs []Need) *Wanted {
	w := &Wanted{Needs: needs, on: map[*inventory.Object][]*Permission{}, places: places(needs)}
	p := &placing{wanted: w, stay: map[*Permission][]string{}, reach: map[*Permission][]string{}}
	for i := range needs {
		if n := &needs[i]; n.Scope != ScopeAncestor {
			p.put(n)
		}
	}
	p.propagation()
	for i := range needs {
		n := &needs[i]
		if n.Scope != ScopeAncestor {
			continue
		}
		if held := w.At(n.Account.Key, n.Place.Carrier()); !w.Sees(n.Account.Subject(), n.Place) {
			p.put(n)
		} else if held != nil {
			held.Needs = append(held.Needs, n)
		}
	}
	return w
}

// At is the permission of an account on one object; nil if it is to have none there.
func (w *Wanted) At(key string, o *inventory.Object) *Permission {
	for _, p := range w.on[o] {
		if p.Account.Key == key {
			return p
		}
	}
	return nil
}

type placing struct {
	wanted *Wanted
	stay   map[*Permission][]string // privileges that have to stay on the object
	reach  map[*Permission][]string // those that have to propagate
}

// carrier is the object of a need's permission, and whether it has to propagate. An object that
// takes none uses that above it, which has to propagate unless both are one.
func (n Need) carrier() (at *inventory.Object, propagate bool) {
	at, propagate = n.Place, n.Propagate
	for {
		above, _ := at.Unassignable()
		if above == nil {
			return at, propagate
		}
		propagate = propagate || !at.Complex()
		at = above
	}
}

// put adds a need to the permission that satisfies it.
func (p *placing) put(n *Need) {
	at, propagate := n.carrier()
	w := p.wanted.At(n.Account.Key, at)
	if w == nil {
		w = &Permission{Account: n.Account, At: at}
		p.wanted.All = append(p.wanted.All, w)
		p.wanted.on[at] = append(p.wanted.on[at], w)
	}
	w.Needs = append(w.Needs, n)
	w.Components = lists.AppendNew(w.Components, n.Account.Component)
	w.Scopes = lists.AppendNew(w.Scopes, n.Scope)
	w.Propagate = w.Propagate || propagate
	if n.Variant {
		w.Variants = lists.AppendNew(w.Variants, string(privileges.HostGroup))
	}
	if privileges.Implicit(n.Row.Privilege) {
		return
	}
	w.Naming = lists.AppendNew(w.Naming, n.Scope)
	w.Privileges = privileges.Strip(append(w.Privileges, n.Row.Privilege))
	if propagate {
		p.reach[w] = lists.AppendNew(p.reach[w], n.Row.Privilege)
	} else {
		p.stay[w] = lists.AppendNew(p.stay[w], n.Row.Privilege)
	}
}

// propagation unites propagating and other needs on an object in one permission. If only read
// access is to propagate, which is inherited anyway, it does not propagate. Else all of it does,
// and Further is what goes further than needed.
func (p *placing) propagation() {
	for _, w := range p.wanted.All {
		further := slices.DeleteFunc(slices.Clone(p.stay[w]),
			func(id string) bool { return slices.Contains(p.reach[w], id) })
		if !w.Propagate || len(further) == 0 {
			continue
		}
		if len(p.reach[w]) == 0 && p.wanted.inherits(w.Account.Key, w.At.Parent) {
			w.Propagate = false
			continue
		}
		slices.Sort(further)
		w.Further = further
	}
}

// inherits reports whether an account's permissions reach below an object, from it or above.
func (w *Wanted) inherits(key string, o *inventory.Object) bool {
	for ; o != nil; o = o.Parent {
		if p := w.At(key, o); p != nil && p.Propagate {
			return true
		}
	}
	return false
}

// Subject is an account on its own, without the groups that it may be in.
func (a Account) Subject() Subject { return Subject{Key: a.Key, Group: a.Principal.Group} }

// Entry is what inheritance asks of a permission.
func (p *Permission) Entry() Entry {
	return Entry{Key: p.Account.Key, Group: p.Account.Principal.Group, Propagate: p.Propagate}
}

// Counting are the permissions that decide what a subject may do on an object.
func (w *Wanted) Counting(who Subject, o *inventory.Object) []*Permission {
	on := func(at *inventory.Object) []*Permission { return w.on[at] }
	var count []*Permission
	for _, e := range Explain(who, o, on, (*Permission).Entry) {
		if e.Counts {
			count = append(count, e.Permission)
		}
	}
	return count
}

// Sees reports whether the permissions let a subject see an object.
func (w *Wanted) Sees(who Subject, o *inventory.Object) bool { return len(w.Counting(who, o)) > 0 }
