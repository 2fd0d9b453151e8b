package provision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// implicit are the privileges of every role.
var implicit = []string{"System.Anonymous", "System.Read", "System.View"}

// rights are what an account has on an object by the wanted entries alone: by its own entry there, else by what is
// handed down to it. A VM is below its folder and below its pool, and has both. ok is false when there is no entry.
// Source: vSphere Security, Hierarchical Inheritance of Permissions; vSphere Web Services SDK Programming Guide.
func (d *desired) rights(s *site, principal string, o *vcenter.Object) (ids []string, ok bool) {
	if e := d.entry(s, principal, o); e != nil {
		return union(implicit, e.privileges), true
	}
	for _, parent := range []*vcenter.Object{o.Parent, o.Pool} {
		if e := d.handedDown(s, principal, parent, o.Complex()); e != nil {
			ids, ok = union(ids, union(implicit, e.privileges)), true
		}
	}
	return ids, ok
}

// handedDown is the entry that an object below `at` inherits: the nearest that propagates. The two halves of a complex
// object (a datacenter and its vm and host folders, a cluster and its root pool) share even what does not.
func (d *desired) handedDown(s *site, principal string, at *vcenter.Object, complexHalf bool) *entry {
	for ; at != nil; at = at.Parent {
		if e := d.entry(s, principal, at); e != nil && (e.propagate || complexHalf) {
			return e
		}
		complexHalf = false
	}
	return nil
}

func (d *desired) entry(s *site, principal string, o *vcenter.Object) *entry {
	for _, e := range d.entries {
		if e.place.Object != nil && e.place.Object.Ref == o.Ref && s.sso.Same(e.principal) == s.sso.Same(principal) {
			return e
		}
	}
	return nil
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
