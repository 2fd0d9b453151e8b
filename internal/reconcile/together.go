package reconcile

import (
	"errors"
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// Together says what a specification becomes for several releases at once, additively: what any of them needs is added, and nothing
// goes. releases are Options of one specification, without Prune; each privilege is noted for the first release that needs it. whole
// names as Unneeded and Undoes only what holds for every release; each has what holds for one alone, in the same order.
func Together(releases []Options) (whole *Result, each []*Result, err error) {
	before := releases[0].Spec
	var to []*release.Requests
	for _, o := range releases {
		to = append(to, o.To)
	}
	if err := checkPlace(releases[0].Place, to...); err != nil {
		return nil, nil, err
	}
	whole = &Result{Spec: before}
	var errs []error
	for _, o := range releases {
		o.Place = maps.Clone(o.Place)
		maps.DeleteFunc(o.Place, func(id string, _ []privileges.Scope) bool { return !slices.Contains(o.To.Privileges(), id) })
		alone, err := Reconcile(o)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		o.Spec = whole.Spec
		with, err := Reconcile(o)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		each = append(each, alone)
		whole.Write.Added, whole.Write.Name = with.Write.Added, lists.AppendNew(whole.Write.Name, with.Write.Name...)
		whole.Notes = lists.AppendNew(whole.Notes, alone.Notes...)
		whole.Spec = before.Reconcile(whole.Write)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	had, has := before.Privileges.Added, whole.Spec.Privileges.Added
	whole.Add, whole.Gone = privileges.Others(has, had), privileges.Others(had, has)
	whole.Unneeded, whole.Undoes = each[0].Unneeded, each[0].Undoes
	for _, r := range each[1:] {
		whole.Unneeded = shared(whole.Unneeded, r.Unneeded)
		whole.Undoes = slices.DeleteFunc(slices.Clone(whole.Undoes), func(v string) bool { return !slices.Contains(r.Undoes, v) })
	}
	return whole, each, nil
}

// shared is what neither of two releases needs, with what the first says of it.
func shared(list, other []Unneeded) []Unneeded {
	var all []Unneeded
	for _, u := range list {
		left := u
		left.Privileges = nil
		there := false
		for _, v := range other {
			if v.Component != u.Component || v.Scope != u.Scope || v.Release != u.Release {
				continue
			}
			there = there || len(u.Privileges) == 0 && len(v.Privileges) == 0
			left.Privileges = lists.AppendNew(left.Privileges, lists.Without(u.Privileges, lists.Without(u.Privileges, v.Privileges))...)
		}
		if there || len(left.Privileges) > 0 {
			all = append(all, left)
		}
	}
	return all
}
