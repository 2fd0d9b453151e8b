package reconcile

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// gather adds an entry with one privilege to the one that it fits into, or as one of its own.
func gather(all []privileges.Added, a privileges.Added) []privileges.Added {
	for i, have := range all {
		if have.Component == a.Component && have.Scope == a.Scope && have.Propagate == a.Propagate && slices.Equal(have.Conditions, a.Conditions) &&
			have.Release == a.Release && have.Reason == a.Reason {
			if !slices.Contains(have.Privileges, a.Privileges[0]) {
				all[i].Privileges = append(all[i].Privileges, a.Privileges[0])
			}
			return all
		}
	}
	return append(all, a)
}

// combine adds to the entries that are kept what the release needs and neither they nor the matrix give it. A privilege stands
// only once at a place: one that is kept there under other conditions moves into the new entry, with both. fresh are the
// new entries alone.
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
					if have.Component != a.Component || have.Scope != a.Scope || have.Propagate != a.Propagate || !slices.Contains(have.Privileges, id) {
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

// satisfied reports whether an entry that is kept gives a privilege that a request asks for, at whatever scope somebody has placed it.
func (o Options) satisfied(kept []privileges.Added, a privileges.Added) bool {
	if strings.HasPrefix(a.Reason, matrixHas) || o.anew(a) {
		return false
	}
	var there []privileges.Added
	for _, have := range kept {
		if have.Component == a.Component && slices.Contains(have.Privileges, a.Privileges[0]) && (have.Scope == a.Scope || len(o.Place[a.Privileges[0]]) == 0) {
			if covers(have.Conditions, a.Conditions) {
				return true
			}
			there = append(there, have)
		}
	}
	return (&privileges.Matrix{}).With(there).HasAt(a.Component, a.Privileges[0], o.where())
}

// where are the conditions that hold in each failure domain. Where the specification has none, it may be any topology.
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
		return r.Component == a.Component && r.Scope == a.Scope && r.Propagate == a.Propagate && r.Privilege == a.Privileges[0] && !r.Unknown &&
			covers(r.Conditions, a.Conditions)
	})
}

// covers reports whether one list of conditions holds wherever another does. None are always.
func covers(have, want []privileges.Condition) bool {
	always := func(list []privileges.Condition) bool {
		return len(list) == 0 || slices.Contains(list, privileges.Always)
	}
	return always(have) || !always(want) && !slices.ContainsFunc(want, func(c privileges.Condition) bool { return !slices.Contains(have, c) })
}

// both are the conditions of two lists; none are always.
func both(a, b []privileges.Condition) []privileges.Condition {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	all := slices.Clone(a)
	for _, c := range b {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Each entry that a reconciliation writes has a reason that begins with one of these: what it comes from.
const (
	matrixHas   = "matrix "
	requestAsks = "CredentialsRequest "
)

// byHand ends the reason of an entry that --place has placed.
const byHand = "set with --place"

// anew reports whether an entry is placed again: a matrix placed it, and another one takes its place.
func (o Options) anew(a privileges.Added) bool {
	return o.MatrixTo != nil && strings.HasPrefix(a.Reason, requestAsks) && !strings.HasSuffix(a.Reason, byHand)
}
