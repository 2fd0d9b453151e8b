package provision_test

import (
	"fmt"
	"path"
	"slices"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// operation is one of a component, done with a plain client. What it needs around it the administrator makes.
type operation struct {
	name string
	do   func(s *stage, c *vim25.Client) error
}

// operations lists them: look-ups by path as the components do them, then reading, machines, storage and administration
// on objects that are known already, so that a look-up that fails does not hide what else would be refused.
func operations() []operation {
	return slices.Concat(lookups(), capvOperations(), cryptoOperations(), tagOperations(), moveOperations(), storageOperations(), []operation{
		{"read machine", func(s *stage, c *vim25.Client) error {
			return read(s, c, s.machine().Reference(), "name", "runtime.powerState", "config.uuid", "guest.ipAddress")
		}},
		{"read hosts", func(s *stage, c *vim25.Client) error {
			for _, h := range s.v.Estate().Datacenters[0].Clusters[0].Hosts {
				if err := read(s, c, s.ref(h), "name", "runtime.connectionState", "config.product"); err != nil {
					return err
				}
			}
			return nil
		}},
		{"read datastore", func(s *stage, c *vim25.Client) error {
			return read(s, c, s.ref("/DC1/datastore/ds1"), "name", "summary.freeSpace", "info")
		}},
		{"read legacy machine", func(s *stage, c *vim25.Client) error {
			return read(s, c, s.ref("/DC1/vm/legacy/billing"), "name", "runtime.powerState")
		}},

		{"clone template", func(s *stage, c *vim25.Client) error {
			return clone(s, c, "/DC1/datastore/ds1", "/DC1/network/ocp-net")
		}},
		{"clone onto other datastore", func(s *stage, c *vim25.Client) error {
			return clone(s, c, "/DC1/datastore/other", "/DC1/network/ocp-net")
		}},
		{"clone onto other network", func(s *stage, c *vim25.Client) error {
			return clone(s, c, "/DC1/datastore/ds1", "/DC1/network/VM Network")
		}},
		{"add data disks", func(s *stage, c *vim25.Client) error {
			return clone(s, c, "/DC1/datastore/ds1", "/DC1/network/ocp-net", func(spec *types.VirtualMachineCloneSpec) {
				disk := &types.VirtualDisk{CapacityInKB: 1024, VirtualDevice: types.VirtualDevice{Key: -1, ControllerKey: 1000, UnitNumber: types.NewInt32(5)}}
				disk.Backing = &types.VirtualDiskFlatVer2BackingInfo{DiskMode: "persistent", ThinProvisioned: new(true)}
				spec.Config.Annotation = "" // which Cluster API does not set
				spec.Config.DeviceChange = append(spec.Config.DeviceChange, &types.VirtualDeviceConfigSpec{Operation: "add", FileOperation: "create", Device: disk})
			})
		}},
		{"clone virtual machine", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			name := s.name("clone")
			s.later(s.discard(path.Join(s.folder, name)))
			spec := s.cloneSpec("/DC1/datastore/ds1", "/DC1/network/ocp-net")
			return s.done(as(c, m).Clone(s.ctx, object.NewFolder(c, s.ref(s.folder)), name, spec))
		}},
		{"take disks from machine", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			s.need(addDisk(s, s.admin, m, "[ds1] "+s.name("late")+".vmdk", true))
			devices, err := m.Device(s.ctx)
			s.need(err)
			disks := devices.SelectByType((*types.VirtualDisk)(nil))
			return as(c, m).RemoveDevice(s.ctx, true, disks[len(disks)-1])
		}},
		{"change cpu and memory", func(s *stage, c *vim25.Client) error {
			return s.done(as(c, s.machine()).Reconfigure(s.ctx, types.VirtualMachineConfigSpec{NumCPUs: 4, MemoryMB: 4096}))
		}},
		{"add disk", func(s *stage, c *vim25.Client) error {
			return addDisk(s, c, s.machine(), "[ds1] "+s.name("new")+".vmdk", true)
		}},
		{"power on", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			_ = s.done(m.PowerOff(s.ctx))
			return s.done(as(c, m).PowerOn(s.ctx))
		}},
		{"power off", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			_ = s.done(m.PowerOn(s.ctx))
			return s.done(as(c, m).PowerOff(s.ctx))
		}},
		{"snapshot", func(s *stage, c *vim25.Client) error {
			return s.done(as(c, s.machine()).CreateSnapshot(s.ctx, "s", "", false, false))
		}},
		{"destroy machine", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			_ = s.done(m.PowerOff(s.ctx))
			return s.done(as(c, m).Destroy(s.ctx))
		}},
		{"power legacy machine", func(s *stage, c *vim25.Client) error {
			m := object.NewVirtualMachine(s.admin, s.ref("/DC1/vm/legacy/billing"))
			_ = s.done(m.PowerOff(s.ctx))
			return s.done(as(c, m).PowerOn(s.ctx))
		}},
		{"mark as template", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			_ = s.done(m.PowerOff(s.ctx))
			return as(c, m).MarkAsTemplate(s.ctx)
		}},
		{"import machine", importMachine},
		{"import boot image", importMachine},
		{"make boot image a template", func(s *stage, c *vim25.Client) error {
			m := s.throwaway()
			changes := types.VirtualMachineConfigSpec{BootOptions: &types.VirtualMachineBootOptions{BootDelay: 1}}
			if err := s.done(as(c, m).Reconfigure(s.ctx, changes)); err != nil {
				return err
			}
			name := s.name("image")
			if err := s.done(as(c, m).Rename(s.ctx, name)); err != nil {
				return err
			}
			s.later(s.discard(path.Join(s.folder, name)))
			return as(c, m).MarkAsTemplate(s.ctx)
		}},
		{"destroy boot image", func(s *stage, c *vim25.Client) error {
			m := s.throwaway()
			s.need(m.MarkAsTemplate(s.ctx))
			return s.done(as(c, m).Destroy(s.ctx))
		}},
		{"create folder", func(s *stage, c *vim25.Client) error {
			f, err := object.NewFolder(c, s.ref(s.parent)).CreateFolder(s.ctx, s.name("folder"))
			if err == nil {
				s.later(func() { s.need(s.done(object.NewFolder(s.admin, f.Reference()).Destroy(s.ctx))) })
			}
			return err
		}},
		{"delete folder", func(s *stage, c *vim25.Client) error {
			f, err := object.NewFolder(s.admin, s.ref(s.parent)).CreateFolder(s.ctx, s.name("folder"))
			s.need(err)
			s.later(func() { _ = s.done(f.Destroy(s.ctx)) })
			return s.done(object.NewFolder(c, f.Reference()).Destroy(s.ctx))
		}},

		{"browse datastore", func(s *stage, c *vim25.Client) error {
			var ds mo.Datastore
			s.need(property.DefaultCollector(s.admin).RetrieveOne(s.ctx, s.ref("/DC1/datastore/ds1"), []string{"browser"}, &ds))
			return s.done(object.NewHostDatastoreBrowser(c, ds.Browser).SearchDatastore(s.ctx, "[ds1]", &types.HostDatastoreBrowserSearchSpec{}))
		}},
		{"make directory", func(s *stage, c *vim25.Client) error {
			return object.NewFileManager(c).MakeDirectory(s.ctx, "[ds1] "+s.name("dir"), object.NewDatacenter(c, s.ref("/DC1")), true)
		}},
		{"create disk file", func(s *stage, c *vim25.Client) error { return s.diskFile(c, s.name("disk")) }},
		{"create first class disk", func(s *stage, c *vim25.Client) error { _, err := s.volume(c); return err }},
		{"attach disk", func(s *stage, c *vim25.Client) error {
			m, id := s.machine(), s.adminVolume()
			return s.attach(c, m, id)
		}},
		{"attach existing disk file", func(s *stage, c *vim25.Client) error {
			name := s.name("disk")
			s.need(s.diskFile(s.admin, name))
			return addDisk(s, c, s.machine(), "[ds1] "+name+".vmdk", false)
		}},
		{"detach disk", func(s *stage, c *vim25.Client) error {
			m, id := s.machine(), s.adminVolume()
			s.need(s.attach(s.admin, m, id))
			res, err := methods.DetachDisk_Task(s.ctx, c, &types.DetachDisk_Task{This: m.Reference(), DiskId: id})
			if err != nil {
				return err
			}
			return object.NewTask(c, res.Returnval).Wait(s.ctx)
		}},

		{"enter maintenance mode", func(s *stage, c *vim25.Client) error {
			h := object.NewHostSystem(s.admin, s.ref(s.v.Estate().Datacenters[0].Clusters[0].Hosts[0]))
			s.later(func() { _ = s.done(h.ExitMaintenanceMode(s.ctx, 0)) })
			return s.done(object.NewHostSystem(c, h.Reference()).EnterMaintenanceMode(s.ctx, 0, false, nil))
		}},
		{"add role", func(s *stage, c *vim25.Client) error {
			_, err := object.NewAuthorizationManager(c).AddRole(s.ctx, s.name("role"), []string{"System.Read"})
			return err
		}},
		{"set permission", func(s *stage, c *vim25.Client) error {
			return object.NewAuthorizationManager(c).SetEntityPermissions(s.ctx, s.ref(s.folder), []types.Permission{
				{Principal: "ocp-cluster1-csi-driver@" + s.v.Directory().Domain(), RoleId: -1, Propagate: true},
			})
		}},
	})
}

