package vcsim

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// RetrieveEntityPermissions adds what the entity inherits when asked to: the propagating rules of its
// ancestors, and all rules of the entity that it is one with (R20, R25).
func (m *authorizationManager) RetrieveEntityPermissions(ctx *simulator.Context, req *types.RetrieveEntityPermissions) soap.HasFault {
	body := &methods.RetrieveEntityPermissionsBody{}
	tree := inventory{ctx}
	n, ok := tree.place(req.Entity)
	if !ok {
		body.Fault_ = soapFault(&types.ManagedObjectNotFound{Obj: req.Entity})
		return body
	}
	st := m.a.current()
	out := m.a.listed(st, req.Entity, false)
	if req.Inherited {
		seen := map[moref]bool{req.Entity: true}
		queue := n.parents
		if n.complex {
			for _, parent := range n.parents {
				seen[parent] = true
				out = append(out, m.a.listed(st, parent, false)...)
				up, _ := tree.place(parent)
				queue = up.parents
			}
		}
		for len(queue) > 0 {
			ref := queue[0]
			queue = queue[1:]
			if seen[ref] {
				continue
			}
			seen[ref] = true
			out = append(out, m.a.listed(st, ref, true)...)
			up, _ := tree.place(ref)
			queue = append(queue, up.parents...)
		}
	}
	body.Res = &types.RetrieveEntityPermissionsResponse{Returnval: out}
	return body
}

// RetrieveAllPermissions lists the permissions on the objects that the caller sees (R20).
func (m *authorizationManager) RetrieveAllPermissions(ctx *simulator.Context, _ *types.RetrieveAllPermissions) soap.HasFault {
	return &methods.RetrieveAllPermissionsBody{Res: &types.RetrieveAllPermissionsResponse{
		Returnval: m.seen(ctx, func(types.Permission) bool { return true }),
	}}
}

// RetrieveRolePermissions lists where a role is used, as far as the caller sees (R20).
func (m *authorizationManager) RetrieveRolePermissions(ctx *simulator.Context, req *types.RetrieveRolePermissions) soap.HasFault {
	body := &methods.RetrieveRolePermissionsBody{}
	if m.a.current().roles[req.RoleId] == nil {
		body.Fault_ = soapFault(&types.NotFound{})
		return body
	}
	body.Res = &types.RetrieveRolePermissionsResponse{
		Returnval: m.seen(ctx, func(p types.Permission) bool { return p.RoleId == req.RoleId }),
	}
	return body
}

