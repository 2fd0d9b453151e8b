package vcsim

import (
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// searchIndex finds what the caller sees. An object counts by its own System.View: it is found by its path
// even where its ancestors are hidden.
type searchIndex struct {
	simulator.SearchIndex
	a *authorization
}

// visibleOnly is nil unless the caller sees the object.
func (s *searchIndex) visibleOnly(ctx *simulator.Context, ref *moref) *moref {
	if ref == nil || !s.a.caller(ctx).visible(*ref) {
		return nil
	}
	return ref
}

func (s *searchIndex) FindByInventoryPath(ctx *simulator.Context, req *types.FindByInventoryPath) soap.HasFault {
	x := s.a.caller(ctx)
	found := &x.root
	for _, name := range strings.FieldsFunc(req.InventoryPath, func(c rune) bool { return c == '/' }) {
		if found = x.child(*found, name); found == nil {
			break
		}
	}
	return &methods.FindByInventoryPathBody{Res: &types.FindByInventoryPathResponse{Returnval: s.visibleOnly(ctx, found)}}
}

func (s *searchIndex) FindChild(ctx *simulator.Context, req *types.FindChild) soap.HasFault {
	if ctx.Map.Get(req.Entity) == nil {
		return &methods.FindChildBody{Fault_: soapFault(&types.ManagedObjectNotFound{Obj: req.Entity})}
	}
	found := s.a.caller(ctx).child(req.Entity, req.Name)
	return &methods.FindChildBody{Res: &types.FindChildResponse{Returnval: s.visibleOnly(ctx, found)}}
}

// child is the child of that name, hidden or not.
func (x *access) child(of moref, name string) *moref {
	for _, ref := range x.children(of) {
		if x.nameOf(ref) == name {
			return &ref
		}
	}
	return nil
}

// children of an object along inventory paths.
func (x *access) children(of moref) []moref {
	obj := managed(x.ctx.Map.Get(of))
	defer x.ctx.Map.AcquireLock(x.ctx, of)()
	var out []moref
	compute := func(c *mo.ComputeResource) {
		out = append(out, c.Host...)
		if c.ResourcePool != nil {
			out = append(out, *c.ResourcePool)
		}
	}
	switch e := obj.(type) {
	case *mo.Datacenter:
		out = append(out, e.VmFolder, e.HostFolder, e.DatastoreFolder, e.NetworkFolder)
	case *mo.Folder:
		out = append(out, e.ChildEntity...)
	case *mo.StoragePod:
		out = append(out, e.ChildEntity...)
	case *mo.ComputeResource:
		compute(e)
	case *mo.ClusterComputeResource:
		compute(&e.ComputeResource)
	case *mo.ResourcePool:
		out = append(append(out, e.ResourcePool...), e.Vm...)
	case *mo.VirtualApp:
		out = append(append(out, e.ResourcePool.ResourcePool...), e.Vm...)
	}
	return out
}

func (s *searchIndex) FindByDatastorePath(ctx *simulator.Context, req *types.FindByDatastorePath) soap.HasFault {
	found := s.search(ctx, true, func(obj any) bool {
		vm, ok := obj.(*mo.VirtualMachine)
		return ok && vm.Config != nil && vm.Config.Files.VmPathName == req.Path
	})
	return &methods.FindByDatastorePathBody{Res: &types.FindByDatastorePathResponse{Returnval: first(found)}}
}

func (s *searchIndex) FindByUuid(ctx *simulator.Context, req *types.FindByUuid) soap.HasFault {
	found := s.search(ctx, req.VmSearch, hasUUID(req.Uuid, isTrue(req.InstanceUuid)))
	return &methods.FindByUuidBody{Res: &types.FindByUuidResponse{Returnval: first(found)}}
}

func (s *searchIndex) FindAllByUuid(ctx *simulator.Context, req *types.FindAllByUuid) soap.HasFault {
	found := s.search(ctx, req.VmSearch, hasUUID(req.Uuid, isTrue(req.InstanceUuid)))
	return &methods.FindAllByUuidBody{Res: &types.FindAllByUuidResponse{Returnval: found}}
}

func (s *searchIndex) FindByDnsName(ctx *simulator.Context, req *types.FindByDnsName) soap.HasFault {
	found := s.search(ctx, req.VmSearch, hasDNSName(req.DnsName))
	return &methods.FindByDnsNameBody{Res: &types.FindByDnsNameResponse{Returnval: first(found)}}
}

func (s *searchIndex) FindAllByDnsName(ctx *simulator.Context, req *types.FindAllByDnsName) soap.HasFault {
	found := s.search(ctx, req.VmSearch, hasDNSName(req.DnsName))
	return &methods.FindAllByDnsNameBody{Res: &types.FindAllByDnsNameResponse{Returnval: found}}
}

func (s *searchIndex) FindByIp(ctx *simulator.Context, req *types.FindByIp) soap.HasFault {
	found := s.search(ctx, req.VmSearch, hasIP(req.Ip))
	return &methods.FindByIpBody{Res: &types.FindByIpResponse{Returnval: first(found)}}
}

func (s *searchIndex) FindAllByIp(ctx *simulator.Context, req *types.FindAllByIp) soap.HasFault {
	found := s.search(ctx, req.VmSearch, hasIP(req.Ip))
	return &methods.FindAllByIpBody{Res: &types.FindAllByIpResponse{Returnval: found}}
}

// search goes through all virtual machines, or all hosts, and keeps the visible ones that match, in a stable order.
// The simulator's own searches read without locks and trust every machine to have a configuration.
func (s *searchIndex) search(ctx *simulator.Context, machines bool, match func(any) bool) []moref {
	kind := "HostSystem"
	if machines {
		kind = "VirtualMachine"
	}
	var out []moref
	for _, e := range ctx.Map.AllReference(kind) {
		obj := managed(e)
		unlock := ctx.Map.AcquireLock(ctx, e)
		ok := match(obj)
		unlock()
		if ok {
			out = append(out, e.Reference())
		}
	}
	slices.SortFunc(out, func(a, b moref) int { return strings.Compare(a.Value, b.Value) })
	return s.a.caller(ctx).seen(out)
}

func first(refs []moref) *moref {
	if len(refs) == 0 {
		return nil
	}
	return &refs[0]
}

func hasUUID(uuid string, instance bool) func(any) bool {
	return func(obj any) bool {
		switch o := obj.(type) {
		case *mo.VirtualMachine:
			if o.Config == nil {
				return false
			}
			if instance {
				return strings.EqualFold(o.Config.InstanceUuid, uuid)
			}
			return strings.EqualFold(o.Config.Uuid, uuid)
		case *mo.HostSystem:
			return o.Summary.Hardware != nil && strings.EqualFold(o.Summary.Hardware.Uuid, uuid)
		}
		return false
	}
}

func hasDNSName(name string) func(any) bool {
	return func(obj any) bool {
		switch o := obj.(type) {
		case *mo.VirtualMachine:
			return o.Guest != nil && o.Guest.HostName == name
		case *mo.HostSystem:
			if o.Config == nil || o.Config.Network == nil {
				return false
			}
			return slices.ContainsFunc(o.Config.Network.NetStackInstance, func(s types.HostNetStackInstance) bool {
				return s.DnsConfig != nil && s.DnsConfig.GetHostDnsConfig().HostName == name
			})
		}
		return false
	}
}

func hasIP(ip string) func(any) bool {
	return func(obj any) bool {
		switch o := obj.(type) {
		case *mo.VirtualMachine:
			return o.Guest != nil && o.Guest.IpAddress == ip
		case *mo.HostSystem:
			if o.Config == nil || o.Config.Network == nil {
				return false
			}
			return slices.ContainsFunc(o.Config.Network.Vnic, func(n types.HostVirtualNic) bool {
				return n.Spec.Ip != nil && n.Spec.Ip.IpAddress == ip
			})
		}
		return false
	}
}
