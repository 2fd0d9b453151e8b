package vcsim

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"
)

type moref = types.ManagedObjectReference

// place is an object's place in the hierarchy that permissions are inherited along.
type place struct {
	parents []moref
	// complex: the object is one thing with its parent, whose rules apply whatever their propagate flag says (R25).
	complex bool
}

// hierarchy answers for one object's place; ok is false for an object that does not exist.
type hierarchy interface {
	place(moref) (n place, ok bool)
}

// subject is whom the rights are computed for: a user and all its groups, by key.
type subject struct {
	user   string
	groups map[string]bool
}

// evaluator computes effective rights on many objects for one subject at one moment.
// It remembers what containers hand down, so that a listing costs little more than its objects.
// It is not safe for parallel use; every request makes its own.
type evaluator struct {
	st     *authzState
	roles  map[int32]*role // what the roles are worth now, which may not be what they list (R8)
	who    subject
	tree   hierarchy
	root   moref
	passed map[moref]rights // what an object hands down to its children
}

// rights are the roles that hold on an object; a privilege held by any of them is held. Nil: no role at all.
type rights []*role

func (r rights) has(privilege string) bool {
	for _, role := range r {
		if role.has[privilege] {
			return true
		}
	}
	return false
}

// ids are the roles' ids, for the effectiveRole property.
func (r rights) ids() []int32 {
	out := []int32{}
	for _, role := range r {
		out = append(out, role.id)
	}
	slices.Sort(out)
	return out
}

func newEvaluator(st *authzState, who subject, tree hierarchy, root moref) *evaluator {
	return &evaluator{st: st, roles: st.roles, who: who, tree: tree, root: root, passed: map[moref]rights{}}
}

// on computes the rights on an entity: its own entry decides, else the nearest one on each path upwards (R21 to R26),
// last of all the global one (R46).
func (e *evaluator) on(ref moref) rights {
	if r, ok := e.entry(ref, false); ok {
		return r
	}
	n, ok := e.above(ref)
	if !ok {
		return nil
	}
	var out rights
	for _, parent := range n.parents {
		r, ok := rights(nil), false
		if n.complex {
			r, ok = e.entry(parent, false)
		}
		if !ok {
			r = e.handedDown(parent, 0)
		}
		out = out.union(r)
	}
	return out
}

// depthLimit stops a walk in a hierarchy that changes under it; vCenter nests far less deep.
const depthLimit = 256

// handedDown is what children inherit through an object: its propagating entry, else what it inherited itself (R22, R23).
func (e *evaluator) handedDown(ref moref, depth int) rights {
	if r, ok := e.passed[ref]; ok {
		return r
	}
	r, ok := e.entry(ref, true)
	if !ok && depth < depthLimit {
		if n, exists := e.above(ref); exists {
			for _, parent := range n.parents {
				r = r.union(e.handedDown(parent, depth+1))
			}
		}
	}
	e.passed[ref] = r
	return r
}

// entry is the rule of one object: the user's own, else those of its groups together (R21).
// ok is false when none concerns the subject.
func (e *evaluator) entry(ref moref, propagating bool) (out rights, ok bool) {
	for _, g := range e.st.grants[ref] {
		switch {
		case propagating && !g.propagate:
		case g.key == e.who.user:
			return rights{e.roles[g.role]}, true
		case e.who.groups[g.key]:
			out, ok = out.union(rights{e.roles[g.role]}), true
		}
	}
	return out, ok
}

// anywhere says whether some permission gives the subject a privilege, wherever that is.
func (e *evaluator) anywhere(privilege string) bool {
	for ref := range e.st.grants {
		if r, ok := e.entry(ref, false); ok && r.has(privilege) {
			return true
		}
	}
	return false
}

func (r rights) union(more rights) rights {
	if len(r) == 0 {
		return more
	}
	for _, role := range more {
		if !slices.Contains(r, role) {
			r = append(slices.Clip(r), role) // clipped: r may be remembered elsewhere
		}
	}
	return r
}
