package vcsim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// change is authorization.change for somebody who is logged in: events say afterwards what changed, and who did it. What a vCenter changes
// by itself, such as the permissions of an object that is removed, posts none.
func (m *authorizationManager) change(ctx *simulator.Context, f func(*authzState) types.BaseMethodFault) types.BaseMethodFault {
	var before, after *authzState
	fault := m.a.change(func(st *authzState) types.BaseMethodFault {
		before, after = m.a.state.Load(), st
		return f(st)
	})
	if fault != nil || ctx.Session == nil {
		return fault
	}
	manager := ctx.Map.EventManager()
	if events := m.a.events(before, after); len(events) > 0 && manager != nil {
		ctx.WithLock(manager, func() {
			for _, e := range events {
				manager.PostEvent(ctx, &types.PostEvent{EventToPost: e})
			}
		})
	}
	return nil
}

// changeOf is change for the permissions of one entity. Those of a switch are checked and forgotten.
func (m *authorizationManager) changeOf(ctx *simulator.Context, entity moref,
	f func(*authzState) types.BaseMethodFault,
) types.BaseMethodFault {
	if isSwitch(entity) {
		return m.a.changeOf(entity, f)
	}
	return m.change(ctx, f)
}

// events are those of the changes between two states: permissions, which name their roles, before roles.
func (a *authorization) events(before, after *authzState) []types.BaseEvent {
	var events []types.BaseEvent
	for _, ref := range after.inventoried() {
		for _, g := range after.grants[ref] {
			old, had := before.get(ref, g.key)
			switch {
			case !had:
				events = append(events, a.permissionAdded(ref, g, after))
			case old.role != g.role || old.propagate != g.propagate:
				events = append(events, a.permissionUpdated(ref, old, g, before, after))
			}
		}
	}
	for _, ref := range before.inventoried() {
		for _, g := range before.grants[ref] {
			if _, has := after.get(ref, g.key); !has {
				e := &types.PermissionRemovedEvent{PermissionEvent: a.permissionEvent(ref, g)}
				e.FullFormattedMessage = fmt.Sprintf("Permission rule removed for %s on %s", e.Principal, e.Entity.Name)
				events = append(events, e)
			}
		}
	}
	return append(events, roleEvents(before, after)...)
}

func (a *authorization) permissionAdded(ref moref, g grant, st *authzState) types.BaseEvent {
	e := &types.PermissionAddedEvent{PermissionEvent: a.permissionEvent(ref, g), Role: st.roles[g.role].argument(), Propagate: g.propagate}
	e.FullFormattedMessage = fmt.Sprintf("Permission created for %s on %s, role is %s, propagation is %s", e.Principal, e.Entity.Name, e.Role.Name, propagation[g.propagate])
	return e
}

func (a *authorization) permissionUpdated(ref moref, old, g grant, before, after *authzState) types.BaseEvent {
	e := &types.PermissionUpdatedEvent{
		PermissionEvent: a.permissionEvent(ref, g), Role: after.roles[g.role].argument(), Propagate: g.propagate,
		PrevRole: new(before.roles[old.role].argument()), PrevPropagate: new(old.propagate),
	}
	e.FullFormattedMessage = fmt.Sprintf("Permission changed for %s on %s, role is %s, propagation is %s", e.Principal, e.Entity.Name, e.Role.Name, propagation[g.propagate])
	return e
}

var propagation = map[bool]string{true: "Enabled", false: "Disabled"}

// permissionEvent is what events of a permission have in common. Filters look for the objects that every kind of event can name.
func (a *authorization) permissionEvent(ref moref, g grant) types.PermissionEvent {
	name := types.EntityEventArgument{Name: entityName(a.reg, ref)}
	e := types.PermissionEvent{
		Entity:    types.ManagedEntityEventArgument{EntityEventArgument: name, Entity: ref},
		Principal: g.principal.String(), Group: g.principal.Group,
	}
	switch a.reg.Get(ref).(type) {
	case *simulator.VirtualMachine:
		e.Vm = &types.VmEventArgument{EntityEventArgument: name, Vm: ref}
	case *simulator.HostSystem:
		e.Host = &types.HostEventArgument{EntityEventArgument: name, Host: ref}
	case *simulator.ClusterComputeResource, *mo.ComputeResource:
		e.ComputeResource = &types.ComputeResourceEventArgument{EntityEventArgument: name, ComputeResource: ref}
	case *simulator.Datastore:
		e.Ds = &types.DatastoreEventArgument{EntityEventArgument: name, Datastore: ref}
	case *mo.Network, *mo.OpaqueNetwork, *simulator.DistributedVirtualPortgroup:
		e.Net = &types.NetworkEventArgument{EntityEventArgument: name, Network: ref}
	}
	for at := &ref; at != nil; _, at, _ = entityOf(a.reg, *at) {
		if at.Type == "Datacenter" {
			e.Datacenter = &types.DatacenterEventArgument{
				EntityEventArgument: types.EntityEventArgument{Name: entityName(a.reg, *at)},
				Datacenter:          *at,
			}
		}
	}
	return e
}

// roleEvents are those of the roles that differ between two states, in the order in which the roles were made.
func roleEvents(before, after *authzState) []types.BaseEvent {
	var events []types.BaseEvent
	for _, id := range after.order {
		r, old := after.roles[id], before.roles[id]
		switch {
		case r == old:
		case old == nil:
			e := &types.RoleAddedEvent{RoleEvent: types.RoleEvent{Role: r.argument()}, PrivilegeList: r.list}
			e.FullFormattedMessage = fmt.Sprintf("New role %s created", r.name)
			events = append(events, e)
		default:
			e := &types.RoleUpdatedEvent{
				RoleEvent: types.RoleEvent{Role: r.argument()}, PrivilegeList: r.list, PrevRoleName: old.name,
				PrivilegesAdded: beyond(r, old), PrivilegesRemoved: beyond(old, r),
			}
			e.FullFormattedMessage = fmt.Sprintf("Role modified. Previous name: %s, new name: %s. Added privileges: (%s). Removed privileges: (%s)",
				old.name, r.name, strings.Join(e.PrivilegesAdded, ", "), strings.Join(e.PrivilegesRemoved, ", "))
			events = append(events, e)
		}
	}
	for _, id := range before.order {
		if after.roles[id] == nil {
			e := &types.RoleRemovedEvent{RoleEvent: types.RoleEvent{Role: before.roles[id].argument()}}
			e.FullFormattedMessage = fmt.Sprintf("Role %s removed", e.Role.Name)
			events = append(events, e)
		}
	}
	return events
}

// beyond are the privileges that a role has and another has not.
func beyond(r, other *role) []string {
	return slices.DeleteFunc(slices.Clone(r.list), func(id string) bool { return other.has[id] })
}

func (r *role) argument() types.RoleEventArgument {
	return types.RoleEventArgument{RoleId: r.id, Name: r.name}
}
