package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// expectation is what a component must be able to do on one object. scope is "" where nothing is expected or compared.
type expectation struct {
	scope   string
	need    []string
	allowed []string // besides: what it has here from a grant further up, or under another topology
}

// expectation gives one per object. With failure domains it is what they need there, and what the permissions for that give
// besides; without, what the matrix
// gives at the scope of the object's type. Whoever shares the account is expected with it.
func (s *target) expectation(c inspect.CheckQuery, objects []*inventory.Object) ([]expectation, error) {
	all := make([]expectation, len(objects))
	if c.Component == "" {
		return all, nil
	}
	if len(s.VCenter.FailureDomains) > 0 {
		d, err := s.Desired()
		if err != nil {
			return nil, err
		}
		who := s.Subject(s.Holder(c.Component), nil)
		for i, o := range objects {
			all[i] = expectation{scope: "provisioning file", need: d.Needed(who, o), allowed: d.Granted(who, o)}
			if scopes := d.ScopesAt(who.Key, o); len(scopes) > 0 {
				all[i].scope = strings.Join(component.Words(scopes), "+")
			}
		}
		return all, nil
	}
	for i, o := range objects {
		scope := c.Scope
		if scope == "" {
			if scope = scopeOf(o); scope == "" {
				return nil, hint.Errorf("set --scope to one of: "+strings.Join(component.Words(privileges.Scopes()), "|"),
					"%s: the matrix has no scope for %s, a %s", s.VCenter.Server, o.Path(), o.Ref.Type)
			}
		}
		all[i] = s.atScope(c, scope)
	}
	return all, nil
}

// atScope is what the role of a scope holds in the assumed topology, as far as the vCenter knows it. The object corrects
// the assumption: whoever names a folder or a pool has one. What another topology gives is allowed and not needed.
func (s *target) atScope(c inspect.CheckQuery, scope privileges.Scope) expectation {
	holds := s.Request.Spec.Conditions(c.Topology)
	switch scope {
	case privileges.ScopeFolder:
		holds[privileges.FolderExisting], holds[privileges.FolderCreated] = true, false
	case privileges.ScopeResourcePool:
		holds[privileges.PoolExisting], holds[privileges.PoolRoot] = true, false
	}
	e := expectation{scope: string(scope), allowed: privileges.ImplicitIDs()}
	for _, def := range access.RoleSet(s.Request.Matrix, privileges.RoleSetOptions{
		Components: []component.Name{c.Component}, Holds: holds, Known: s.Roles.Catalogue(),
	}) {
		if slices.Contains(def.Scopes, scope) {
			e.need = lists.Union(e.need, lists.Union(privileges.ImplicitIDs(), def.Privileges))
		}
	}
	for _, condition := range privileges.Conditions() {
		if condition.Topology() {
			holds[condition] = true
		}
	}
	for _, g := range s.Request.Matrix.Grants(c.Component, holds) {
		if g.Scope == scope || g.Propagate {
			e.allowed = lists.Union(e.allowed, g.Privileges)
		}
	}
	return e
}

// scopeOf is the scope whose grants usually stand on objects like this one, or reach them.
func scopeOf(o *inventory.Object) privileges.Scope {
	if o.Ref.Type != "Folder" {
		return privileges.ScopeOfType(o.Ref.Type)
	}
	above := o.Ancestors()
	if len(above) == 0 {
		return privileges.ScopeVCenter
	}
	for i, a := range above {
		if a.Ref.Type == "Datacenter" && (i == 0 && o.Name == "vm" || i > 0 && above[i-1].Name == "vm") {
			return privileges.ScopeFolder
		}
	}
	return ""
}
