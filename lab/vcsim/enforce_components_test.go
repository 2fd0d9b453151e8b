package vcsim

import (
	"context"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// opFile is a file of a disk, for calls by path.
const opFile = "[LocalDS_0] disk.vmdk"

// componentOperations are calls that components of OpenShift make, the CSI driver outside it and
// Cluster API, beside those above: each with what a vCenter checks for it.
func componentOperations() []operation {
	vm := func(r *rig, c *govmomi.Client) *object.VirtualMachine { return r.vm(c, opVM) }
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
	snapped := func(r *rig) {
		if err := finish(r.vm(r.admin, opVM).CreateSnapshot(ctx, "s", "", false, false)); err != nil {
			r.Fatal(err)
		}
	}
	disked := func(r *rig) { r.Helper(); must(0, r.makeDisk(r.admin)) }
	changed := func(name string, needs []held, spec func(r *rig) types.VirtualMachineConfigSpec) operation {
		return operation{name: name, needs: needs, run: func(r *rig, c *govmomi.Client) error {
			return r.reconfigure(c, spec(r))
		}}
	}
	device := func(name string, op types.VirtualDeviceConfigSpecOperation, privileges []held, made func(*rig) types.BaseVirtualDevice) operation {
		o := changed(name, privileges, func(r *rig) types.VirtualMachineConfigSpec {
			return types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{
				&types.VirtualDeviceConfigSpec{Operation: op, Device: made(r)},
			}}
		})
		o.setup = func(r *rig) { // the machine has a CD drive
			devices := must(r.vm(r.admin, opVM).Device(ctx))
			if err := r.change(r.admin, "add", "", must(devices.CreateCdrom(must(devices.FindIDEController(""))))); err != nil {
				r.Fatal(err)
			}
		}
		return o
	}
	card := func(r *rig) types.BaseVirtualDevice {
		return must(r.vm(r.admin, opVM).Device(ctx)).SelectByType((*types.VirtualEthernetCard)(nil))[0]
	}
	cdrom := func(r *rig) *types.VirtualCdrom {
		return must(must(r.vm(r.admin, opVM).Device(ctx)).FindCdrom(""))
	}
	files := func(call func(context.Context, *object.FileManager, *object.Datacenter) (*object.Task, error)) func(*rig, *govmomi.Client) error {
		return func(r *rig, c *govmomi.Client) error {
			return finish(call(ctx, object.NewFileManager(c.Client), object.NewDatacenter(c.Client, r.ref("/DC0"))))
		}
	}
	disks := func(call func(context.Context, *object.VirtualDiskManager, *object.Datacenter) (*object.Task, error)) func(*rig, *govmomi.Client) error {
		return func(r *rig, c *govmomi.Client) error {
			return finish(call(ctx, object.NewVirtualDiskManager(c.Client), object.NewDatacenter(c.Client, r.ref("/DC0"))))
		}
	}
	manage, inDatacenter := on(opDS, "Datastore.FileManagement"), []string{"/DC0"}
	clone := func(spec func(r *rig, s *types.VirtualMachineCloneSpec)) func(*rig, *govmomi.Client) error {
		return func(r *rig, c *govmomi.Client) error {
			pool, ds := r.ref(opPool), r.ref(opDS)
			s := types.VirtualMachineCloneSpec{Location: types.VirtualMachineRelocateSpec{Pool: &pool, Datastore: &ds}}
			spec(r, &s)
			return finish(vm(r, c).Clone(ctx, object.NewFolder(c.Client, r.ref(opFolder)), "copy", s))
		}
	}
	place := all(on(opFolder, "VirtualMachine.Inventory.CreateFromExisting"), on(opPool, "Resource.AssignVMToPool"), on(opDS, "Datastore.AllocateSpace"))
	asClone := func(privileges ...held) []held {
		return all(on(opVM, "VirtualMachine.Provisioning.Clone"), place, privileges)
	}
	return []operation{
		// machine-api, Cluster API, machine-config: machines
		{name: "check session", needs: on("/", "Sessions.ValidateSession"), run: func(r *rig, c *govmomi.Client) error {
			s := must(c.SessionManager.UserSession(ctx))
			_, err := methods.SessionIsActive(ctx, c, &types.SessionIsActive{This: *c.ServiceContent.SessionManager, SessionID: s.Key, UserName: s.UserName})
			return err
		}},
		{
			name: "clone into a template", run: clone(func(_ *rig, s *types.VirtualMachineCloneSpec) { s.Template = true }),
			needs: all(on(opVM, "VirtualMachine.Provisioning.CreateTemplateFromVM"), on(opFolder, "VirtualMachine.Inventory.CreateFromExisting"), on(opDS, "Datastore.AllocateSpace")),
		},
		{
			name: "clone a template into a template", setup: template, run: clone(func(_ *rig, s *types.VirtualMachineCloneSpec) { s.Template = true }),
			needs: all(on(opVM, "VirtualMachine.Provisioning.CloneTemplate"), on(opFolder, "VirtualMachine.Inventory.CreateFromExisting"), on(opDS, "Datastore.AllocateSpace")),
		},
		{
			name: "clone and customize", needs: all(on(opVM, "VirtualMachine.Provisioning.Clone"), on(opFolder, "VirtualMachine.Inventory.CreateFromExisting"), on(opVM, "VirtualMachine.Provisioning.Customize"), on(opPool, "Resource.AssignVMToPool"), on(opDS, "Datastore.AllocateSpace")),
			run: clone(func(_ *rig, s *types.VirtualMachineCloneSpec) {
				s.Customization = &types.CustomizationSpec{
					Identity:      &types.CustomizationLinuxPrep{HostName: &types.CustomizationFixedName{Name: "x"}},
					NicSettingMap: []types.CustomizationAdapterMapping{{Adapter: types.CustomizationIPSettings{Ip: &types.CustomizationDhcpIpGenerator{}}}},
				}
			}),
		},
		{
			name: "clone and power on", needs: asClone(on(opFolder, "VirtualMachine.Interact.PowerOn")...),
			run: clone(func(_ *rig, s *types.VirtualMachineCloneSpec) { s.PowerOn = true }),
		},
		{
			name: "clone with resources", needs: asClone(on(opFolder, "VirtualMachine.Config.Resource")...),
			run: clone(func(_ *rig, s *types.VirtualMachineCloneSpec) {
				s.Config = &types.VirtualMachineConfigSpec{MemoryAllocation: &types.ResourceAllocationInfo{Reservation: types.NewInt64(1)}}
			}),
		},
		{
			name: "clone with settings", needs: asClone(on(opFolder, "VirtualMachine.Config.Settings")...),
			run: clone(func(_ *rig, s *types.VirtualMachineCloneSpec) {
				s.Config = &types.VirtualMachineConfigSpec{Flags: &types.VirtualMachineFlagInfo{DiskUuidEnabled: new(true)}}
			}),
		},
		{
			name: "clone without its vApp settings", needs: asClone(on(opFolder, "VApp.ApplicationConfig")...),
			run: clone(func(_ *rig, s *types.VirtualMachineCloneSpec) {
				s.Config = &types.VirtualMachineConfigSpec{VAppConfigRemoved: new(true)}
			}),
		},
		{
			name: "clone with a larger disk", needs: asClone(on(opFolder, "VirtualMachine.Config.DiskExtend")...),
			run: clone(func(r *rig, s *types.VirtualMachineCloneSpec) {
				d := r.disk()
				d.CapacityInKB, d.CapacityInBytes = d.CapacityInKB*2, 0
				s.Config = &types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{
					&types.VirtualDeviceConfigSpec{Operation: "edit", Device: d},
				}}
			}),
		},
		{
			name: "clone without its card", needs: asClone(on(opFolder, "VirtualMachine.Config.AddRemoveDevice")...),
			run: clone(func(r *rig, s *types.VirtualMachineCloneSpec) {
				s.Config = &types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{
					&types.VirtualDeviceConfigSpec{Operation: "remove", Device: card(r)},
				}}
			}),
		},
		{
			name: "clone with a network device by relocation", needs: asClone(all(on(opFolder, "VirtualMachine.Config.EditDevice"), on("/DC0/network/VM Network", "Network.Assign"))...),
			read: inDatacenter,
			run: clone(func(r *rig, s *types.VirtualMachineCloneSpec) {
				c := card(r)
				c.GetVirtualDevice().Backing = &types.VirtualEthernetCardNetworkBackingInfo{
					VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: "VM Network"},
				}
				s.Location.DeviceChange = []types.BaseVirtualDeviceConfigSpec{&types.VirtualDeviceConfigSpec{Operation: "edit", Device: c}}
			}),
		},
		{name: "shut down the guest", setup: powered, needs: on(opVM, "VirtualMachine.Interact.PowerOff"), run: func(r *rig, c *govmomi.Client) error {
			return vm(r, c).ShutdownGuest(ctx)
		}},
		{name: "suspend", setup: powered, needs: on(opVM, "VirtualMachine.Interact.Suspend"), run: func(r *rig, c *govmomi.Client) error {
			return finish(vm(r, c).Suspend(ctx))
		}},
		{name: "upgrade hardware", needs: on(opVM, "VirtualMachine.Config.UpgradeVirtualHardware"), run: func(r *rig, c *govmomi.Client) error {
			return finish(vm(r, c).UpgradeVM(ctx, "vmx-20"))
		}},
		{name: "rename machine", needs: on(opVM, "VirtualMachine.Config.Rename"), run: func(r *rig, c *govmomi.Client) error {
			return finish(vm(r, c).Rename(ctx, "renamed"))
		}},
		{name: "unregister", needs: all(on(opVM, "VirtualMachine.Inventory.Unregister"), on(opFolder, "VirtualMachine.Inventory.Unregister")), run: func(r *rig, c *govmomi.Client) error {
			return vm(r, c).Unregister(ctx)
		}},
		{name: "remove snapshot", setup: snapped, needs: on(opVM, "VirtualMachine.State.RemoveSnapshot"), run: func(r *rig, c *govmomi.Client) error {
			ref := must(r.vm(r.admin, opVM).FindSnapshot(ctx, "s"))
			res, err := methods.RemoveSnapshot_Task(ctx, c, &types.RemoveSnapshot_Task{This: *ref})
			if err != nil {
				return err
			}
			return object.NewTask(c.Client, res.Returnval).Wait(ctx)
		}},
		{name: "remove all snapshots", setup: snapped, needs: on(opVM, "VirtualMachine.State.RemoveSnapshot"), run: func(r *rig, c *govmomi.Client) error {
			return finish(vm(r, c).RemoveAllSnapshot(ctx, nil))
		}},
		{name: "revert snapshot", setup: snapped, needs: on(opVM, "VirtualMachine.State.RevertToSnapshot"), run: func(r *rig, c *govmomi.Client) error {
			return finish(vm(r, c).RevertToCurrentSnapshot(ctx, true))
		}},
		{name: "group machines", read: []string{opVM}, needs: on(opCluster, "Host.Inventory.EditCluster"), run: func(r *rig, c *govmomi.Client) error {
			return finish(object.NewClusterComputeResource(c.Client, r.ref(opCluster)).Reconfigure(ctx, &types.ClusterConfigSpecEx{GroupSpec: []types.ClusterGroupSpec{{
				ArrayUpdateSpec: types.ArrayUpdateSpec{Operation: types.ArrayUpdateOperationAdd},
				Info:            &types.ClusterVmGroup{ClusterGroupInfo: types.ClusterGroupInfo{Name: "zone"}, Vm: []types.ManagedObjectReference{r.ref(opVM)}},
			}}}, true))
		}},
		changed("flags", on(opVM, "VirtualMachine.Config.Settings"), func(*rig) types.VirtualMachineConfigSpec {
			return types.VirtualMachineConfigSpec{Flags: &types.VirtualMachineFlagInfo{DiskUuidEnabled: new(true)}}
		}),
		changed("vApp properties removed", on(opVM, "VApp.ApplicationConfig"), func(*rig) types.VirtualMachineConfigSpec {
			return types.VirtualMachineConfigSpec{VAppConfigRemoved: new(true)}
		}),
		changed("changed blocks", on(opVM, "VirtualMachine.Config.ChangeTracking"), func(*rig) types.VirtualMachineConfigSpec {
			return types.VirtualMachineConfigSpec{ChangeTrackingEnabled: new(true)}
		}),
		device("remove card", "remove", on(opVM, "VirtualMachine.Config.AddRemoveDevice"), card),
		device("add CD drive", "add", on(opVM, "VirtualMachine.Config.AddRemoveDevice"), func(r *rig) types.BaseVirtualDevice {
			devices := must(r.vm(r.admin, opVM).Device(ctx))
			return must(devices.CreateCdrom(must(devices.FindIDEController(""))))
		}),
		device("edit disk's mode", "edit", on(opVM, "VirtualMachine.Config.EditDevice"), func(r *rig) types.BaseVirtualDevice {
			d := r.disk()
			if b, ok := d.Backing.(*types.VirtualDiskFlatVer2BackingInfo); ok {
				b.DiskMode = "independent_persistent"
			}
			return d
		}),
		device("disconnect card", "edit", on(opVM, "VirtualMachine.Interact.DeviceConnection"), func(r *rig) types.BaseVirtualDevice {
			d := card(r)
			d.GetVirtualDevice().Connectable = &types.VirtualDeviceConnectInfo{StartConnected: false, AllowGuestControl: false}
			return d
		}),
		device("connect CD drive", "edit", on(opVM, "VirtualMachine.Interact.DeviceConnection"), func(r *rig) types.BaseVirtualDevice {
			d := cdrom(r)
			d.Connectable = &types.VirtualDeviceConnectInfo{StartConnected: true, Connected: true}
			return d
		}),
		device("change CD", "edit", on(opVM, "VirtualMachine.Interact.SetCDMedia"), func(r *rig) types.BaseVirtualDevice {
			d := cdrom(r)
			d.Backing = &types.VirtualCdromIsoBackingInfo{VirtualDeviceFileBackingInfo: types.VirtualDeviceFileBackingInfo{FileName: "[LocalDS_0] a.iso"}}
			return d
		}),

		// installer: folders, pools, files
		{
			name: "destroy pool", needs: all(on(opPool+"/p", "Resource.DeletePool"), on(opPool, "Resource.DeletePool")),
			setup: func(r *rig) {
				must(object.NewResourcePool(r.admin.Client, r.ref(opPool)).Create(ctx, "p", types.DefaultResourceConfigSpec()))
			},
			run: func(r *rig, c *govmomi.Client) error {
				return finish(object.NewResourcePool(c.Client, r.ref(opPool+"/p")).Destroy(ctx))
			},
		},
		{
			name: "destroy folder", needs: all(on(opFolder+"/g", "Folder.Delete"), on(opFolder, "Folder.Delete")),
			setup: func(r *rig) { must(object.NewFolder(r.admin.Client, r.ref(opFolder)).CreateFolder(ctx, "g")) },
			run: func(r *rig, c *govmomi.Client) error {
				return finish(object.NewFolder(c.Client, r.ref(opFolder+"/g")).Destroy(ctx))
			},
		},
		{
			name: "import with a disk and a card", read: inDatacenter,
			needs: all(on(opPool, "VApp.Import"), on(opFolder, "VApp.Import"), on(opNet, "Network.Assign"), on(opDS, "Datastore.AllocateSpace")),
			run: func(r *rig, c *govmomi.Client) error {
				folder := r.ref(opFolder)
				nic := &types.VirtualVmxnet3{}
				nic.Key = -1
				nic.Backing = must(object.NewDistributedVirtualPortgroup(r.admin.Client, r.ref(opNet)).EthernetCardBackingInfo(ctx))
				_, err := methods.ImportVApp(ctx, c, &types.ImportVApp{This: r.ref(opPool), Folder: &folder, Spec: &types.VirtualMachineImportSpec{
					ConfigSpec: types.VirtualMachineConfigSpec{
						Name: "ova", GuestId: "otherGuest", Files: &types.VirtualMachineFileInfo{VmPathName: "[LocalDS_0]"},
						DeviceChange: []types.BaseVirtualDeviceConfigSpec{&types.VirtualDeviceConfigSpec{Operation: "add", Device: nic}},
					},
				}})
				return err
			},
		},

		// CSI driver, in-tree volumes, problem detector: files and disks of datastores
		{name: "delete file", setup: disked, needs: manage, read: inDatacenter, run: files(func(ctx context.Context, m *object.FileManager, dc *object.Datacenter) (*object.Task, error) {
			return m.DeleteDatastoreFile(ctx, opFile, dc)
		})},
		{name: "move file", setup: disked, needs: manage, read: inDatacenter, run: files(func(ctx context.Context, m *object.FileManager, dc *object.Datacenter) (*object.Task, error) {
			return m.MoveDatastoreFile(ctx, opFile, dc, "[LocalDS_0] moved.vmdk", dc, true)
		})},
		{name: "delete virtual disk", setup: disked, needs: manage, read: inDatacenter, run: disks(func(ctx context.Context, m *object.VirtualDiskManager, dc *object.Datacenter) (*object.Task, error) {
			return m.DeleteVirtualDisk(ctx, opFile, dc)
		})},
		{name: "extend virtual disk", setup: disked, needs: manage, read: inDatacenter, run: disks(func(ctx context.Context, m *object.VirtualDiskManager, dc *object.Datacenter) (*object.Task, error) {
			return m.ExtendVirtualDisk(ctx, opFile, dc, 1<<20, nil)
		})},
		{name: "read a disk's UUID", setup: disked, needs: manage, read: inDatacenter, run: func(r *rig, c *govmomi.Client) error {
			_, err := object.NewVirtualDiskManager(c.Client).QueryVirtualDiskUuid(ctx, opFile, object.NewDatacenter(c.Client, r.ref("/DC0")))
			return err
		}},
		{name: "register first class disk", setup: disked, needs: manage, run: func(r *rig, c *govmomi.Client) error {
			_, err := methods.RegisterDisk(ctx, c, &types.RegisterDisk{This: *c.ServiceContent.VStorageObjectManager, Path: "https://vc/folder/disk.vmdk?dcPath=/DC0&dsName=LocalDS_0"})
			return err
		}},
		{name: "search datastore and below", needs: on(opDS, "Datastore.Browse"), run: func(r *rig, c *govmomi.Client) error {
			var ds mo.Datastore
			if err := r.admin.RetrieveOne(ctx, r.ref(opDS), []string{"browser"}, &ds); err != nil {
				return err
			}
			return finish(object.NewHostDatastoreBrowser(c.Client, ds.Browser).SearchDatastoreSubFolders(ctx, "[LocalDS_0]", &types.HostDatastoreBrowserSearchSpec{}))
		}},
	}
}

// makeDisk makes the operations' file of a disk.
func (r *rig) makeDisk(c *govmomi.Client) error {
	return finish(object.NewVirtualDiskManager(c.Client).CreateVirtualDisk(ctx, opFile, object.NewDatacenter(c.Client, r.ref("/DC0")),
		&types.FileBackedVirtualDiskSpec{VirtualDiskSpec: types.VirtualDiskSpec{DiskType: "thin", AdapterType: "lsiLogic"}, CapacityKb: 1024}))
}
