package privileges

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Grant is what one component needs at one scope, to be set with one propagation.
//
// Privileges are sorted and hold the implicit ids (System.Read) where rows list them; they are what can be sent. They are empty
// when every row is marked unknown: nothing is granted then. A component may have two grants at one scope, one that
// propagates and one that does not. An object carries one permission of an account, so whoever binds both to it has to unite them.
type Grant struct {
	Component  component.Name
	Scope      Scope
	Propagate  bool
	Privileges []string
	Rows       []*Row // of the matrix: those behind Privileges, and the unknown ones
}

// Grants returns what a component needs where the given conditions hold, in the order of Scopes, not propagating first. Always
// is implied, and so is ManagedStorageClass unless holds has it as false.
//
// GrantConditions do not matter here: a row that is needed but cannot be set on its object (the root pool of a cluster, a folder
// that does not exist yet) is returned under its own scope, and the caller puts it on the parent.
func (m *Matrix) Grants(c component.Name, holds map[Condition]bool) []Grant {
	var out []Grant
	for _, scope := range Scopes() {
		for _, propagate := range []bool{false, true} {
			g := Grant{Component: c, Scope: scope, Propagate: propagate}
			for i := range m.Rows {
				r := &m.Rows[i]
				if r.Component == c && r.Scope == scope && r.Propagate == propagate && r.Holds(holds) {
					g.Rows = append(g.Rows, r)
					if !r.Unknown {
						g.Privileges = append(g.Privileges, r.Privilege)
					}
				}
			}
			if len(g.Rows) > 0 {
				g.Privileges = sortedUnique(g.Privileges)
				out = append(out, g)
			}
		}
	}
	return out
}

// Holds reports whether at least one condition of the row holds, with the same two implied conditions as Grants.
func (r Row) Holds(holds map[Condition]bool) bool { return anyHolds(r.Conditions, holds) }

// AddedTo reports whether the row holds only because a release requires it: the matrix alone would not have it.
func (r Row) AddedTo(holds map[Condition]bool) bool { return r.Added && !anyHolds(r.Own, holds) }

// Holds reports whether the installer checks the group where the given conditions hold.
func (g PreflightGroup) Holds(holds map[Condition]bool) bool { return anyHolds(g.Conditions, holds) }

func anyHolds(list []Condition, holds map[Condition]bool) bool {
	return slices.ContainsFunc(list, func(c Condition) bool {
		on, said := holds[c]
		return on || c == Always || c == ManagedStorageClass && !said
	})
}
