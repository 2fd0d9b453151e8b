package privileges

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Scope is a kind of vCenter object that a grant is for. Some objects carry no permission of their
// own: a root resource pool takes that of its cluster, a switch that of its datacenter or network
// folder. A grant keeps its scope; the caller chooses the parent.
type Scope string

// The scopes. ScopeVCenter is the root folder, which also decides about tags, sessions, storage
// policies and CNS volumes. ScopeFolder holds virtual machines, ScopeSwitch is a distributed
// switch.
const (
	ScopeVCenter      Scope = "vcenter"
	ScopeDatacenter   Scope = "datacenter"
	ScopeCluster      Scope = "cluster"
	ScopeResourcePool Scope = "resource-pool"
	ScopeFolder       Scope = "folder"
	ScopeDatastore    Scope = "datastore"
	ScopeNetwork      Scope = "network"
	ScopeSwitch       Scope = "switch"
)

// Scopes returns all scopes in the order in which they are shown, from the root downwards.
func Scopes() []Scope {
	return []Scope{
		ScopeVCenter, ScopeDatacenter, ScopeCluster, ScopeResourcePool,
		ScopeFolder, ScopeDatastore, ScopeNetwork, ScopeSwitch,
	}
}

// Grant is what one component needs at one scope, with one propagation.
//
// Privileges are sorted and contain the implicit ids that rows list; they are empty if every row is
// marked unknown. A component may have two grants at one scope, which propagate and do not: an
// object carries one permission of an account, so the caller unites them.
type Grant struct {
	Component  component.Name
	Scope      Scope
	Propagate  bool
	Privileges []string
	Rows       []*Row // of the matrix: those behind Privileges, and the unknown ones
}

// Grants returns what a component needs under the given conditions, in the order of Scopes, not
// propagating first. Always is implied, and so is ManagedStorageClass unless holds has it as false.
//
// GrantConditions are ignored: a row that cannot be set on its object (the root pool of a cluster,
// a folder yet to be made) keeps its scope, and the caller puts it on the parent.
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

// Holds reports whether one of the row's conditions holds; two are implied, as in Grants.
func (r Row) Holds(holds map[Condition]bool) bool { return anyHolds(r.Conditions, holds) }

// OfMoveFolder reports whether the row is about the folder that a move makes, not the named one.
func (r Row) OfMoveFolder() bool {
	return r.Scope == ScopeFolder && slices.Equal(r.Conditions, []Condition{VCFMigration})
}

// AddedTo reports whether the row holds only because a release requires it.
func (r Row) AddedTo(holds map[Condition]bool) bool { return r.Added && !anyHolds(r.Own, holds) }

// Holds reports whether the installer checks the group where the given conditions hold.
func (p PreflightGroup) Holds(holds map[Condition]bool) bool { return anyHolds(p.Conditions, holds) }

func anyHolds(list []Condition, holds map[Condition]bool) bool {
	return slices.ContainsFunc(list, func(c Condition) bool {
		on, said := holds[c]
		return on || c == Always || c == ManagedStorageClass && !said
	})
}
