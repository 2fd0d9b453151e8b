package privileges

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Difference is one row in which two matrices differ; evidence, why and source are not compared.
type Difference struct {
	Component component.Name
	Scope     Scope
	Privilege string
	A, B      *Row     // nil = that matrix has no such row
	Fields    []string // propagate, conditions, grant-conditions, unknown, if both have it
}

// AncestorDifference holds two different rules for ancestors. Nil means no rule.
type AncestorDifference struct{ A, B *AncestorRule }

// Diff compares what two matrices grant, sorted by component, scope and id. If a matrix has a row
// twice, propagating and not, rows are first paired by propagation. A propagating row covers one
// that is not, because an account has one permission on an object. Preflight groups grant nothing
// and are ignored.
func Diff(a, b *Matrix) ([]Difference, *AncestorDifference) {
	var out []Difference
	left, right := byPlace(a.Rows), byPlace(b.Rows)
	for place, rows := range left {
		out = append(out, pairUp(place, rows, right[place])...)
	}
	for place, rows := range right {
		if _, both := left[place]; !both {
			out = append(out, pairUp(place, nil, rows)...)
		}
	}
	slices.SortFunc(out, func(x, y Difference) int {
		return cmp.Or(
			cmp.Compare(slices.Index(component.Names(), x.Component), slices.Index(component.Names(), y.Component)),
			cmp.Compare(slices.Index(Scopes(), x.Scope), slices.Index(Scopes(), y.Scope)),
			cmp.Compare(x.Privilege, y.Privilege),
			cmp.Compare(strconv.FormatBool(x.row().Propagate), strconv.FormatBool(y.row().Propagate)),
		)
	})
	if sameRule(a.Ancestors, b.Ancestors) {
		return out, nil
	}
	return out, &AncestorDifference{a.Ancestors, b.Ancestors}
}

func (d Difference) row() *Row { return cmp.Or(d.A, d.B) }

type place struct {
	component component.Name
	scope     Scope
	privilege string
}

func byPlace(rows []Row) map[place][]*Row {
	out := map[place][]*Row{}
	for i := range rows {
		p := place{rows[i].Component, rows[i].Scope, rows[i].Privilege}
		out[p] = append(out[p], &rows[i])
	}
	return out
}

// pairUp pairs the rows of one place: first those of equal propagation, then the others.
func pairUp(p place, left, right []*Row) []Difference {
	var out []Difference
	inA, inB := notPropagating(left), notPropagating(right)
	add := func(a, b *Row, fields []string) {
		out = append(out, Difference{p.component, p.scope, p.privilege, a, b, fields})
	}
	pair := func(same func(a, b *Row) bool) {
		left = slices.DeleteFunc(slices.Clone(left), func(a *Row) bool {
			i := slices.IndexFunc(right, func(b *Row) bool { return same(a, b) })
			if i < 0 {
				return false
			}
			if fields := differing(a, right[i]); len(fields) > 0 {
				add(a, right[i], fields)
			}
			right = slices.Delete(slices.Clone(right), i, i+1)
			return true
		})
	}
	pair(func(a, b *Row) bool { return len(differing(a, b)) == 0 })
	pair(func(a, b *Row) bool { return a.Propagate == b.Propagate })
	pair(func(_, _ *Row) bool { return true })
	for _, a := range left {
		if a.Propagate && inB != nil {
			add(a, inB, differing(a, inB))
			continue
		}
		add(a, nil, nil)
	}
	for _, b := range right {
		if b.Propagate && inA != nil {
			add(inA, b, differing(inA, b))
			continue
		}
		add(nil, b, nil)
	}
	return out
}

// notPropagating is the first row that does not propagate, nil if none does not.
func notPropagating(rows []*Row) *Row {
	if i := slices.IndexFunc(rows, func(r *Row) bool { return !r.Propagate }); i >= 0 {
		return rows[i]
	}
	return nil
}

func differing(a, b *Row) []string {
	var fields []string
	if a.Propagate != b.Propagate {
		fields = append(fields, "propagate")
	}
	if !sameSet(a.Conditions, b.Conditions) {
		fields = append(fields, "conditions")
	}
	if !sameSet(a.GrantConditions, b.GrantConditions) {
		fields = append(fields, "grant-conditions")
	}
	if a.Unknown != b.Unknown {
		fields = append(fields, "unknown")
	}
	return fields
}

func sameRule(a, b *AncestorRule) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameSet(a.Components, b.Components) && sameSet(a.Privileges, b.Privileges)
}

func sameSet[T cmp.Ordered](a, b []T) bool {
	return slices.Equal(slices.Compact(slices.Sorted(slices.Values(a))),
		slices.Compact(slices.Sorted(slices.Values(b))))
}

// Say tells in words what differs; a and b are what the matrices are called.
func (d Difference) Say(a, b string) string {
	with := func(r *Row) string {
		text := "does not propagate"
		if r.Propagate {
			text = "propagates"
		}
		if len(r.Conditions) != 1 || r.Conditions[0] != Always {
			text += ", when " + strings.Join(component.Words(r.Conditions), " or ")
		}
		return text
	}
	switch {
	case d.A == nil:
		return "only in " + b + ": " + with(d.B)
	case d.B == nil:
		return "only in " + a + ": " + with(d.A)
	}
	var parts []string
	for _, f := range d.Fields {
		left, right := strconv.FormatBool(d.A.Propagate), strconv.FormatBool(d.B.Propagate)
		switch f {
		case "conditions":
			left, right = strings.Join(component.Words(d.A.Conditions), ","),
				strings.Join(component.Words(d.B.Conditions), ",")
		case "grant-conditions":
			left, right = strings.Join(component.Words(d.A.GrantConditions), ","),
				strings.Join(component.Words(d.B.GrantConditions), ",")
		case "unknown":
			left, right = strconv.FormatBool(d.A.Unknown), strconv.FormatBool(d.B.Unknown)
		}
		parts = append(parts, fmt.Sprintf("%s: %s in %s, %s in %s", f, cmp.Or(left, "none"), a, cmp.Or(right, "none"), b))
	}
	return strings.Join(parts, "; ")
}
