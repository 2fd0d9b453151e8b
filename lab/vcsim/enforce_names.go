package vcsim

import (
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// datacenterOf climbs from an entity to its datacenter.
func (x *access) datacenterOf(ref moref) (moref, bool) {
	for range depthLimit {
		if ref.Type == "Datacenter" {
			return ref, true
		}
		n, ok := x.tree.place(ref)
		if !ok || len(n.parents) == 0 {
			return moref{}, false
		}
		ref = n.parents[0]
	}
	return moref{}, false
}

// datastores are those that a datastore path names, in some datacenters, in a given list, or anywhere.
func (x *access) datastores(path string, datacenters, scope []moref) []moref {
	var p object.DatastorePath
	if !p.FromString(path) || p.Datastore == "" {
		return nil
	}
	candidates := scope
	for _, dc := range datacenters {
		candidates = append(candidates, x.inFolder(dc, func(dc *mo.Datacenter) moref { return dc.DatastoreFolder })...)
	}
	if candidates == nil {
		for _, e := range x.ctx.Map.All("Datastore") {
			candidates = append(candidates, e.Reference())
		}
	}
	var out []moref
	seen := map[moref]bool{}
	for _, ref := range candidates {
		if !seen[ref] && ref.Type == "Datastore" && x.nameOf(ref) == p.Datastore {
			seen[ref] = true
			out = append(out, ref)
		}
	}
	return out
}

// inFolder lists what is below one of a datacenter's folders.
func (x *access) inFolder(dc moref, folder func(*mo.Datacenter) moref) []moref {
	d, ok := managed(x.ctx.Map.Get(dc)).(*mo.Datacenter)
	if !ok {
		return nil
	}
	var out []moref
	queue := []moref{folder(d)}
	for len(queue) > 0 {
		ref := queue[0]
		queue = queue[1:]
		obj := managed(x.ctx.Map.Get(ref))
		unlock := x.ctx.Map.AcquireLock(x.ctx, ref)
		var children []moref
		switch f := obj.(type) {
		case *mo.Folder:
			children = append(children, f.ChildEntity...)
		case *mo.StoragePod:
			children = append(children, f.ChildEntity...)
		}
		unlock()
		out = append(out, children...)
		queue = append(queue, children...)
	}
	return out
}

// nameOf is an entity's name as the inventory has it.
func (x *access) nameOf(ref moref) string {
	obj := x.ctx.Map.Get(ref)
	entity, ok := obj.(mo.Entity)
	if !ok {
		return ""
	}
	defer x.ctx.Map.AcquireLock(x.ctx, ref)()
	switch v := managed(obj).(type) { // the networks have a name of their own beside the entity's
	case *mo.Network:
		return v.Name
	case *mo.OpaqueNetwork:
		return v.Name
	case *mo.DistributedVirtualPortgroup:
		return v.Name
	}
	return entity.Entity().Name
}

// allocation is the privilege to put files where a datastore path points, seen from near an entity.
func (x *access) allocation(near moref, path string) []need {
	var scope []moref
	if dc, ok := x.datacenterOf(near); ok {
		scope = []moref{dc}
	}
	var needs []need
	for _, ds := range x.datastores(path, scope, nil) {
		needs = append(needs, need{ds, "Datastore.AllocateSpace"})
	}
	return needs
}

// networkNeeds is Network.Assign on every network that new network cards are connected to.
func (x *access) networkNeeds(near moref, changes []types.BaseVirtualDeviceConfigSpec) []need {
	var needs []need
	for _, c := range changes {
		spec := c.GetVirtualDeviceConfigSpec()
		if card, ok := spec.Device.(types.BaseVirtualEthernetCard); ok && spec.Operation != types.VirtualDeviceConfigSpecOperationRemove {
			if net, ok := x.network(near, card.GetVirtualEthernetCard().Backing); ok {
				needs = append(needs, need{net, "Network.Assign"})
			}
		}
	}
	return needs
}

// network is what a card's backing stands for.
func (x *access) network(near moref, backing types.BaseVirtualDeviceBackingInfo) (moref, bool) {
	switch b := backing.(type) {
	case *types.VirtualEthernetCardNetworkBackingInfo:
		if b.Network != nil {
			return *b.Network, true
		}
		return x.networkNamed(near, b.DeviceName)
	case *types.VirtualEthernetCardDistributedVirtualPortBackingInfo:
		ref := moref{Type: "DistributedVirtualPortgroup", Value: b.Port.PortgroupKey}
		if x.ctx.Map.Get(ref) != nil {
			return ref, true
		}
		for _, e := range x.ctx.Map.All("DistributedVirtualPortgroup") {
			if pg, ok := managed(e).(*mo.DistributedVirtualPortgroup); ok && pg.Key == b.Port.PortgroupKey {
				return pg.Self, true
			}
		}
	}
	return moref{}, false
}

func (x *access) networkNamed(near moref, name string) (moref, bool) {
	dc, ok := x.datacenterOf(near)
	if !ok || name == "" {
		return moref{}, false
	}
	for _, ref := range x.inFolder(dc, func(dc *mo.Datacenter) moref { return dc.NetworkFolder }) {
		if ref.Type == "Network" && x.nameOf(ref) == name {
			return ref, true
		}
	}
	return moref{}, false
}
