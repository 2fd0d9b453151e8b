package privileges

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// EvidenceRelease is that of a row which a release asks for, in its CredentialsRequests.
const EvidenceRelease = "release"

// Added is what a release needs beyond a matrix, as a specification keeps it and views show it.
type Added struct {
	Component component.Name `json:"component" yaml:"component"`
	Scope     Scope          `json:"scope" yaml:"scope"`
	Propagate bool           `json:"propagate" yaml:"propagate,omitempty"`
	// none = always
	Conditions []Condition `json:"conditions,omitempty" yaml:"conditions,flow,omitempty"`
	Privileges []string    `json:"privileges" yaml:"privileges,flow"`
	// the version that asks for it; "" = unknown
	Release string `json:"release,omitempty" yaml:"release,omitempty"`
	Reason  string `json:"reason" yaml:"reason,omitempty"`
}

// Others are the entries of a list that another one does not have.
func Others(list, than []Added) []Added {
	return slices.DeleteFunc(slices.Clone(list), func(a Added) bool {
		return slices.ContainsFunc(than, func(b Added) bool { return reflect.DeepEqual(a, b) })
	})
}

// With returns a copy of the matrix with a row for each added privilege. One that a row already
// grants with the same propagation holds under the conditions of both.
func (m *Matrix) With(added []Added) *Matrix {
	if m == nil || len(added) == 0 {
		return m
	}
	with := *m
	with.Rows = slices.Clone(m.Rows)
	for _, a := range added {
		for _, id := range a.Privileges {
			with.add(a.row(id))
		}
	}
	slices.SortStableFunc(with.Rows, func(a, b Row) int {
		return cmp.Compare(slices.Index(component.Names(), a.Component),
			slices.Index(component.Names(), b.Component))
	})
	return &with
}

func (a Added) row(id string) Row {
	r := Row{
		Component: a.Component, Scope: a.Scope, Propagate: a.Propagate, Privilege: id, Conditions: a.Conditions,
		Evidence: EvidenceRelease, Added: true, Why: a.Reason, Source: "privileges.added of the specification",
	}
	if len(r.Conditions) == 0 {
		r.Conditions = []Condition{Always}
	}
	if a.Release != "" {
		r.Source = fmt.Sprintf("release %s, %s", a.Release, r.Source)
	}
	r.Why = cmp.Or(r.Why, "a release requires it")
	return r
}

// add puts in a row, or lets the one that is there hold under its conditions, too.
func (m *Matrix) add(r Row) {
	i := slices.IndexFunc(m.Rows, func(have Row) bool {
		return have.Component == r.Component && have.Scope == r.Scope && have.Propagate == r.Propagate &&
			have.Privilege == r.Privilege
	})
	switch {
	case i < 0:
		m.Rows = append(m.Rows, r)
	case m.Rows[i].Unknown:
		m.Rows[i] = r
	default:
		have := &m.Rows[i]
		both := unite(have.Conditions, r.Conditions)
		if !sameSet(both, have.Conditions) {
			if !have.Added {
				have.Added, have.Own = true, have.Conditions
			}
			have.Conditions, have.GrantConditions = both, nil
			have.Why, have.Source = have.Why+"; "+r.Why, have.Source+"; "+r.Source
		}
	}
}

// unite gives the conditions of both: always makes the others pointless.
func unite(a, b []Condition) []Condition {
	both := slices.Clone(a)
	for _, c := range b {
		if !slices.Contains(both, c) {
			both = append(both, c)
		}
	}
	if slices.Contains(both, Always) {
		return []Condition{Always}
	}
	return both
}

// CheckID refuses what cannot be the id of a privilege in any catalogue, before it is sent or
// printed.
func CheckID(id string) error {
	if id == "" {
		return fmt.Errorf("a privilege is empty")
	}
	for _, c := range id {
		if c != '.' && c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') &&
			(c < 'a' || c > 'z') {
			return fmt.Errorf("privilege %q has the character %q: an id consists of letters, digits and dots", id, c)
		}
	}
	return nil
}