// read fails when one of the properties cannot be read.
func read(s *stage, c *vim25.Client, ref types.ManagedObjectReference, properties ...string) error {
	res, err := methods.RetrievePropertiesEx(s.ctx, c, &types.RetrievePropertiesEx{
		This: c.ServiceContent.PropertyCollector, SpecSet: []types.PropertyFilterSpec{{
			PropSet:   []types.PropertySpec{{Type: ref.Type, PathSet: properties}},
			ObjectSet: []types.ObjectSpec{{Obj: ref}},
		}},
	})
	if err != nil {
		return err
	}
	for _, o := range res.Returnval.Objects {
		for _, m := range o.MissingSet {
			return refusal{m.Fault.Fault}
		}
	}
	return nil
}

// refusal is a fault that came as a value.
type refusal struct{ fault types.BaseMethodFault }

func (r refusal) Error() string                { return fmt.Sprintf("refused: %T", r.fault) }
func (r refusal) Fault() types.BaseMethodFault { return r.fault }

// cloneSpec places a clone as machine-api does: in the pool, on a datastore, with a network card, and with another size.
func (s *stage) cloneSpec(datastore, network string) types.VirtualMachineCloneSpec {
	s.Helper()
	pool, ds, net := s.ref(s.pool), s.ref(datastore), s.ref(network)
	o, ok := object.NewReference(s.admin, net).(object.NetworkReference)
	if !ok {
		s.Fatalf("%s is no network", network)
	}
	backing, err := o.EthernetCardBackingInfo(s.ctx)
	s.need(err)
	card, err := object.EthernetCardTypes().CreateEthernetCard("vmxnet3", backing)
	s.need(err)
	return types.VirtualMachineCloneSpec{
		Location: types.VirtualMachineRelocateSpec{Pool: &pool, Datastore: &ds},
		Config: &types.VirtualMachineConfigSpec{
			NumCPUs: 2, MemoryMB: 2048, Annotation: "made for a Machine", InstanceUuid: uuid.NewString(), Flags: &types.VirtualMachineFlagInfo{DiskUuidEnabled: new(true)},
			ExtraConfig:  []types.BaseOptionValue{&types.OptionValue{Key: "guestinfo.ignition.config.data", Value: "e30="}},
			DeviceChange: []types.BaseVirtualDeviceConfigSpec{&types.VirtualDeviceConfigSpec{Operation: "add", Device: card}},
		},
	}
}

