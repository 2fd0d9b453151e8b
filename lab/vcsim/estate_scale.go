package vcsim

import (
	"fmt"
	"path"
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// perFolder keeps the simulator's search for duplicate names short.
const perFolder = 200

// scale adds about n bare virtual machines, spread over the datacenters in folders of their own.
func (b *builder) scale(e Estate, n int) error {
	for i, dc := range e.Datacenters {
		share := n / len(e.Datacenters)
		if i == 0 {
			share += n % len(e.Datacenters)
		}
		if err := b.crowd(dc, share); err != nil {
			return fmt.Errorf("add %d machines to %s: %w", share, dc.Path, err)
		}
	}
	return nil
}

// crowd creates one machine the long way and copies the others from it: CreateVM_Task takes 2 ms each. The copies
// share what hangs below their configuration, so they are to be looked at, moved or deleted, not reconfigured.
func (b *builder) crowd(dc Datacenter, n int) error {
	si := object.NewSearchIndex(b.client)
	ref, err := si.FindByInventoryPath(b.ctx, dc.Path+"/vm")
	if err != nil || ref == nil {
		return fmt.Errorf("no VM folder: %w", err)
	}
	top, err := object.NewFolder(b.client, ref.Reference()).CreateFolder(b.ctx, "crowd")
	if err != nil {
		return err
	}
	pool, err := si.FindByInventoryPath(b.ctx, dc.Clusters[0].Path+"/Resources")
	if err != nil || pool == nil {
		return fmt.Errorf("no root pool: %w", err)
	}
	config := types.VirtualMachineConfigSpec{
		Name: "crowd-00000", GuestId: string(types.VirtualMachineGuestOsIdentifierOtherGuest),
		Files: &types.VirtualMachineFileInfo{VmPathName: "[" + path.Base(dc.Datastores[0]) + "]"},
	}
	made, err := b.made(top.CreateVM(b.ctx, config, object.NewResourcePool(b.client, pool.Reference()), nil))
	if err != nil {
		return err
	}
	first, err := kept[*simulator.VirtualMachine](b, made)
	if err != nil {
		return err
	}
	var in *simulator.Folder
	var refs []types.ManagedObjectReference
	for i := 1; i < n; i++ {
		if in == nil || len(in.ChildEntity) == perFolder {
			f, err := top.CreateFolder(b.ctx, fmt.Sprintf("crowd %03d", i/perFolder))
			if err != nil {
				return err
			}
			if in, err = kept[*simulator.Folder](b, f); err != nil {
				return err
			}
		}
		vm := copyMachine(first, fmt.Sprintf("crowd-%05d", i))
		b.reg.PutEntity(in, vm)
		b.locked(in, func() { in.ChildEntity = append(in.ChildEntity, vm.Self) })
		refs = append(refs, vm.Self)
	}
	b.connect(first, refs)
	return nil
}

func copyMachine(from *simulator.VirtualMachine, name string) *simulator.VirtualMachine {
	vm := &simulator.VirtualMachine{VirtualMachine: from.VirtualMachine, DataSets: map[string]*simulator.DataSet{}}
	vm.Self = types.ManagedObjectReference{}
	vm.Name = name
	config := *from.Config
	config.Name = name
	config.Uuid = named(instanceSpace, from.Config.Uuid+name).String()
	config.InstanceUuid = named(instanceSpace, from.Config.InstanceUuid+name).String()
	config.Files.VmPathName = strings.ReplaceAll(config.Files.VmPathName, from.Name, name)
	vm.Config = &config
	vm.Summary.Vm = &vm.Self
	vm.Summary.Config.Name, vm.Summary.Config.Uuid, vm.Summary.Config.InstanceUuid = name, config.Uuid, config.InstanceUuid
	vm.Summary.Config.VmPathName = config.Files.VmPathName
	return vm
}

// connect tells host, pool and datastore of the first machine about its copies.
func (b *builder) connect(first *simulator.VirtualMachine, refs []types.ManagedObjectReference) {
	if h, ok := b.reg.Get(*first.Runtime.Host).(*simulator.HostSystem); ok {
		b.locked(h, func() { h.Vm = append(h.Vm, refs...) })
	}
	if p, ok := b.reg.Get(*first.ResourcePool).(*simulator.ResourcePool); ok {
		b.locked(p, func() { p.Vm = append(p.Vm, refs...) })
	}
	for _, ref := range first.Datastore {
		if ds, ok := b.reg.Get(ref).(*simulator.Datastore); ok {
			b.locked(ds, func() { ds.Vm = append(ds.Vm, refs...) })
		}
	}
}
