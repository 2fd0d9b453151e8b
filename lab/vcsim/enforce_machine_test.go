package vcsim

import (
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

func (r *rig) clone(c *govmomi.Client) error {
	pool, ds := r.ref(opPool), r.ref(opDS)
	card := &types.VirtualVmxnet3{}
	card.Key = -1
	card.Backing = &types.VirtualEthernetCardDistributedVirtualPortBackingInfo{
		Port: types.DistributedVirtualSwitchPortConnection{PortgroupKey: r.ref(opNet).Value},
	}
	return finish(r.vm(c, opVM).Clone(ctx, object.NewFolder(c.Client, r.ref(opFolder)), "copy", types.VirtualMachineCloneSpec{
		Location: types.VirtualMachineRelocateSpec{Pool: &pool, Datastore: &ds},
		Config: &types.VirtualMachineConfigSpec{
			NumCPUs: 2, MemoryMB: 2048, Annotation: "made here",
			ExtraConfig:  []types.BaseOptionValue{&types.OptionValue{Key: "guestinfo.x", Value: "y"}},
			DeviceChange: []types.BaseVirtualDeviceConfigSpec{&types.VirtualDeviceConfigSpec{Operation: "add", Device: card}},
		},
	}))
}

var cloneConfig = all(on(opFolder, "VirtualMachine.Inventory.CreateFromExisting"),
	on(opPool, "Resource.AssignVMToPool"), on(opDS, "Datastore.AllocateSpace"),
	on(opFolder, "VirtualMachine.Config.Annotation", "VirtualMachine.Config.CPUCount", "VirtualMachine.Config.Memory",
		"VirtualMachine.Config.AdvancedConfig", "VirtualMachine.Config.AddRemoveDevice"),
	on(opNet, "Network.Assign"))

func machineOperations() []operation {
	template := func(r *rig) {
		if err := r.vm(r.admin, opVM).MarkAsTemplate(ctx); err != nil {
			r.Fatal(err)
		}
	}
	powered := func(r *rig) {
		if err := finish(r.vm(r.admin, opVM).PowerOn(ctx)); err != nil {
			r.Fatal(err)
		}
	}
	reconfigure := func(name, privilege string, spec types.VirtualMachineConfigSpec) operation {
		return operation{
			name: "reconfigure " + name, needs: on(opVM, "VirtualMachine.Config."+privilege),
			run: func(r *rig, c *govmomi.Client) error { return r.reconfigure(c, spec) },
		}
	}
	return []operation{
		{name: "clone template", setup: template, needs: all(on(opVM, "VirtualMachine.Provisioning.DeployTemplate"), cloneConfig), run: (*rig).clone},
		{name: "clone", needs: all(on(opVM, "VirtualMachine.Provisioning.Clone"), cloneConfig), run: (*rig).clone},
		{name: "power on", needs: on(opVM, "VirtualMachine.Interact.PowerOn"), run: func(r *rig, c *govmomi.Client) error {
			return finish(r.vm(c, opVM).PowerOn(ctx))
		}},
		{name: "power on several", needs: on(opVM, "VirtualMachine.Interact.PowerOn"), read: []string{"/DC0"}, run: func(r *rig, c *govmomi.Client) error {
			return finish(object.NewDatacenter(c.Client, r.ref("/DC0")).PowerOnVM(ctx, []types.ManagedObjectReference{r.ref(opVM)}))
		}},
		{name: "power off", setup: powered, needs: on(opVM, "VirtualMachine.Interact.PowerOff"), run: func(r *rig, c *govmomi.Client) error {
			return finish(r.vm(c, opVM).PowerOff(ctx))
		}},
		{name: "reset", setup: powered, needs: on(opVM, "VirtualMachine.Interact.Reset"), run: func(r *rig, c *govmomi.Client) error {
			return finish(r.vm(c, opVM).Reset(ctx))
		}},
		{name: "snapshot", needs: on(opVM, "VirtualMachine.State.CreateSnapshot"), run: func(r *rig, c *govmomi.Client) error {
			return finish(r.vm(c, opVM).CreateSnapshot(ctx, "s", "", false, false))
		}},
		{
			name: "destroy", needs: all(on(opVM, "VirtualMachine.Inventory.Delete"), on(opFolder, "VirtualMachine.Inventory.Delete")),
			run: func(r *rig, c *govmomi.Client) error { return finish(r.vm(c, opVM).Destroy(ctx)) },
		},
		{name: "mark as template", needs: on(opVM, "VirtualMachine.Provisioning.MarkAsTemplate"), run: func(r *rig, c *govmomi.Client) error {
			return r.vm(c, opVM).MarkAsTemplate(ctx)
		}},
		{
			name: "mark as machine", setup: template,
			needs: all(on(opVM, "VirtualMachine.Provisioning.MarkAsVM"), on(opPool, "Resource.AssignVMToPool")),
			run: func(r *rig, c *govmomi.Client) error {
				return r.vm(c, opVM).MarkAsVirtualMachine(ctx, *object.NewResourcePool(c.Client, r.ref(opPool)), nil)
			},
		},
		{
			name: "relocate", needs: all(on(opVM, "Resource.ColdMigrate"), on(opPool, "Resource.AssignVMToPool"), on(opDS, "Datastore.AllocateSpace")),
			run: func(r *rig, c *govmomi.Client) error {
				pool, ds := r.ref(opPool), r.ref(opDS)
				return finish(r.vm(c, opVM).Relocate(ctx, types.VirtualMachineRelocateSpec{Pool: &pool, Datastore: &ds}, ""))
			},
		},
		{
			name: "create", needs: all(on(opFolder, "VirtualMachine.Inventory.Create"), on(opPool, "Resource.AssignVMToPool"),
				on(opDS, "Datastore.AllocateSpace"), on(opFolder, "VirtualMachine.Config.AdvancedConfig")),
			read: []string{"/DC0"},
			run: func(r *rig, c *govmomi.Client) error {
				return finish(object.NewFolder(c.Client, r.ref(opFolder)).CreateVM(ctx, types.VirtualMachineConfigSpec{
					Name: "new", GuestId: "otherGuest", Files: &types.VirtualMachineFileInfo{VmPathName: "[LocalDS_0]"}, NumCPUs: 2,
					ExtraConfig: []types.BaseOptionValue{&types.OptionValue{Key: "guestinfo.x", Value: "y"}},
				}, object.NewResourcePool(c.Client, r.ref(opPool)), nil))
			},
		},
		{
			name: "import", needs: all(on(opPool, "VApp.Import"), on(opFolder, "VApp.Import"), on(opDS, "Datastore.AllocateSpace")),
			read: []string{"/DC0"},
			run: func(r *rig, c *govmomi.Client) error {
				folder := r.ref(opFolder)
				_, err := methods.ImportVApp(ctx, c, &types.ImportVApp{This: r.ref(opPool), Folder: &folder, Spec: &types.VirtualMachineImportSpec{
					ConfigSpec: types.VirtualMachineConfigSpec{Name: "ova", GuestId: "otherGuest", Files: &types.VirtualMachineFileInfo{VmPathName: "[LocalDS_0]"}},
				}})
				return err
			},
		},
		reconfigure("cpu", "CPUCount", types.VirtualMachineConfigSpec{NumCPUs: 4}),
		reconfigure("memory", "Memory", types.VirtualMachineConfigSpec{MemoryMB: 4096}),
		reconfigure("annotation", "Annotation", types.VirtualMachineConfigSpec{Annotation: "x"}),
		reconfigure("extra config", "AdvancedConfig", types.VirtualMachineConfigSpec{
			ExtraConfig: []types.BaseOptionValue{&types.OptionValue{Key: "guestinfo.x", Value: "y"}},
		}),
		reconfigure("shares", "Resource", types.VirtualMachineConfigSpec{CpuAllocation: &types.ResourceAllocationInfo{Reservation: types.NewInt64(1)}}),
		reconfigure("guest", "Settings", types.VirtualMachineConfigSpec{GuestId: "otherGuest64"}),
	}
}