func clone(s *stage, c *vim25.Client, datastore, network string, more ...func(*types.VirtualMachineCloneSpec)) error {
	name := s.name("clone")
	s.later(s.discard(path.Join(s.folder, name)))
	template := object.NewVirtualMachine(c, s.ref("/DC1/vm/templates/rhcos"))
	spec := s.cloneSpec(datastore, network)
	spec.Config.DeviceChange = append(spec.Config.DeviceChange, s.largerDisks(template)...)
	for _, more := range more {
		more(&spec)
	}
	return s.done(template.Clone(s.ctx, object.NewFolder(c, s.ref(s.folder)), name, spec))
}

// largerDisks are the disks of a template, of the size that a machine wants.
func (s *stage) largerDisks(template *object.VirtualMachine) (changes []types.BaseVirtualDeviceConfigSpec) {
	s.Helper()
	devices, err := object.NewVirtualMachine(s.admin, template.Reference()).Device(s.ctx)
	s.need(err)
	for _, d := range devices.SelectByType((*types.VirtualDisk)(nil)) {
		disk, ok := d.(*types.VirtualDisk)
		if !ok {
			s.Fatalf("%T", d)
		}
		disk.CapacityInKB += 1024
		disk.CapacityInBytes = disk.CapacityInKB * 1024
		changes = append(changes, &types.VirtualDeviceConfigSpec{Operation: "edit", Device: disk})
	}
	return changes
}

