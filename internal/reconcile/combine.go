package reconcile

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// gather adds an entry with one privilege to the one that it fits into, or as one of its own.
func gather(all []privileges.Added, a privileges.Added) []privileges.Added {
	for i, have := range all {
		if have.Component == a.Component && have.Scope == a.Scope && have.Propagate == a.Propagate &&
			slices.Equal(have.Conditions, a.Conditions) &&
			have.Release == a.Release && have.Reason == a.Reason {
			if !slices.Contains(have.Privileges, a.Privileges[0]) {
				all[i].Privileges = append(all[i].Privileges, a.Privileges[0])
			}
			return all
		}
	}
	return append(all, a)
}

// combine adds to kept entries what the release needs and neither they nor the matrix grant. A
// privilege stands once in a place: one kept under other conditions moves into the new entry, with
// both. fresh are the new entries.
func (o Options) combine(matrix *privileges.Matrix, kept, wanted []privileges.Added) (all, fresh []privileges.Added) {
	all = slices.Clone(kept)
	for _, w := range wanted {
		for _, id := range w.Privileges {
			a := w
			a.Privileges = []string{id}
			if rowCovers(matrix, a) || o.satisfied(kept, a) {
				continue
			}
			conditions, covered := a.Conditions, false
			for _, list := range []*[]privileges.Added{&all, &fresh} {
				for i, have := range *list {
					if have.Component != a.Component || have.Scope != a.Scope || have.Propagate != a.Propagate ||
						!slices.Contains(have.Privileges, id) {
						continue
					}
					if covered = covered || covers(have.Conditions, a.Conditions); !covered {
						conditions = both(conditions, have.Conditions)
						(*list)[i].Privileges = lists.Without(have.Privileges, []string{id})
					}
				}
			}
			if !covered {
				a.Conditions = conditions
				fresh = gather(fresh, a)
			}
		}
	}
	empty := func(a privileges.Added) bool { return len(a.Privileges) == 0 }
	fresh = slices.DeleteFunc(fresh, empty)
	return append(slices.DeleteFunc(all, empty), fresh...), fresh
}

// satisfied reports whether a kept entry grants a requested privilege, at any scope.
func (o Options) satisfied(kept []privileges.Added, a privileges.Added) bool {
	if strings.HasPrefix(a.Reason, matrixHas) || o.anew(a) {
		return false
	}
	var there []privileges.Added
	for _, have := range kept {
		if have.Component == a.Component && slices.Contains(have.Privileges, a.Privileges[0]) &&
			(have.Scope == a.Scope || len(o.Place[a.Privileges[0]]) == 0) {
			if covers(have.Conditions, a.Conditions) {
				return true
			}
			there = append(there, have)
		}
	}
	return (&privileges.Matrix{}).With(there).HasAt(a.Component, a.Privileges[0], o.where())
}

// where are the conditions of each failure domain; without any, of every topology.
func (o Options) where() []map[privileges.Condition]bool {
	var all []map[privileges.Condition]bool
	for _, v := range o.Spec.Whole().VCenters {
		for _, fd := range v.FailureDomains {
			all = append(all, o.Spec.Conditions(fd.Holds()))
		}
	}
	if all == nil {
		for _, topology := range privileges.Topologies() {
			all = append(all, o.Spec.Conditions(topology))
		}
	}
	return all
}

// rowCovers reports whether a matrix gives a privilege at the very place under all the conditions.
func rowCovers(m *privileges.Matrix, a privileges.Added) bool {
	return slices.ContainsFunc(m.Rows, func(r privileges.Row) bool {
		return r.Component == a.Component && r.Scope == a.Scope && r.Propagate == a.Propagate &&
			r.Privilege == a.Privileges[0] && !r.Unknown &&
			covers(r.Conditions, a.Conditions)
	})
}

// covers reports whether one list of conditions holds wherever another does. None are always.
func covers(have, want []privileges.Condition) bool {
	always := func(list []privileges.Condition) bool {
		return len(list) == 0 || slices.Contains(list, privileges.Always)
	}
	return always(have) || !always(want) &&
		!slices.ContainsFunc(want, func(c privileges.Condition) bool { return !slices.Contains(have, c) })
}

// both are the conditions of two lists; none are always.
func both(a, b []privileges.Condition) []privileges.Condition {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	return lists.AppendNew(slices.Clone(a), b...)
}

// An entry's reason begins with one of these, its source.
const (
	matrixHas   = "matrix "
	requestAsks = "CredentialsRequest "
)

// byHand ends the reason of an entry that --place has placed.
const byHand = "set with --place"

// anew reports whether an entry is placed again: its matrix is replaced.
func (o Options) anew(a privileges.Added) bool {
	return o.MatrixTo != nil && strings.HasPrefix(a.Reason, requestAsks) && !strings.HasSuffix(a.Reason, byHand)
}

// Together returns what a specification becomes for several releases, without prune: what any of
// them needs is added. releases are Options of one specification; a privilege is noted for the
// first one. whole has Unneeded and Undoes of every release; each has those of one alone, in order.
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
		whole.Write.Added, whole.Write.Name = with.Write.Added,
			lists.AppendNew(whole.Write.Name, with.Write.Name...)
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
		whole.Undoes = slices.DeleteFunc(slices.Clone(whole.Undoes),
			func(v string) bool { return !slices.Contains(r.Undoes, v) })
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
			left.Privileges = lists.AppendNew(left.Privileges,
				lists.Without(u.Privileges, lists.Without(u.Privileges, v.Privileges))...)
		}
		if there || len(left.Privileges) > 0 {
			all = append(all, left)
		}
	}
	return all
}
