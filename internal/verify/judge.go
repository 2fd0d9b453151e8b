package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// Expected is what accounts must have on one vCenter, and its lists that explain what they have.
type Expected struct {
	*access.Wanted
	Works     []access.Work          // what there is to do with it
	Named     map[inventory.Ref]bool // objects of the failure domains
	Version   string
	Inventory *inventory.Tree
	Roles     *roles.State
	Perms     *perms.State

	// see [access.Explain]
	Explain func(access.Subject, *inventory.Object) []access.Evidence[perms.Permission]
	// Standing is the present permission in place of a wanted one; nil if none
	Standing    func(*access.Permission) *perms.Permission
	Administers func(perms.Permission) bool // its holder may do everything everywhere
	Kept        func(perms.Permission) bool // a plain apply leaves it wider than wanted; nil = none

	Own bool // seen by the accounts alone: no permissions explain them
	// with Own: components that use another's account, by [access.Subject.Key]
	Others map[string][]component.Name
}

// Seen is what an account was seen to have on an object.
type Seen struct {
	Held   []string          // vCenter's answer; nil = it does not see the object
	Hidden *inventory.Object // first unseen object on the path; nil = none
}

// Case is what an account is judged by.
type Case struct {
	Components []component.Name    // that share the account
	Who        access.Subject      // the account as the needs know it
	Holder     access.Subject      // the same with all groups that it is known to be in
	Objects    []*inventory.Object // that are compared; the account may have looked at more
	Leftovers  []Object            // which [Expected.Leftovers] gives
}

// Judge sets what a case's account has from what was seen, and what its components cannot do. It
// reports whether that is as expected.
func (e *Expected) Judge(a *Account, c Case, seen map[*inventory.Object]Seen) bool {
	a.Objects, a.Others = []Object{}, e.Others[c.Who.Key]
	for _, o := range inOrder(c.Objects) {
		saw := seen[o]
		if a.Administrator != "" { // what it holds besides is everything
			needed := e.Needed(c.Who, o)
			saw.Held = slices.DeleteFunc(slices.Clone(saw.Held),
				func(id string) bool { return !slices.Contains(needed, id) })
		}
		judged := e.judge(c.Who, c.Holder, o, saw)
		left := slices.ContainsFunc(c.Leftovers, func(l Object) bool { return l.Path == judged.Path })
		if !left || judged.Scope != ScopeBelow { // else it is said once
			a.Objects = append(a.Objects, judged)
		}
	}
	rights := seenRights{e, c.Holder, seen}
	a.Cannot, a.Alarms = e.Cannot(c.Components, rights), e.Alarms(c.Components, rights)
	return (!a.Failed() || a.Administrator != "") &&
		len(a.Cannot) <= len(e.Cannot(c.Components, e.Rights(c.Who)))
}

// Lacking are a seen account's missing privileges by object, without objects that the matrix hides.
func (e *Expected) Lacking(who access.Subject, seen map[*inventory.Object]Seen) []string {
	var missing []string
	for _, o := range inOrder(e.Objects(who)) {
		if hidden := seen[o].Hidden; hidden != nil && len(e.Granted(who, hidden)) == 0 {
			continue
		}
		if v := e.judge(who, who, o, seen[o]); len(v.Missing) > 0 {
			missing = append(missing, fmt.Sprintf("%s on %s", strings.Join(v.Missing, ", "), v.Path))
		}
	}
	return missing
}

func inOrder(objects []*inventory.Object) []*inventory.Object {
	sorted := slices.SortedFunc(slices.Values(objects),
		func(a, b *inventory.Object) int { return cmp.Compare(a.Path(), b.Path()) })
	return slices.CompactFunc(sorted, func(a, b *inventory.Object) bool { return a.Path() == b.Path() })
}

// comparison is one object as an account has it.
type comparison struct {
	*Expected
	who, holder access.Subject // as in [Case]
	at          *inventory.Object
	hidden      *inventory.Object
	Object
}