func importMachine(s *stage, c *vim25.Client) error {
	name, folder := s.name("ova"), s.ref(s.folder)
	s.later(s.discard(path.Join(s.folder, name)))
	_, err := methods.ImportVApp(s.ctx, c, &types.ImportVApp{This: s.ref(s.pool), Folder: &folder, Spec: &types.VirtualMachineImportSpec{
		ConfigSpec: types.VirtualMachineConfigSpec{
			Name: name, GuestId: "otherGuest", Files: &types.VirtualMachineFileInfo{VmPathName: "[ds1]"},
			DeviceChange: s.cloneSpec(s.datastore, s.network).Config.DeviceChange,
		},
	}})
	return err
}

// addDisk gives a machine a disk at a path, which is made or exists.
func addDisk(s *stage, c *vim25.Client, m *object.VirtualMachine, file string, create bool) error {
	devices, err := m.Device(s.ctx)
	s.need(err)
	controller, err := devices.FindDiskController("")
	s.need(err)
	disk := devices.CreateDisk(controller, s.ref("/DC1/datastore/ds1"), file)
	change := &types.VirtualDeviceConfigSpec{Operation: "add", Device: disk}
	if create {
		disk.CapacityInKB, change.FileOperation = 1024, "create"
	}
	return s.done(as(c, m).Reconfigure(s.ctx, types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{change}}))
}

func (s *stage) diskFile(c *vim25.Client, name string) error {
	return s.done(object.NewVirtualDiskManager(c).CreateVirtualDisk(s.ctx, "[ds1] "+name+".vmdk", object.NewDatacenter(c, s.ref("/DC1")),
		&types.FileBackedVirtualDiskSpec{VirtualDiskSpec: types.VirtualDiskSpec{DiskType: "thin", AdapterType: "lsiLogic"}, CapacityKb: 1024}))
}

// volume makes a first class disk, which is what a volume of the driver is.
func (s *stage) volume(c *vim25.Client) (types.ID, error) {
	res, err := methods.CreateDisk_Task(s.ctx, c, &types.CreateDisk_Task{This: *c.ServiceContent.VStorageObjectManager, Spec: types.VslmCreateSpec{
		Name: s.name("pvc"), CapacityInMB: 1,
		BackingSpec: &types.VslmCreateSpecDiskFileBackingSpec{VslmCreateSpecBackingSpec: types.VslmCreateSpecBackingSpec{Datastore: s.ref("/DC1/datastore/ds1")}},
	}})
	if err != nil {
		return types.ID{}, err
	}
	info, err := object.NewTask(c, res.Returnval).WaitForResult(s.ctx)
	if err != nil {
		return types.ID{}, err
	}
	o, ok := info.Result.(types.VStorageObject)
	if !ok {
		s.Fatalf("the result is %T", info.Result)
	}
	return o.Config.Id, nil
}

func (s *stage) adminVolume() types.ID {
	s.Helper()
	id, err := s.volume(s.admin)
	s.need(err)
	return id
}

func (s *stage) attach(c *vim25.Client, m *object.VirtualMachine, id types.ID) error {
	res, err := methods.AttachDisk_Task(s.ctx, c, &types.AttachDisk_Task{This: m.Reference(), DiskId: id, Datastore: s.ref("/DC1/datastore/ds1")})
	if err != nil {
		return err
	}
	return object.NewTask(c, res.Returnval).Wait(s.ctx)
}
