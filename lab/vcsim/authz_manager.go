package vcsim

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// authorizationManager is the SOAP face of authorization. Privileges on the object of a call are the request
// handler's business; here are the rules that depend on what the call wants (R1 to R20).
type authorizationManager struct {
	mo.AuthorizationManager
	a *authorization
}

// Get serves the properties: roles and privileges as they are now. The property collector asks for it.
func (m *authorizationManager) Get() mo.Reference {
	return &mo.AuthorizationManager{
		Self: m.Self, PrivilegeList: m.a.catalog.vim(), RoleList: m.a.roleList(),
		Description: *m.a.catalog.description,
	}
}

func (a *authorization) roleList() []types.AuthorizationRole {
	st := a.current()
	out := make([]types.AuthorizationRole, 0, len(st.order))
	for _, id := range st.order {
		out = append(out, st.roles[id].vim())
	}
	return out
}

// caller is whoever sent the request; nil for the in-memory client, which may do everything.
func (a *authorization) caller(ctx *simulator.Context) *access {
	if ctx.Session == nil || ctx.Session.UserName == "" {
		return nil
	}
	return a.evaluate(ctx, a.principal(ctx.Session.UserName, false))
}

func (m *authorizationManager) AddAuthorizationRole(ctx *simulator.Context, req *types.AddAuthorizationRole) soap.HasFault {
	body := &methods.AddAuthorizationRoleBody{}
	var id int32
	fault := m.change(ctx, func(st *authzState) (fault types.BaseMethodFault) {
		id, fault = st.addRole(m.a.catalog, req.Name, req.PrivIds)
		return fault
	})
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.AddAuthorizationRoleResponse{Returnval: id}
	return body
}

func (m *authorizationManager) UpdateAuthorizationRole(ctx *simulator.Context, req *types.UpdateAuthorizationRole) soap.HasFault {
	body := &methods.UpdateAuthorizationRoleBody{}
	x := m.a.caller(ctx)
	fault := m.change(ctx, func(st *authzState) types.BaseMethodFault {
		old := st.roles[req.RoleId]
		if fault := st.updateRole(m.a.catalog, req.RoleId, req.NewName, req.PrivIds); fault != nil || x == nil {
			return fault
		}
		return x.requireAll(m.a.root, changed(old, st.roles[req.RoleId])) // R10
	})
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.UpdateAuthorizationRoleResponse{}
	return body
}

func (m *authorizationManager) RemoveAuthorizationRole(ctx *simulator.Context, req *types.RemoveAuthorizationRole) soap.HasFault {
	body := &methods.RemoveAuthorizationRoleBody{}
	fault := m.change(ctx, func(st *authzState) types.BaseMethodFault { return st.removeRole(req.RoleId, req.FailIfUsed) })
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.RemoveAuthorizationRoleResponse{}
	return body
}

// MergePermissions moves all permissions from one role to another (R10).
func (m *authorizationManager) MergePermissions(ctx *simulator.Context, req *types.MergePermissions) soap.HasFault {
	body := &methods.MergePermissionsBody{}
	x := m.a.caller(ctx)
	fault := m.change(ctx, func(st *authzState) types.BaseMethodFault {
		if st.roles[req.SrcRoleId] == nil {
			return &types.NotFound{}
		}
		if fault := st.grantable(req.DstRoleId); fault != nil {
			return fault
		}
		for _, ref := range st.entities() {
			for _, g := range st.grants[ref] {
				if g.role != req.SrcRoleId {
					continue
				}
				if x != nil {
					if fault := x.requireAll(ref, changed(st.roles[g.role], st.roles[req.DstRoleId])); fault != nil {
						return fault
					}
				}
				g.role = req.DstRoleId
				st.set(ref, g)
			}
		}
		if !st.administered(m.a.root) {
			return &types.AuthMinimumAdminPermission{}
		}
		return nil
	})
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.MergePermissionsResponse{}
	return body
}

// changed are the privileges that one role has and the other has not. Nil roles have none.
func changed(a, b *role) []string {
	var out []string
	for _, pair := range [][2]*role{{a, b}, {b, a}} {
		if pair[0] == nil {
			continue
		}
		for _, id := range pair[0].list {
			if pair[1] == nil || !pair[1].has[id] {
				out = append(out, id)
			}
		}
	}
	return out
}