func (e *Expected) judge(who, holder access.Subject, o *inventory.Object, saw Seen) Object {
	v := &comparison{Expected: e, who: who, holder: holder, at: o, hidden: saw.Hidden}
	v.Object = Object{Path: o.Path(), Scope: e.scopeAt(who, o), Missing: []string{}, Excess: []string{}}
	needed := e.Needed(who, o)
	if v.Scope == "" {
		v.Scope = ScopeBelow
	} else if saw.Hidden != nil {
		v.HiddenBy = saw.Hidden.Path()
	}
	for _, id := range needed {
		switch {
		case !e.knows(id):
			v.Unknown = append(v.Unknown, id)
			v.because([]string{id}, "use a newer release of vCenter",
				"unknown to this vCenter (%s): the component cannot %s",
				named{"word", v.Version}, named{"word", cmp.Or(privileges.Operation(id), "do what needs it")})
		case v.HiddenBy != "" || !slices.Contains(saw.Held, id):
			v.Missing = append(v.Missing, id)
		}
	}
	granted := e.Granted(who, o)
	for _, id := range lists.Without(saw.Held, needed) {
		if slices.Contains(granted, id) {
			v.Unavoidable = append(v.Unavoidable, id)
		} else {
			v.Excess = append(v.Excess, id)
		}
	}
	v.Missing = append(v.Missing, v.stopsShort()...)
	v.explainMissing()
	v.explainExcess()
	v.explainUnavoidable()
	return v.Object
}

func (e *Expected) knows(id string) bool {
	_, known := slices.BinarySearch(e.Roles.Catalogue(), id)
	return known
}

// scopeAt is what an object is for an account, or "". Its own needs precede those as an ancestor.
func (e *Expected) scopeAt(who access.Subject, o *inventory.Object) string {
	var scopes []privileges.Scope
	for _, key := range append([]string{who.Key}, who.Groups...) {
		scopes = lists.AppendNew(scopes, e.ScopesAt(key, o)...)
	}
	if len(scopes) > 1 {
		scopes = slices.DeleteFunc(scopes, func(s privileges.Scope) bool { return s == access.ScopeAncestor })
	}
	return strings.Join(component.Words(scopes), "+")
}

// stopsShort is what the account's own permission on an object would have to hand down and does
// not, nor the one above it does, where nothing is below yet that would show it.
func (c *comparison) stopsShort() []string {
	w := c.At(c.who.Key, c.at)
	if w == nil || !w.Propagate {
		return nil
	}
	p := c.Standing(w)
	if p == nil || p.Propagate {
		return nil
	}
	var ids []string
	known := append(c.fromAbove(), c.Missing...)
	for _, n := range w.Needs {
		if n.Propagate && c.knows(n.Row.Privilege) && !slices.Contains(known, n.Row.Privilege) {
			ids = lists.AppendNew(ids, n.Row.Privilege)
		}
	}
	slices.Sort(ids)
	return ids
}

// fromAbove is what an account's own nearest permission above an object propagates.
func (c *comparison) fromAbove() []string {
	for _, e := range c.Explain(c.who, c.at) {
		if p := e.Permission; e.At != c.at && p.Propagate {
			role, _ := c.Roles.ByID(p.RoleID)
			if p.Key == c.who.Key {
				return append(privileges.ImplicitIDs(), role.Privileges...)
			}
			break
		}
	}
	return nil
}

// Leftovers are an account's permissions of ours that nothing needs, or that need not propagate.
func (e *Expected) Leftovers(key string, ours func(perms.Permission) bool) []Object {
	var all []Object
	for _, p := range e.Perms.Held(key) {
		o := e.Inventory.Object(p.Entity)
		if o == nil || !ours(p) {
			continue
		}
		switch w := e.At(key, o); {
		case w == nil:
			all = append(all, e.leftover(p, o, e.removes(p), "its permission on %[1]s is not needed (role %[2]s)"))
		case p.Propagate && !w.Propagate:
			all = append(all, e.leftover(p, o, e.removes(p), "its permission on %[1]s propagates (role %[2]s) but does not need to"))
		}
	}
	return all
}

// Unneeded is all that an unspecified principal has. named: the credentials file names it.
func (e *Expected) Unneeded(key string, named bool) []Object {
	remedy := remedyPrune
	if named { // apply refuses such a file
		remedy = remedyNamed
	}
	all := []Object{}
	for _, p := range e.Perms.Held(key) {
		if o := e.Inventory.Object(p.Entity); o != nil {
			all = append(all, e.leftover(p, o, remedy, "the account is not in the specification (role %[2]s)"))
		}
	}
	return all
}

func (e *Expected) leftover(p perms.Permission, o *inventory.Object, remedy, format string) Object {
	role := e.Roles.Name(p.RoleID)
	v := Object{Path: o.Path(), Scope: ScopeLeftover, Missing: []string{}, Excess: e.Roles.Privileges(role)}
	if len(v.Excess) == 0 {
		v.Excess = privileges.ImplicitIDs()
	}
	v.because(v.Excess, remedy, format, at(o), named{"role", role})
	return v
}
