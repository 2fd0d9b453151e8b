package vcsim

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// RemoveObject takes what is destroyed out of the lists that name it. The simulator leaves it in, and panics when it reads them.
func (completer) RemoveObject(ctx *simulator.Context, gone moref) {
	switch gone.Type {
	case "DistributedVirtualSwitch", "VmwareDistributedVirtualSwitch":
		leavePortgroups(ctx, gone)
	case "Network", "OpaqueNetwork", "DistributedVirtualPortgroup":
		leaveFolder(ctx, gone)
		for _, kind := range []string{"Datacenter", "ComputeResource", "ClusterComputeResource", "HostSystem"} {
			for _, e := range ctx.Map.All(kind) {
				ctx.WithLock(e, func() { leaveNetworks(ctx, e, gone) })
			}
		}
	case "VirtualMachine":
		for _, e := range ctx.Map.All("ClusterComputeResource") {
			ctx.WithLock(e, func() { leaveGroups(ctx, e, gone) })
		}
	}
}

func leaveNetworks(ctx *simulator.Context, e mo.Entity, gone moref) {
	if list := networksOf(e); list != nil && slices.Contains(*list, gone) { // hosts share a list with their cluster: each gets its own
		ctx.Update(e, []types.PropertyChange{{Name: "network", Val: without(*list, gone)}})
	}
}

// leaveFolder takes a port group out of its folder, which need not be that of its switch.
func leaveFolder(ctx *simulator.Context, gone moref) {
	e, _ := ctx.Map.Get(gone).(mo.Entity)
	if e == nil || e.Entity().Parent == nil {
		return
	}
	if in, ok := ctx.Map.Get(*e.Entity().Parent).(*simulator.Folder); ok {
		ctx.WithLock(in, func() {
			ctx.Update(in, []types.PropertyChange{{Name: "childEntity", Val: without(in.ChildEntity, gone)}})
		})
	}
}

// leavePortgroups removes the port groups of a switch, which nobody could use any more.
func leavePortgroups(ctx *simulator.Context, gone moref) {
	for _, e := range ctx.Map.All("DistributedVirtualPortgroup") {
		group, ok := e.(*simulator.DistributedVirtualPortgroup)
		if !ok || group.Config.DistributedVirtualSwitch == nil || *group.Config.DistributedVirtualSwitch != gone {
			continue
		}
		ctx.Map.Remove(ctx, group.Self)
	}
}

// leaveGroups takes a machine out of the DRS groups of a cluster.
func leaveGroups(ctx *simulator.Context, e mo.Entity, gone moref) {
	cluster, _ := managed(e).(*mo.ClusterComputeResource)
	config, ok := cluster.ConfigurationEx.(*types.ClusterConfigInfoEx)
	if !ok {
		return
	}
	now := *config
	now.Group = slices.Clone(config.Group)
	changed := false
	for i, g := range now.Group {
		if group, ok := g.(*types.ClusterVmGroup); ok && slices.Contains(group.Vm, gone) {
			smaller := *group
			smaller.Vm = without(group.Vm, gone)
			now.Group[i], changed = &smaller, true
		}
	}
	if changed {
		ctx.Update(e, []types.PropertyChange{{Name: "configurationEx", Val: &now}})
	}
}

func without(refs []moref, gone moref) []moref {
	return slices.DeleteFunc(slices.Clone(refs), func(ref moref) bool { return ref == gone })
}
