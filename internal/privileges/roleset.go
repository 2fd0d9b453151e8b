package privileges

import (
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Layouts of roles: one per component and object, or one per component.
const (
	LayoutScope     = "scope"
	LayoutComponent = "component"
)

// ScopeTemplate names the role on the folder of a template that stands outside the folder for virtual machines. No matrix has
// it: what stands there are the Cloning privileges of the scope folder.
const ScopeTemplate Scope = "template"

// Cloning returns what a clone needs on its template. Source: vSphere Web Services API, CloneVM_Task.
func Cloning() []string {
	return []string{"VirtualMachine.Provisioning.Clone", "VirtualMachine.Provisioning.DeployTemplate"}
}

// RoleSetOptions describe one failure domain as far as roles depend on it.
type RoleSetOptions struct {
	Components []component.Name   // empty = those of the matrix
	Holds      map[Condition]bool // FolderExisting, PoolExisting and HostGroup say how the failure domain looks; the rest as in Grants
	Layout     string             // LayoutScope (also "") or LayoutComponent
	Prefix     string             // of role names; it may be empty
	Known      []string           // privileges of the vCenter; nil = it knows all of them
	Template   bool               // a template stands outside the folder that FolderExisting speaks of
}

// RoleDef is one role as it has to be made.
type RoleDef struct {
	Name       string // see Sealed
	Base       string // see Matrix.Base
	Component  component.Name
	Variants   []string
	Scopes     []Scope  // what the role is for: it names them in LayoutScope; ScopeTemplate may be among them
	Propagate  bool     // whether a permission with this role propagates, on one object at least
	Privileges []string // sorted, without the implicit ones, never empty
	Rows       []Row    // all behind it, those that read only and those marked unknown included

	wanted []string // Privileges, and those that the vCenter does not know
}

// RoleSet gives the roles for one failure domain, ordered by component and from the root downwards. They have the names and
// privileges that a plan for it gives them (a test in internal/provision holds both together):
//
//   - without a resource pool its grants stand on the cluster, and one role serves both scopes;
//   - without a folder its grants stand on the datacenter and propagate;
//   - networks are port groups of a distributed switch, whose grants stand on the datacenter unless somebody made a folder for
//     networks; it matters only where a matrix grants more than reading there, which no embedded one does;
//   - what only reads is the system's ReadOnly and therefore no role, and neither is the matrix' rule for ancestors.
func (m *Matrix) RoleSet(o RoleSetOptions) []RoleDef {
	components := o.Components
	if len(components) == 0 {
		components = m.Components()
	}
	var out []RoleDef
	for _, c := range component.Names() {
		if slices.Contains(components, c) {
			out = append(out, m.rolesOf(c, o)...)
		}
	}
	return out
}

// object is what stands on one object of the failure domain, which its scope names.
type object struct {
	at         Scope
	naming     []Scope // of the grants: those that ask for more than reading
	variants   []string
	privileges []string
	rows       []Row
	propagate  bool
	reach      []string // of privileges: those that propagate
	stays      []string // those that do not
}

// rolesOf gives the roles of one component.
func (m *Matrix) rolesOf(c component.Name, o RoleSetOptions) []RoleDef {
	var out []RoleDef
	for _, ob := range m.objects(c, o) {
		if len(ob.privileges) == 0 {
			continue // it only reads
		}
		sent := known(ob.privileges, o.Known)
		base := m.Base(RoleName{Prefix: o.Prefix, Layout: o.Layout, Components: []component.Name{c}, Scopes: ob.naming, Variants: ob.variants})
		if i := len(out) - 1; i >= 0 && out[i].Base == base { // LayoutComponent: all of them are one
			def := &out[i]
			def.Privileges = Strip(append(def.Privileges, sent...))
			def.wanted = Strip(append(def.wanted, ob.privileges...))
			def.Propagate = def.Propagate || ob.propagate
			def.Rows = append(def.Rows, ob.rows...)
			for _, s := range ob.naming {
				def.Scopes = appendNew(def.Scopes, s)
			}
			continue
		}
		out = append(out, RoleDef{
			Base: base, Component: c, Variants: ob.variants, Scopes: ob.naming, Propagate: ob.propagate, Privileges: Strip(sent), Rows: slices.Clone(ob.rows),
			wanted: slices.Clone(ob.privileges),
		})
	}
	out = slices.DeleteFunc(out, func(d RoleDef) bool { return len(d.Privileges) == 0 })
	for i := range out {
		out[i].Name = Sealed(out[i].Base, "", out[i].wanted)
	}
	return out
}

// objects puts the grants of a component where they can stand.
func (m *Matrix) objects(c component.Name, o RoleSetOptions) []*object {
	holds := topologyOf(o.Holds)
	var all []*object
	for _, g := range m.Grants(c, holds) {
		if len(g.Privileges) == 0 {
			continue
		}
		at, propagate := g.Scope, g.Propagate
		switch {
		case g.Scope == ScopeResourcePool && !holds[PoolExisting]:
			at = ScopeCluster
		case g.Scope == ScopeFolder && !holds[FolderExisting], g.Scope == ScopeSwitch:
			at, propagate = ScopeDatacenter, true
		}
		all = put(all, at, g, propagate, holds[HostGroup])
		if g.Scope == ScopeFolder && holds[FolderExisting] && o.Template {
			if t := cloning(g); len(t.Privileges) > 0 {
				all = put(all, ScopeTemplate, t, true, false)
			}
		}
	}
	settlePropagation(all)
	order := append(Scopes(), ScopeTemplate)
	slices.SortStableFunc(all, func(a, b *object) int { return slices.Index(order, a.at) - slices.Index(order, b.at) })
	return all
}

// topologyOf makes the conditions of folder and pool exclude each other, as those of a failure domain do.
func topologyOf(holds map[Condition]bool) map[Condition]bool {
	out := map[Condition]bool{}
	maps.Copy(out, holds)
	out[FolderCreated], out[PoolRoot] = !out[FolderExisting], !out[PoolExisting]
	return out
}

// cloning is what of a folder's grant has to stand on a template elsewhere.
func cloning(g Grant) Grant {
	t := Grant{Component: g.Component, Scope: ScopeTemplate, Propagate: true}
	for _, r := range g.Rows {
		if slices.Contains(Cloning(), r.Privilege) && !r.Unknown {
			t.Privileges, t.Rows = append(t.Privileges, r.Privilege), append(t.Rows, r)
		}
	}
	return t
}

func put(all []*object, at Scope, g Grant, propagate, hostGroup bool) []*object {
	i := slices.IndexFunc(all, func(ob *object) bool { return ob.at == at })
	if i < 0 {
		i = len(all)
		all = append(all, &object{at: at})
	}
	ob, ids := all[i], Strip(g.Privileges)
	if len(ids) > 0 {
		ob.naming = appendNew(ob.naming, g.Scope)
	}
	ob.privileges = Strip(append(ob.privileges, ids...))
	ob.rows = append(ob.rows, g.Rows...)
	ob.propagate = ob.propagate || propagate
	if propagate {
		ob.reach = append(ob.reach, ids...)
	} else {
		ob.stays = append(ob.stays, ids...)
	}
	for _, r := range g.Rows {
		if hostGroup && slices.Contains(r.Conditions, HostGroup) && !slices.Contains(r.Conditions, Always) {
			ob.variants = appendNew(ob.variants, string(HostGroup))
		}
	}
	return all
}

// settlePropagation: an object carries one permission of an account. Where only reading would propagate, and something above
// hands that down anyway, nothing propagates.
func settlePropagation(all []*object) {
	above := map[Scope][]Scope{
		ScopeVCenter:      nil,
		ScopeDatacenter:   {ScopeVCenter},
		ScopeResourcePool: {ScopeCluster, ScopeDatacenter, ScopeVCenter},
	}
	for _, ob := range all {
		parents, ok := above[ob.at]
		if !ok {
			parents = []Scope{ScopeDatacenter, ScopeVCenter}
		}
		handedDown := slices.ContainsFunc(all, func(up *object) bool { return up.propagate && slices.Contains(parents, up.at) })
		if ob.propagate && len(ob.stays) > 0 && len(ob.reach) == 0 && handedDown {
			ob.propagate = false
		}
	}
}

// known leaves out what a vCenter does not know; a nil catalogue knows everything.
func known(ids, catalogue []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return catalogue != nil && !slices.Contains(catalogue, id) })
}

func appendNew[T comparable](all []T, v T) []T {
	if slices.Contains(all, v) {
		return all
	}
	return append(all, v)
}
