package vcsim

import (
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
	res := s.SearchIndex.FindByDatastorePath(ctx, req)
	if body, ok := res.(*methods.FindByDatastorePathBody); ok && body.Res != nil {
		body.Res.Returnval = s.visibleOnly(ctx, body.Res.Returnval)
	}
	return res
}

func (s *searchIndex) FindByUuid(ctx *simulator.Context, req *types.FindByUuid) soap.HasFault {
	res := s.SearchIndex.FindByUuid(ctx, req)
	if body, ok := res.(*methods.FindByUuidBody); ok && body.Res != nil {
		body.Res.Returnval = s.visibleOnly(ctx, body.Res.Returnval)
	}
	return res
}

func (s *searchIndex) FindAllByUuid(ctx *simulator.Context, req *types.FindAllByUuid) soap.HasFault {
	res := s.SearchIndex.FindAllByUuid(ctx, req)
	if body, ok := res.(*methods.FindAllByUuidBody); ok && body.Res != nil {
		body.Res.Returnval = s.a.caller(ctx).seen(body.Res.Returnval)
	}
	return res
}

func (s *searchIndex) FindByDnsName(ctx *simulator.Context, req *types.FindByDnsName) soap.HasFault {
	res := s.SearchIndex.FindByDnsName(ctx, req)
	if body, ok := res.(*methods.FindByDnsNameBody); ok && body.Res != nil {
		body.Res.Returnval = s.visibleOnly(ctx, body.Res.Returnval)
	}
	return res
}

func (s *searchIndex) FindAllByDnsName(ctx *simulator.Context, req *types.FindAllByDnsName) soap.HasFault {
	res := s.SearchIndex.FindAllByDnsName(ctx, req)
	if body, ok := res.(*methods.FindAllByDnsNameBody); ok && body.Res != nil {
		body.Res.Returnval = s.a.caller(ctx).seen(body.Res.Returnval)
	}
	return res
}

func (s *searchIndex) FindByIp(ctx *simulator.Context, req *types.FindByIp) soap.HasFault {
	res := s.SearchIndex.FindByIp(ctx, req)
	if body, ok := res.(*methods.FindByIpBody); ok && body.Res != nil {
		body.Res.Returnval = s.visibleOnly(ctx, body.Res.Returnval)
	}
	return res
}

func (s *searchIndex) FindAllByIp(ctx *simulator.Context, req *types.FindAllByIp) soap.HasFault {
	res := s.SearchIndex.FindAllByIp(ctx, req)
	if body, ok := res.(*methods.FindAllByIpBody); ok && body.Res != nil {
		body.Res.Returnval = s.a.caller(ctx).seen(body.Res.Returnval)
	}
	return res
}
