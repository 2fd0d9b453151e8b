package vcsim

import (
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/automation"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// globalObject carries the global permissions (R46). It is above the root folder, and above tags and libraries, and the inventory
// does not have it. The name is that of the REST API.
var globalObject = automation.GlobalObject

// GlobalPath is where [Permission] has a global permission.
const GlobalPath = "global"

// startGlobal gives a vCenter the global permissions that it starts with.
func (st *authzState) startGlobal(administrators []directory.Principal) {
	for _, p := range administrators {
		st.set(globalObject, grant{key: p.Key(), principal: p, role: adminRole, propagate: true})
	}
}

// above is the place of an object with the global permissions above the root folder.
func (e *evaluator) above(ref moref) (place, bool) {
	if ref == e.root {
		return place{parents: []moref{globalObject}}, true
	}
	return e.tree.place(ref)
}

// inventoried are the entities that carry permissions, without what is above the inventory.
func (st *authzState) inventoried() []moref {
	return slices.DeleteFunc(st.entities(), func(ref moref) bool { return ref == globalObject })
}

// listed are the permissions of an entity as its lists show them. Global ones that propagate look like those of the root folder,
// unless their principal has one there (R46).
func (a *authorization) listed(st *authzState, ref moref, propagating bool) []types.Permission {
	out := st.vim(ref, propagating)
	if ref != a.root {
		return out
	}
	for _, g := range st.grants[globalObject] {
		if _, own := st.get(a.root, g.key); g.propagate && !own {
			out = append(out, g.vim(a.root))
		}
	}
	return out
}

// shareGlobal gives linked vCenters each other's global permissions (R40). One with a role that another does not have, by its name,
// is none there.
func shareGlobal(all []*VCenter) error {
	for _, v := range all {
		st := v.authz.current()
		for _, g := range st.grants[globalObject] {
			for _, other := range all {
				if _, there := other.authz.current().get(globalObject, g.key); there {
					continue
				}
				if err := other.authz.grantGlobally(g, st.roles[g.role].name); err != nil {
					return fmt.Errorf("global permission of %s on %s: %w", g.principal, other.Server(), err)
				}
			}
		}
	}
	return nil
}

// grantGlobally gives a principal a global permission, where there is the role.
func (a *authorization) grantGlobally(g grant, role string) error {
	return faultError(a.change(func(st *authzState) types.BaseMethodFault {
		for id, r := range st.roles {
			if r.name == role {
				g.role = id
				st.set(globalObject, g)
			}
		}
		return nil
	}))
}

// GrantGlobally gives a principal a global permission here and on the vCenters that are linked with this one, as an administrator does
// in the vSphere Client. The path of p does not matter.
func (v *VCenter) GrantGlobally(p Permission) error {
	p.Path = GlobalPath
	ids := map[string]int32{}
	for _, r := range v.authz.roleList() {
		ids[r.Name] = r.RoleId
	}
	if err := v.permit(p, ids); err != nil {
		return fmt.Errorf("%s: global permission of %s: %w", v.Server(), p.Principal, err)
	}
	return shareGlobal(append([]*VCenter{v}, v.linked...))
}

// Permissions are all that there are, for the REST API.
func (i restInventory) Permissions() []automation.Permission {
	var out []automation.Permission
	st := i.current()
	for _, ref := range st.entities() {
		for _, g := range st.grants[ref] {
			out = append(out, automation.Permission{Object: ref, Principal: g.principal, Role: g.role, Propagating: g.propagate})
		}
	}
	return out
}