func (m *authorizationManager) seen(ctx *simulator.Context, keep func(types.Permission) bool) []types.Permission {
	x, st := m.a.caller(ctx), m.a.current()
	var out []types.Permission
	for _, ref := range st.inventoried() {
		if x != nil && !x.visible(ref) {
			continue
		}
		for _, p := range m.a.listed(st, ref, false) {
			if keep(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// vim are the permissions of one entity as the API shows them.
func (st *authzState) vim(ref moref, propagating bool) []types.Permission {
	var out []types.Permission
	for _, g := range st.grants[ref] {
		if g.propagate || !propagating {
			out = append(out, g.vim(ref))
		}
	}
	return out
}

func (g grant) vim(on moref) types.Permission {
	return types.Permission{
		Entity: &on, Principal: g.principal.String(), Group: g.principal.Group, RoleId: g.role, Propagate: g.propagate,
	}
}

// FetchUserPrivilegeOnEntities answers for a fully qualified name only; for a bare name vCenters were seen to
// answer wrongly (R29), so this one gives nothing.
func (m *authorizationManager) FetchUserPrivilegeOnEntities(ctx *simulator.Context, req *types.FetchUserPrivilegeOnEntities) soap.HasFault {
	if fault := m.gone(req.Entities...); fault != nil {
		return &methods.FetchUserPrivilegeOnEntitiesBody{Fault_: fault}
	}
	x := m.judge(ctx, req.UserName)
	var out []types.UserPrivilegeResult
	for _, ref := range req.Entities {
		result := types.UserPrivilegeResult{Entity: ref}
		if x != nil {
			held := x.rights(ref)
			for _, id := range m.a.catalog.ids {
				if held.has(id) {
					result.Privileges = append(result.Privileges, id)
				}
			}
		}
		out = append(out, result)
	}
	return &methods.FetchUserPrivilegeOnEntitiesBody{Res: &types.FetchUserPrivilegeOnEntitiesResponse{Returnval: out}}
}

// HasUserPrivilegeOnEntities says no to everything for an unknown or bare name (R30).
func (m *authorizationManager) HasUserPrivilegeOnEntities(ctx *simulator.Context, req *types.HasUserPrivilegeOnEntities) soap.HasFault {
	if fault := m.gone(req.Entities...); fault != nil {
		return &methods.HasUserPrivilegeOnEntitiesBody{Fault_: fault}
	}
	return &methods.HasUserPrivilegeOnEntitiesBody{Res: &types.HasUserPrivilegeOnEntitiesResponse{
		Returnval: availability(m.judge(ctx, req.UserName), req.Entities, req.PrivId),
	}}
}

// HasPrivilegeOnEntities answers for the owner of a session; for an unknown session everything is no (R31).
func (m *authorizationManager) HasPrivilegeOnEntities(ctx *simulator.Context, req *types.HasPrivilegeOnEntities) soap.HasFault {
	if fault := m.gone(req.Entity...); fault != nil {
		return &methods.HasPrivilegeOnEntitiesBody{Fault_: fault}
	}
	return &methods.HasPrivilegeOnEntitiesBody{Res: &types.HasPrivilegeOnEntitiesResponse{
		Returnval: availability(m.judgeSession(ctx, req.SessionId), req.Entity, req.PrivId),
	}}
}

// gone is the fault for entities that do not exist. What is no entity at all is judged on the root folder (R27).
func (m *authorizationManager) gone(refs ...moref) *soap.Fault {
	for _, ref := range refs {
		if _, inventoryType := movePrivilege[ref.Type]; (inventoryType || ref.Type == "ResourcePool") && m.a.reg.Get(ref) == nil {
			return soapFault(&types.ManagedObjectNotFound{Obj: ref})
		}
	}
	return nil
}

func availability(x *access, refs []moref, ids []string) []types.EntityPrivilege {
	var out []types.EntityPrivilege
	for _, ref := range refs {
		result := types.EntityPrivilege{Entity: ref}
		for _, id := range ids {
			result.PrivAvailability = append(result.PrivAvailability, types.PrivilegeAvailability{
				PrivId: id, IsGranted: x != nil && x.holds(ref, id),
			})
		}
		out = append(out, result)
	}
	return out
}

// HasPrivilegeOnEntityResponse is the library's type without omitempty, which would swallow every false.
type HasPrivilegeOnEntityResponse struct {
	Returnval []bool `xml:"returnval"`
}

type hasPrivilegeOnEntityBody struct {
	Res    *HasPrivilegeOnEntityResponse `xml:"HasPrivilegeOnEntityResponse,omitempty"`
	Fault_ *soap.Fault                   `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

func (b *hasPrivilegeOnEntityBody) Fault() *soap.Fault { return b.Fault_ }

// HasPrivilegeOnEntity is HasPrivilegeOnEntities for one object.
func (m *authorizationManager) HasPrivilegeOnEntity(ctx *simulator.Context, req *types.HasPrivilegeOnEntity) soap.HasFault {
	if fault := m.gone(req.Entity); fault != nil {
		return &methods.HasPrivilegeOnEntityBody{Fault_: fault}
	}
	x := m.judgeSession(ctx, req.SessionId)
	held := make([]bool, len(req.PrivId))
	for i, id := range req.PrivId {
		held[i] = x != nil && x.holds(req.Entity, id)
	}
	if m.a.caller(ctx) == nil { // the in-memory client copies responses by type
		return &methods.HasPrivilegeOnEntityBody{Res: &types.HasPrivilegeOnEntityResponse{Returnval: held}}
	}
	return &hasPrivilegeOnEntityBody{Res: &HasPrivilegeOnEntityResponse{held}}
}

// judge makes an evaluator for a qualified name, or nil when nobody is meant by it.
func (m *authorizationManager) judge(ctx *simulator.Context, name string) *access {
	if !qualified(name) {
		return nil
	}
	p, err := m.a.dir.Lookup(name, false)
	if err != nil {
		return nil
	}
	return m.a.evaluate(ctx, p)
}

func (m *authorizationManager) judgeSession(ctx *simulator.Context, key string) *access {
	if ctx.Session != nil && ctx.Session.Key == key {
		return m.a.caller(ctx)
	}
	who, ok := m.a.sessions.Load(key)
	if !ok {
		return nil
	}
	p, ok := who.(directory.Principal)
	if !ok {
		return nil
	}
	alive, ok := m.a.reg.SessionManager().SessionIsActive(ctx,
		&types.SessionIsActive{SessionID: key, UserName: p.String()}).(*methods.SessionIsActiveBody)
	if !ok || alive.Res == nil || !alive.Res.Returnval {
		m.a.sessions.Delete(key)
		return nil
	}
	return m.a.evaluate(ctx, p)
}
