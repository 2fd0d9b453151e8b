package vcsim

import (
	"slices"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// cloner clones machines as machine-api does.
type cloner struct {
	*testing.T
	client   *vim25.Client
	find     *finding.Finder
	template *object.VirtualMachine
	pool     moref
	folder   *object.Folder
}

func newCloner(t *testing.T, v *VCenter) *cloner {
	t.Helper()
	c := &cloner{T: t, client: admin(t, v)}
	c.find = finding.NewFinder(c.client)
	c.template = must(c.find.VirtualMachine(t.Context(), "/DC1/vm/templates/rhcos"))
	c.pool = must(c.find.ResourcePool(t.Context(), "/DC1/host/C1/Resources/openshift")).Reference()
	c.folder = must(c.find.Folder(t.Context(), "/DC1/vm/openshift/cluster1"))
	return c
}

// replaced are the changes by which a new node gets a larger disk, and its own card for that of the template.
func (c *cloner) replaced(gib int64) []types.BaseVirtualDeviceConfigSpec {
	c.Helper()
	var changes []types.BaseVirtualDeviceConfigSpec
	devices := must(c.template.Device(c.Context()))
	for _, d := range devices.SelectByType((*types.VirtualDisk)(nil)) {
		disk := must(as[*types.VirtualDisk](d))
		disk.CapacityInKB = gib << 20
		changes = append(changes, &types.VirtualDeviceConfigSpec{Operation: types.VirtualDeviceConfigSpecOperationEdit, Device: disk})
	}
	for _, d := range devices.SelectByType((*types.VirtualEthernetCard)(nil)) {
		changes = append(changes, &types.VirtualDeviceConfigSpec{Operation: types.VirtualDeviceConfigSpecOperationRemove, Device: d})
	}
	card := must(object.EthernetCardTypes().CreateEthernetCard("vmxnet3", &types.VirtualEthernetCardNetworkBackingInfo{
		VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: machineNetwork},
	}))
	card.GetVirtualDevice().Key = -100
	return append(changes, &types.VirtualDeviceConfigSpec{Operation: types.VirtualDeviceConfigSpecOperationAdd, Device: card})
}

func (c *cloner) clone(name string, changes []types.BaseVirtualDeviceConfigSpec) (*object.VirtualMachine, *types.TaskInfo) {
	c.Helper()
	task, err := c.template.Clone(c.Context(), c.folder, name, types.VirtualMachineCloneSpec{
		Location: types.VirtualMachineRelocateSpec{Pool: &c.pool},
		Config:   &types.VirtualMachineConfigSpec{DeviceChange: changes, Flags: &types.VirtualMachineFlagInfo{DiskUuidEnabled: new(true)}},
	})
	if err != nil {
		c.Fatal(err)
	}
	info, err := task.WaitForResult(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	return object.NewVirtualMachine(c.client, must(as[moref](info.Result))), info
}

// hardware is what the tests look at.
type hardware struct {
	file, disk string // of the disk: where it is, and its UUID
	kib        int64
	address    string
}

func (c *cloner) hardware(vm *object.VirtualMachine) (h hardware) {
	c.Helper()
	var m mo.VirtualMachine
	if err := property.DefaultCollector(c.client).RetrieveOne(c.Context(), vm.Reference(), []string{"config", "guest.net"}, &m); err != nil {
		c.Fatal(err)
	}
	disks, cards := 0, 0
	for _, d := range m.Config.Hardware.Device {
		switch d := d.(type) {
		case *types.VirtualDisk:
			backing := must(as[*types.VirtualDiskFlatVer2BackingInfo](d.Backing))
			h.file, h.disk, h.kib = backing.FileName, backing.Uuid, d.CapacityInKB
			disks++
		case types.BaseVirtualEthernetCard:
			h.address = d.GetVirtualEthernetCard().MacAddress
			cards++
		}
	}
	if disks != 1 || cards != 1 || len(m.Guest.Net) != 1 {
		c.Errorf("%s: %d disks, %d cards, %d of them in the guest", m.Config.Name, disks, cards, len(m.Guest.Net))
	}
	if !isTrue(m.Config.Flags.DiskUuidEnabled) {
		c.Errorf("%s: the UUIDs of its disks are hidden from it", m.Config.Name)
	}
	return h
}

// there reports whether a datastore has a file.
func (c *cloner) there(file string) bool {
	c.Helper()
	var p object.DatastorePath
	p.FromString(file)
	ds := must(c.find.Datastore(c.Context(), "/DC1/datastore/"+p.Datastore))
	_, err := ds.Stat(c.Context(), p.Path)
	return err == nil
}

// Created, destroyed and created again, with a larger disk and another card than the template's.
func TestClonesHaveTheirOwnDisks(t *testing.T) {
	c := newCloner(t, start(t, Options{}).VCenters[0])
	template := c.hardware(c.template)
	for range 2 {
		vm, info := c.clone("node", c.replaced(120))
		if info.DescriptionId != "VirtualMachine.clone" {
			t.Errorf("the task is a %s", info.DescriptionId)
		}
		h := c.hardware(vm)
		if h.file == template.file || h.disk == template.disk || h.kib != 120<<20 || !c.there(h.file) {
			t.Errorf("the clone has %+v, the template %+v", h, template)
		}
		if h.address == template.address {
			t.Errorf("both have the address %s", h.address)
		}
		task := must(vm.Destroy(t.Context()))
		if err := task.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c.there(h.file) {
			t.Errorf("%s is left of the clone", h.file)
		}
		if !c.there(template.file) {
			t.Fatalf("%s went with the clone", template.file)
		}
	}
}

// Clones as they are, and of a card that only changes its network.
func TestClonesHaveTheirOwnAddresses(t *testing.T) {
	c := newCloner(t, start(t, Options{}).VCenters[0])
	seen := []string{c.hardware(c.template).address}
	var edit []types.BaseVirtualDeviceConfigSpec
	for _, d := range must(c.template.Device(t.Context())).SelectByType((*types.VirtualEthernetCard)(nil)) {
		edit = append(edit, &types.VirtualDeviceConfigSpec{Operation: types.VirtualDeviceConfigSpecOperationEdit, Device: d})
	}
	for name, changes := range map[string][]types.BaseVirtualDeviceConfigSpec{"plain": nil, "edited": edit} {
		vm, _ := c.clone(name, changes)
		h := c.hardware(vm)
		if slices.Contains(seen, h.address) {
			t.Errorf("%s: %s is that of another: %v", name, h.address, seen)
		}
		seen = append(seen, h.address)
	}
	if own := c.hardware(c.template).address; own != seen[0] {
		t.Errorf("the template has %s now, and had %s", own, seen[0])
	}
}
