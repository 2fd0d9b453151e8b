package vcsim

import (
	"errors"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// SetEntityPermissions applies its elements one after the other; the first that fails ends the call,
// and what was applied before stays (R11, R12).
func (m *authorizationManager) SetEntityPermissions(ctx *simulator.Context, req *types.SetEntityPermissions) soap.HasFault {
	body := &methods.SetEntityPermissionsBody{}
	if fault := m.a.assignable(ctx, req.Entity); fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	x := m.a.caller(ctx)
	for _, p := range req.Permission {
		fault := m.changeOf(ctx, req.Entity, func(st *authzState) types.BaseMethodFault { return m.a.grant(st, x, req.Entity, p) })
		if fault != nil {
			body.Fault_ = soapFault(fault)
			return body
		}
	}
	body.Res = &types.SetEntityPermissionsResponse{}
	return body
}

// grant is one element of SetEntityPermissions, with all that can be wrong about it (R10, R15, R19).
func (a *authorization) grant(st *authzState, x *access, ref moref, p types.Permission) types.BaseMethodFault {
	if fault := st.grantable(p.RoleId); fault != nil {
		return fault
	}
	who, fault := a.resolve(p.Principal, p.Group)
	if fault != nil {
		return fault
	}
	before, replaced := st.get(ref, who.Key())
	if x != nil {
		granted := st.roles[p.RoleId].list
		if replaced {
			granted = append(changed(st.roles[before.role], st.roles[p.RoleId]), granted...)
		}
		if fault := x.requireAll(ref, granted); fault != nil {
			return fault
		}
	}
	st.set(ref, grant{key: who.Key(), principal: who, role: p.RoleId, propagate: p.Propagate})
	if !st.administered(a.root) {
		return &types.AuthMinimumAdminPermission{}
	}
	return nil
}

// ResetEntityPermissions replaces all permissions of an entity at once (R13).
func (m *authorizationManager) ResetEntityPermissions(ctx *simulator.Context, req *types.ResetEntityPermissions) soap.HasFault {
	body := &methods.ResetEntityPermissionsBody{}
	fault := m.a.assignable(ctx, req.Entity)
	x := m.a.caller(ctx)
	if fault == nil {
		fault = m.changeOf(ctx, req.Entity, func(st *authzState) types.BaseMethodFault {
			if x != nil {
				for _, g := range st.grants[req.Entity] {
					if fault := x.requireAll(req.Entity, st.roles[g.role].list); fault != nil {
						return fault
					}
				}
			}
			delete(st.grants, req.Entity)
			for _, p := range req.Permission {
				// The last administrator may pass through a moment without a permission; what counts is the end.
				if fault := m.a.grant(st, x, req.Entity, p); fault != nil {
					if _, minimum := fault.(*types.AuthMinimumAdminPermission); !minimum || req.Entity != m.a.root {
						return fault
					}
				}
			}
			if !st.administered(m.a.root) {
				return &types.AuthMinimumAdminPermission{}
			}
			return nil
		})
	}
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.ResetEntityPermissionsResponse{}
	return body
}

// RemoveEntityPermission takes any form of the principal, also that of an account that is gone (R18).
func (m *authorizationManager) RemoveEntityPermission(ctx *simulator.Context, req *types.RemoveEntityPermission) soap.HasFault {
	body := &methods.RemoveEntityPermissionBody{}
	fault := m.a.assignable(ctx, req.Entity)
	x := m.a.caller(ctx)
	if fault == nil {
		key := m.a.principal(req.User, req.IsGroup).Key()
		fault = m.change(ctx, func(st *authzState) types.BaseMethodFault {
			before, ok := st.get(req.Entity, key)
			if !ok {
				return &types.NotFound{}
			}
			if x != nil {
				if fault := x.requireAll(req.Entity, st.roles[before.role].list); fault != nil { // R10
					return fault
				}
			}
			st.drop(req.Entity, key)
			if !st.administered(m.a.root) {
				return &types.AuthMinimumAdminPermission{}
			}
			return nil
		})
	}
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.RemoveEntityPermissionResponse{}
	return body
}

// isSwitch says whether an object is a distributed switch. It takes permissions, and they have no effect: none is there
// afterwards (R17; recorded on 6.7, ansible/ansible#55248).
func isSwitch(ref moref) bool {
	return ref.Type == "DistributedVirtualSwitch" || ref.Type == "VmwareDistributedVirtualSwitch"
}

// changeOf is change for the permissions of one entity. Those of a switch are checked and forgotten.
func (a *authorization) changeOf(entity moref, f func(*authzState) types.BaseMethodFault) types.BaseMethodFault {
	if isSwitch(entity) {
		return f(a.current().clone())
	}
	return a.change(f)
}

// assignable says whether an object takes permissions: nil, or the fault of R15 and R16.
func (a *authorization) assignable(ctx *simulator.Context, ref moref) types.BaseMethodFault {
	obj := a.reg.Get(ref)
	if obj == nil {
		return &types.ManagedObjectNotFound{Obj: ref}
	}
	forbidden := &types.InvalidArgument{InvalidProperty: "entity"}
	entity, ok := obj.(mo.Entity)
	if !ok {
		return forbidden
	}
	if v, ok := managed(entity).(*mo.VirtualMachine); ok {
		unlock := a.reg.AcquireLock(ctx, ref)
		defer unlock()
		if v.Config != nil && v.Config.FtInfo != nil && v.Config.FtInfo.GetFaultToleranceConfigInfo().Role > 1 {
			return forbidden // the secondary of a fault tolerant pair
		}
		return nil
	}
	unlock := a.reg.AcquireLock(ctx, ref)
	parent := copied(entity.Entity().Parent)
	unlock()
	if parent == nil {
		return nil
	}
	switch parent.Type { // R16
	case "Datacenter":
		return forbidden
	case "ClusterComputeResource":
		if ref.Type == "ResourcePool" {
			return forbidden
		}
	case "ComputeResource":
		if ref.Type == "ResourcePool" || ref.Type == "HostSystem" {
			return forbidden
		}
	}
	return nil
}

// resolve finds the principal of a new permission in the directory (R15, R32).
func (a *authorization) resolve(name string, group bool) (directory.Principal, types.BaseMethodFault) {
	p, err := a.dir.Lookup(name, group)
	if err == nil {
		return p, nil
	}
	fault := &types.UserNotFound{Principal: name}
	if unknown := (*directory.UnknownPrincipal)(nil); errors.As(err, &unknown) {
		fault.Unresolved = unknown.Unresolved
	}
	return directory.Principal{}, fault
}

// principal reads one of the three name forms without asking whether the account exists (R28).
func (a *authorization) principal(name string, group bool) directory.Principal {
	if p, err := a.dir.Lookup(name, group); err == nil {
		return p
	}
	if domain, bare, ok := strings.Cut(name, `\`); ok {
		return directory.Principal{Domain: domain, Name: bare, Group: group}
	}
	if i := strings.LastIndexByte(name, '@'); i >= 0 {
		return directory.Principal{Domain: name[i+1:], Name: name[:i], Group: group}
	}
	return directory.Principal{Domain: a.dir.Domain(), Name: name, Group: group}
}
