package vcsim

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// rename gives an object the very name that the inventory keeps, whatever the simulator makes of names.
func (f *filling) rename(obj mo.Reference, name string) error {
	e, err := kept[mo.Entity](f.builder, obj)
	if err != nil || f.name(obj) == name {
		return err
	}
	f.locked(e, func() {
		e.Entity().Name = name
		switch x := e.(type) {
		case *simulator.Datastore:
			x.Name, x.Summary.Name, x.Info.GetDatastoreInfo().Name = name, name, name
		case *simulator.VirtualMachine:
			x.Name, x.Config.Name, x.Summary.Config.Name = name, name, name
		}
	})
	return nil
}

// dropDefaultNetwork takes away the network that a new datacenter of the simulator has, unless the contents name it. The
// machines lose it.
func (f *filling) dropDefaultNetwork(s *site) error {
	ref, ok := f.defaultNetwork(s)
	if _, named := f.at[s.view.Path+"/network/"+machineNetwork]; named || !ok {
		return nil
	}
	for _, e := range f.reg.All("") {
		if list := networksOf(e); list != nil {
			f.locked(e, func() { *list = without(*list, ref) })
		}
	}
	folder, err := kept[*simulator.Folder](f.builder, s.folders.NetworkFolder)
	if err != nil {
		return err
	}
	f.locked(folder, func() { simulator.RemoveReference(&folder.ChildEntity, ref) })
	f.reg.Remove(&simulator.Context{Context: f.ctx, Map: f.reg}, ref)
	return nil
}

// networksOf is where an object keeps which networks it has; nil for an object that has none.
func networksOf(e mo.Entity) *[]types.ManagedObjectReference {
	switch x := e.(type) {
	case *simulator.Datacenter:
		return &x.Network
	case *simulator.HostSystem:
		return &x.Network
	case *simulator.ClusterComputeResource:
		return &x.Network
	case *mo.ComputeResource:
		return &x.Network
	case *simulator.VirtualMachine:
		return &x.Network
	}
	return nil
}
