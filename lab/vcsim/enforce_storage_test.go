package vcsim

import (
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// disk of the operations' machine, as the administrator sees it.
func (r *rig) disk() *types.VirtualDisk {
	r.Helper()
	return must(r.vm(r.admin, opVM).Device(ctx)).SelectByType((*types.VirtualDisk)(nil))[0].(*types.VirtualDisk)
}

func (r *rig) newDisk(path string) *types.VirtualDisk {
	r.Helper()
	devices := must(r.vm(r.admin, opVM).Device(ctx))
	controller := must(devices.FindDiskController(""))
	ds := r.ref(opDS)
	d := devices.CreateDisk(controller, ds, path)
	d.CapacityInKB = 1024
	return d
}

func (r *rig) change(c *govmomi.Client, op types.VirtualDeviceConfigSpecOperation, file types.VirtualDeviceConfigSpecFileOperation, d types.BaseVirtualDevice) error {
	return r.reconfigure(c, types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{
		&types.VirtualDeviceConfigSpec{Operation: op, FileOperation: file, Device: d},
	}})
}

func storageOperations() []operation {
	const existing = "[LocalDS_0] existing.vmdk"
	makeDisk := func(c *govmomi.Client, r *rig) error {
		return finish(object.NewVirtualDiskManager(c.Client).CreateVirtualDisk(ctx, existing, object.NewDatacenter(c.Client, r.ref("/DC0")),
			&types.FileBackedVirtualDiskSpec{VirtualDiskSpec: types.VirtualDiskSpec{DiskType: "thin", AdapterType: "lsiLogic"}, CapacityKb: 1024}))
	}
	browse := func(r *rig, c *govmomi.Client) error {
		var ds mo.Datastore
		if err := r.admin.RetrieveOne(ctx, r.ref(opDS), []string{"browser"}, &ds); err != nil {
			return err
		}
		return finish(object.NewHostDatastoreBrowser(c.Client, ds.Browser).SearchDatastore(ctx, "[LocalDS_0]", &types.HostDatastoreBrowserSearchSpec{}))
	}
	manage := on(opDS, "Datastore.FileManagement")
	return []operation{
		{
			name: "add new disk", needs: all(on(opVM, "VirtualMachine.Config.AddNewDisk"), on(opDS, "Datastore.AllocateSpace")),
			run: func(r *rig, c *govmomi.Client) error { return r.change(c, "add", "create", r.newDisk("")) },
		},
		{
			name: "attach existing disk", needs: on(opVM, "VirtualMachine.Config.AddExistingDisk"),
			setup: func(r *rig) {
				if err := makeDisk(r.admin, r); err != nil {
					r.Fatal(err)
				}
			},
			run: func(r *rig, c *govmomi.Client) error { return r.change(c, "add", "", r.newDisk(existing)) },
		},
		{name: "remove disk", needs: on(opVM, "VirtualMachine.Config.RemoveDisk"), run: func(r *rig, c *govmomi.Client) error {
			return r.change(c, "remove", "", r.disk())
		}},
		{name: "extend disk", needs: on(opVM, "VirtualMachine.Config.DiskExtend"), run: func(r *rig, c *govmomi.Client) error {
			d := r.disk()
			d.CapacityInKB *= 2
			d.CapacityInBytes = 0
			return r.change(c, "edit", "", d)
		}},
		{
			name: "add card", needs: all(on(opVM, "VirtualMachine.Config.AddRemoveDevice"), on(opNet, "Network.Assign")),
			run: func(r *rig, c *govmomi.Client) error {
				net := object.NewDistributedVirtualPortgroup(r.admin.Client, r.ref(opNet))
				backing := must(net.EthernetCardBackingInfo(ctx))
				return r.change(c, "add", "", must(object.EthernetCardTypes().CreateEthernetCard("vmxnet3", backing)))
			},
		},
		{
			name: "rewire card", needs: all(on(opVM, "VirtualMachine.Config.EditDevice"), on("/DC0/network/VM Network", "Network.Assign")),
			read: []string{"/DC0"},
			run: func(r *rig, c *govmomi.Client) error {
				card := must(r.vm(r.admin, opVM).Device(ctx)).SelectByType((*types.VirtualEthernetCard)(nil))[0]
				card.GetVirtualDevice().Backing = &types.VirtualEthernetCardNetworkBackingInfo{
					VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: "VM Network"},
				}
				return r.change(c, "edit", "", card)
			},
		},
		{name: "browse datastore", needs: on(opDS, "Datastore.Browse"), run: browse},
		{name: "make directory", needs: manage, read: []string{"/DC0"}, run: func(r *rig, c *govmomi.Client) error {
			return object.NewFileManager(c.Client).MakeDirectory(ctx, "[LocalDS_0] dir", object.NewDatacenter(c.Client, r.ref("/DC0")), true)
		}},
		{name: "create virtual disk", needs: manage, read: []string{"/DC0"}, run: func(r *rig, c *govmomi.Client) error { return makeDisk(c, r) }},
		{name: "create first class disk", needs: manage, run: func(r *rig, c *govmomi.Client) error {
			res, err := methods.CreateDisk_Task(ctx, c, &types.CreateDisk_Task{This: *c.ServiceContent.VStorageObjectManager, Spec: types.VslmCreateSpec{
				Name: "fcd", CapacityInMB: 1,
				BackingSpec: &types.VslmCreateSpecDiskFileBackingSpec{VslmCreateSpecBackingSpec: types.VslmCreateSpecBackingSpec{Datastore: r.ref(opDS)}},
			}})
			if err != nil {
				return err
			}
			return object.NewTask(c.Client, res.Returnval).Wait(ctx)
		}},
	}
}
