package vcsim

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// licenseAssignments lists the licenses of what the session sees.
type licenseAssignments struct {
	*simulator.LicenseAssignmentManager
	lasting //nolint:unused // it hides a method
	a       *authorization
}

func (m *licenseAssignments) QueryAssignedLicenses(ctx *simulator.Context, req *types.QueryAssignedLicenses) soap.HasFault {
	answer := m.LicenseAssignmentManager.QueryAssignedLicenses(ctx, req)
	body, ok := answer.(*methods.QueryAssignedLicensesBody)
	if !ok || body.Res == nil {
		return answer
	}
	x := m.a.caller(ctx)
	hidden := map[string]bool{}
	for _, kind := range []string{"HostSystem", "ClusterComputeResource", "ComputeResource"} {
		for _, e := range ctx.Map.AllReference(kind) {
			if ref := e.Reference(); !x.visible(ref) {
				hidden[ref.Value] = true
			}
		}
	}
	var out []types.LicenseAssignmentManagerLicenseAssignment
	for _, l := range body.Res.Returnval {
		if !hidden[l.EntityId] {
			out = append(out, l)
		}
	}
	return &methods.QueryAssignedLicensesBody{Res: &types.QueryAssignedLicensesResponse{Returnval: out}}
}

// environmentBrowser describes where virtual machines can be, as far as the session sees that.
type environmentBrowser struct {
	*simulator.EnvironmentBrowser
	a *authorization
}

func (b *environmentBrowser) QueryConfigOptionDescriptor(ctx *simulator.Context, req *types.QueryConfigOptionDescriptor) soap.HasFault {
	answer := b.EnvironmentBrowser.QueryConfigOptionDescriptor(ctx, req)
	body, ok := answer.(*methods.QueryConfigOptionDescriptorBody)
	if !ok || body.Res == nil {
		return answer
	}
	return &methods.QueryConfigOptionDescriptorBody{Res: &types.QueryConfigOptionDescriptorResponse{
		Returnval: seenOf(b.a.caller(ctx), body.Res.Returnval),
	}}
}

func (b *environmentBrowser) QueryConfigTarget(ctx *simulator.Context, req *types.QueryConfigTarget) soap.HasFault {
	answer := b.EnvironmentBrowser.QueryConfigTarget(ctx, req)
	body, ok := answer.(*methods.QueryConfigTargetBody)
	if !ok || body.Res == nil || body.Res.Returnval == nil {
		return answer
	}
	x := b.a.caller(ctx)
	out := *body.Res.Returnval
	out.Datastore = slices.DeleteFunc(slices.Clone(out.Datastore), func(d types.VirtualMachineDatastoreInfo) bool {
		return d.Datastore.Datastore != nil && !x.visible(*d.Datastore.Datastore)
	})
	for i := range out.Datastore {
		if d := &out.Datastore[i].Datastore; d.Datastore != nil {
			if url, ok := volumeURL(ctx, *d.Datastore); ok {
				d.Url = url
			}
		}
	}
	out.Network = slices.DeleteFunc(slices.Clone(out.Network), func(n types.VirtualMachineNetworkInfo) bool {
		if n.Network == nil {
			return false
		}
		s := n.Network.GetNetworkSummary()
		return s.Network != nil && !x.visible(*s.Network)
	})
	out.DistributedVirtualPortgroup = slices.DeleteFunc(slices.Clone(out.DistributedVirtualPortgroup),
		func(p types.DistributedVirtualPortgroupInfo) bool { return !x.visible(p.Portgroup) })
	out.DistributedVirtualSwitch = slices.DeleteFunc(slices.Clone(out.DistributedVirtualSwitch),
		func(s types.DistributedVirtualSwitchInfo) bool { return !x.visible(s.DistributedVirtualSwitch) })
	return &methods.QueryConfigTargetBody{Res: &types.QueryConfigTargetResponse{Returnval: &out}}
}

// lasting is part of what a session has in place of a manager that hears of objects. The simulator
// would take that for the session's own and unregister the manager at logout: two methods of a name
// hide each other, so there is none.
type lasting struct{} //nolint:unused // embedded

// RemoveObject hides that of the manager.
func (lasting) RemoveObject(*simulator.Context, moref) {} //nolint:unused // it hides

// guard puts into the session what stands before one of many objects, when the session first calls it.
func (a *authorization) guard(session *simulator.Session, ref moref) {
	if session.Registry.Get(ref) != nil {
		return
	}
	switch o := a.reg.Get(ref).(type) {
	case *simulator.EnvironmentBrowser:
		session.Registry.Put(&environmentBrowser{EnvironmentBrowser: o, a: a})
	case *simulator.LicenseAssignmentManager:
		session.Registry.Put(&licenseAssignments{LicenseAssignmentManager: o, a: a})
	case *simulator.EventManager:
		session.Registry.Put(&eventManager{EventManager: o, a: a, session: session})
	case *simulator.TaskManager:
		session.Registry.Put(&taskManager{TaskManager: o, a: a})
	}
}
