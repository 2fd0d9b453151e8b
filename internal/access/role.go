package access

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Naming says what roles are called.
type Naming struct {
	Matrix  *privileges.Matrix
	Prefix  string
	Layout  string // privileges.LayoutScope (also "") or LayoutComponent
	Cluster string // owner of the roles for adopted accounts
}

// Know limits roles to the privileges that a vCenter knows; nil knows all. It returns the others,
// each with the components that lack it.
func (w *Wanted) Know(catalogue []string) map[string][]component.Name {
	unknown := map[string][]component.Name{}
	for _, p := range w.All {
		p.Asked, p.Holds = slices.Clone(p.Privileges), nil
		for _, id := range p.Privileges {
			if _, ok := slices.BinarySearch(catalogue, id); ok || catalogue == nil {
				p.Holds = append(p.Holds, id)
				continue
			}
			for _, c := range p.Components {
				unknown[id] = lists.AppendNew(unknown[id], c)
			}
		}
	}
	return unknown
}

// Name gives every permission its role: the system's ReadOnly for reading accounts of ours, else
// one named after component, scope and wanted privileges (openshift-csi-driver-datastore-3f9a1c).
// Names depend on their failure domain only, so that adding one renames nothing. In the component
// layout a role holds what its component needs anywhere, with the excess on each object.
func (w *Wanted) Name(n Naming) {
	if n.Layout == privileges.LayoutComponent {
		w.unite(n)
	}
	for _, p := range w.All {
		if len(p.Holds) == 0 && !p.Account.Adopted {
			p.Role = privileges.ReadOnly
		} else {
			p.Role = privileges.Sealed(n.base(p), n.owner(p), p.Asked)
		}
		p.explain()
	}
}

// explain says where one permission serves several needs.
func (p *Permission) explain() {
	if slices.Contains(p.Scopes, privileges.ScopeSwitch) {
		p.note("propagates, to cover the distributed switch")
	}
	if len(p.Further) > 0 {
		p.note("propagates for other grants here, so " + strings.Join(p.Further, ", ") + " reaches further than needed")
	}
	if len(p.Naming) > 1 {
		words := component.Words(p.Naming)
		last := len(words) - 1
		p.note(strings.Join(words[:last], ", ") + " and " + words[last] + " privileges share one permission")
	}
	if len(p.Components) > 1 {
		p.note(fmt.Sprintf("one permission for %d components that share the account", len(p.Components)))
	}
}

func (p *Permission) note(text string) { p.Notes = lists.AppendNew(p.Notes, text) }

// base is a permission's role name without digest. An adopted account's role names its cluster,
// because nothing else tells whose the permission is.
func (n Naming) base(p *Permission) string {
	name := privileges.RoleName{
		Prefix: n.Prefix, Cluster: n.owner(p), Layout: n.Layout, Components: p.Components, Scopes: p.Naming, Variants: p.Variants,
	}
	if len(p.Holds) == 0 { // also where everything was unknown to the vCenter
		name.Scopes, name.Variants = nil, nil
	}
	return n.Matrix.Base(name)
}

func (n Naming) owner(p *Permission) string {
	if p.Account.Adopted {
		return n.Cluster
	}
	return ""
}

// unite gives each permission of the component layout what its role holds anywhere.
func (w *Wanted) unite(n Naming) {
	holds, asked := map[string][]string{}, map[string][]string{}
	for _, p := range w.All {
		if base := n.base(p); len(p.Holds) > 0 {
			holds[base], asked[base] = privileges.Strip(append(holds[base], p.Holds...)),
				privileges.Strip(append(asked[base], p.Asked...))
		}
	}
	for _, p := range w.All {
		if len(p.Holds) == 0 {
			continue
		}
		base := n.base(p)
		if more := len(holds[base]) - len(p.Holds); more > 0 {
			p.note(term.Count(more, "privilege") + " more than needed here")
		}
		p.Holds, p.Asked = holds[base], asked[base]
	}
}

// RoleSet are the roles for an assumed failure domain, as [Wanted.Roles] has them: those of
// [Permissions] in an inventory of its own, with port groups of a distributed switch as networks.
func RoleSet(m *privileges.Matrix, o privileges.RoleSetOptions) []privileges.RoleDef {
	components := o.Components
	if len(components) == 0 {
		components = m.Components()
	}
	var accounts []Account
	for _, c := range component.Names() {
		if slices.Contains(components, c) {
			accounts = append(accounts, Account{Component: c, Key: string(c)})
		}
	}
	domains := []Domain{Assumed(o)}
	w := Permissions(Bind(m, accounts, domains))
	w.Know(o.Known)
	w.Name(Naming{Matrix: m, Prefix: o.Prefix, Layout: o.Layout})
	return w.Roles(domains)
}

// Roles are those of the permissions, by component and from the root down. They exclude the
// system's ReadOnly.
func (w *Wanted) Roles(domains []Domain) (all []privileges.RoleDef) {
	first := func(p *Permission) int {
		return slices.IndexFunc(privileges.Scopes(), func(s privileges.Scope) bool {
			return slices.ContainsFunc(domains, func(d Domain) bool { return slices.Contains(d.places(s), p.At) })
		})
	}
	ours := slices.DeleteFunc(slices.Clone(w.All), func(p *Permission) bool { return p.Role == privileges.ReadOnly })
	slices.SortStableFunc(ours, func(a, b *Permission) int {
		of := func(p *Permission) int { return slices.Index(component.Names(), p.Account.Component) }
		return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(uint(first(a)), uint(first(b)))) // those of none last
	})
	for _, p := range ours {
		all = merge(all, p)
	}
	return all
}

// merge adds the role of a permission to those before it, where it is another one.
func merge(all []privileges.RoleDef, p *Permission) []privileges.RoleDef {
	d := privileges.RoleDef{
		Name: p.Role, Component: p.Account.Component, Variants: p.Variants, Scopes: slices.Clone(p.Naming),
		Propagate: p.Propagate, Privileges: p.Holds,
	}
	if len(p.Holds) == 0 { // of an adopted account that only reads here
		d.Scopes, d.Privileges = slices.Clone(p.Scopes), []string{"System.Read"}
	}
	for _, n := range p.Needs {
		d.Rows = append(d.Rows, *n.Row)
	}
	return Unite(all, d)
}

// Unite adds roles to others, each once by its name.
func Unite(all []privileges.RoleDef, more ...privileges.RoleDef) []privileges.RoleDef {
	for _, d := range more {
		i := slices.IndexFunc(all, func(had privileges.RoleDef) bool { return had.Name == d.Name })
		if i < 0 {
			all = append(all, d)
			continue
		}
		to := &all[i]
		to.Propagate = to.Propagate || d.Propagate
		to.Scopes = lists.AppendNew(to.Scopes, d.Scopes...)
		to.Rows = append(to.Rows, d.Rows...)
	}
	return all
}
