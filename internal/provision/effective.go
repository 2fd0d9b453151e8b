package provision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// implicit are the privileges of every role.
var implicit = []string{"System.Anonymous", "System.Read", "System.View"}

// rightsOf is what an account has on an object by the wanted entries alone: by its own entry there, else by what is
// handed down to it. A VM is below its folder and below its pool, and has both. ok is false when there is no entry.
// who are the keys of the account, first, and of the groups that it is known to be in.
// Source: vSphere Security, Hierarchical Inheritance of Permissions; vSphere Web Services SDK Programming Guide.
func (d *desired) rightsOf(who []string, o *vcenter.Object) (ids []string, ok bool) {
	if here := d.at(who, o, true); here != nil {
		return held(here), true
	}
	for _, parent := range []*vcenter.Object{o.Parent, o.Pool} {
		if above := d.handedDown(who, parent, o.Complex()); above != nil {
			ids, ok = union(ids, held(above)), true
		}
	}
	return ids, ok
}

// rights are those of one principal, in any spelling.
func (d *desired) rights(s *site, principal string, o *vcenter.Object) (ids []string, ok bool) {
	return d.rightsOf(s.either(principal), o)
}

// entry is what one principal, in any spelling, has on the object itself; nil if nothing.
func (d *desired) entry(s *site, principal string, o *vcenter.Object) *entry {
	if here := d.at(s.either(principal), o, true); here != nil {
		return here[0]
	}
	return nil
}

// either are the keys of a name that may be a user's or a group's.
func (s *site) either(name string) []string {
	return []string{s.key(grantee{name: name}), s.key(grantee{name: name, group: true})}
}

func held(entries []*entry) []string {
	ids := implicit
	for _, e := range entries {
		ids = union(ids, e.privileges)
	}
	return ids
}

// handedDown are the entries that an object below `at` inherits: of the nearest object that has one that propagates. The
// parts of a complex object (a datacenter and its four folders, a cluster and its root pool) share even what
// does not.
func (d *desired) handedDown(who []string, at *vcenter.Object, complexHalf bool) []*entry {
	for ; at != nil; at = at.Parent {
		if found := d.at(who, at, complexHalf); found != nil {
			return found
		}
		complexHalf = false
	}
	return nil
}

// at are the entries that count on one object: the account's own, else those of its groups together; all of them, or
// those alone that propagate.
func (d *desired) at(who []string, o *vcenter.Object, all bool) []*entry {
	var groups []*entry
	for _, e := range d.entries {
		if e.place.Object == nil || e.place.Object.Ref != o.Ref || !all && !e.propagate {
			continue
		}
		switch i := slices.Index(who, e.who); {
		case i >= 0 && !e.group:
			return []*entry{e}
		case i >= 0:
			groups = append(groups, e)
		}
	}
	return groups
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// without lists what of a is not in b; never nil, because JSON shows it.
func without(a, b []string) []string {
	left := []string{}
	for _, id := range a {
		if !slices.Contains(b, id) {
			left = append(left, id)
		}
	}
	return left
}
