package privileges

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Gap is something that a component cannot do with a matrix, in some kinds of failure domain.
type Gap struct {
	Duty    *Duty
	Ask     Ask       // of the duty
	When    Condition // of the duty, under which it is a gap; "" = the duty has none
	Missing []string  // privileges on an object of Ask.Scope
	Hidden  string    // the kind of object that it does not see, where nothing is missing
	In      []map[Condition]bool
}

// Same reports whether two are one, of different kinds of failure domains.
func (g *Gap) Same(other *Gap) bool {
	return g.Duty == other.Duty && g.When == other.When && g.Hidden == other.Hidden &&
		g.Ask.Scope == other.Ask.Scope &&
		slices.Equal(g.Ask.Calls, other.Ask.Calls) && slices.Equal(g.Missing, other.Missing)
}

// Call is what is refused: calls to the vCenter, or that an object is found or read.
func (g *Gap) Call() string {
	switch {
	case len(g.Ask.Calls) > 0:
		return strings.Join(g.Ask.Calls, ", ")
	case g.Ask.Find:
		return "look-up by path"
	}
	return "read of properties"
}

// Why is what is missing, and where.
func (g *Gap) Why() string {
	if g.Hidden != "" {
		return "it does not see the " + g.Hidden
	}
	return strings.Join(g.Missing, ", ") + " on " + string(g.Ask.Scope)
}

// Where lists the conditions that the failure domains of a gap share; "everywhere" if in all.
func (g *Gap) Where() string {
	has := func(conditions ...Condition) bool {
		hit := 0
		for _, one := range Topologies() {
			if !slices.ContainsFunc(conditions, func(c Condition) bool { return !one[c] }) {
				hit++
			}
		}
		return hit == len(g.In) && !slices.ContainsFunc(g.In, func(one map[Condition]bool) bool {
			return slices.ContainsFunc(conditions, func(c Condition) bool { return !one[c] })
		})
	}
	if has() {
		return "everywhere"
	}
	var of []Condition
	for _, c := range Conditions() {
		if c.Topology() {
			of = append(of, c)
		}
	}
	for i, a := range of {
		if has(a) {
			return string(a)
		}
		for _, b := range of[i+1:] {
			if has(a, b) {
				return string(a) + " and " + string(b)
			}
		}
	}
	var all []string
	for _, one := range g.In {
		var names []string
		for _, c := range of {
			if one[c] {
				names = append(names, string(c))
			}
		}
		all = append(all, strings.Join(names, " and "))
	}
	return strings.Join(all, "; ")
}

// GapRow are gaps of a component with one cause.
type GapRow struct {
	*Gap          // the first
	Does []string // the names of all
}

// GapRows groups gaps by component and cause, in the order of components.
func GapRows(gaps []*Gap) (rows []GapRow) {
	for _, c := range component.Names() {
		for _, g := range gaps {
			if g.Duty.Component != c {
				continue
			}
			i := slices.IndexFunc(rows, func(r GapRow) bool {
				return r.Duty.Component == c && r.Duty.Reports == g.Duty.Reports && r.When == g.When &&
					r.Call() == g.Call() && r.Why() == g.Why() && r.Where() == g.Where()
			})
			if i < 0 {
				rows = append(rows, GapRow{g, []string{g.Duty.Name}})
				continue
			}
			rows[i].Does = append(rows[i].Does, g.Duty.Name)
		}
	}
	return rows
}
