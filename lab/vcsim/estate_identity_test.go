package vcsim

import (
	"slices"
	"testing"

	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// twins are two vCenters that hold the same under the same names.
func twins(t *testing.T) []*VCenter {
	t.Helper()
	same := Contents{Objects: []Object{
		{Path: "/DC", Type: "Datacenter"},
		{Path: "/DC/host/C", Type: "ClusterComputeResource", Hosts: []string{"esx1.example.com", "esx2.example.com"}},
		{Path: "/DC/datastore/ds", Type: "Datastore"},
		{Path: "/DC/network/dvs", Type: "DistributedVirtualSwitch"},
		{Path: "/DC/network/pg", Type: "DistributedVirtualPortgroup", Switch: "/DC/network/dvs"},
		{Path: "/DC/vm/node", Type: "VirtualMachine"},
		{Path: "/DC/vm/rhcos", Type: "VirtualMachine", Template: true},
		{Path: "/DC2", Type: "Datacenter"},
		{Path: "/DC2/host/C", Type: "ClusterComputeResource", Hosts: []string{"esx3.example.com"}},
		{Path: "/DC2/datastore/ds", Type: "Datastore"},
		{Path: "/DC2/vm/node", Type: "VirtualMachine"},
	}}
	return start(t, Options{Names: []string{"a.example.com", "b.example.com"}, Estate: EstateOptions{Contents: []Contents{same, same}}}).VCenters
}

// every reads properties of all objects of a type.
func every[T any](t *testing.T, v *VCenter, kind string, props ...string) []T {
	t.Helper()
	c := admin(t, v)
	var out []T
	list, err := view.NewManager(c).CreateContainerView(t.Context(), c.ServiceContent.RootFolder, []string{kind}, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := list.Retrieve(t.Context(), []string{kind}, props, &out); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("no %s", kind)
	}
	return out
}

func uuids(t *testing.T, v *VCenter) []string {
	t.Helper()
	var ids []string
	for _, vm := range every[mo.VirtualMachine](t, v, "VirtualMachine", "config.uuid", "config.instanceUuid", "summary.config.uuid") {
		if vm.Config.Uuid != vm.Summary.Config.Uuid {
			t.Errorf("%s in config, %s in summary", vm.Config.Uuid, vm.Summary.Config.Uuid)
		}
		ids = append(ids, vm.Config.Uuid, vm.Config.InstanceUuid)
	}
	for _, h := range every[mo.HostSystem](t, v, "HostSystem", "hardware.systemInfo.uuid", "summary.hardware.uuid") {
		if h.Hardware.SystemInfo.Uuid != h.Summary.Hardware.Uuid {
			t.Errorf("%s in hardware, %s in summary", h.Hardware.SystemInfo.Uuid, h.Summary.Hardware.Uuid)
		}
		ids = append(ids, h.Summary.Hardware.Uuid)
	}
	for _, s := range every[mo.DistributedVirtualSwitch](t, v, "DistributedVirtualSwitch", "uuid", "summary.uuid") {
		if s.Uuid != s.Summary.Uuid {
			t.Errorf("%s, and %s in summary", s.Uuid, s.Summary.Uuid)
		}
		ids = append(ids, s.Uuid)
	}
	return ids
}

// The cloud provider looks for a node's machine by its UUID on every vCenter, and takes the first that it finds.
func TestUUIDsOfVCentersDiffer(t *testing.T) {
	vs := twins(t)
	a, b := uuids(t, vs[0]), uuids(t, vs[1])
	both := slices.Sorted(slices.Values(slices.Concat(a, b)))
	if once := slices.Compact(slices.Clone(both)); len(once) != len(both) {
		t.Errorf("not each is there once:\n%v\n%v", a, b)
	}
	again := uuids(t, twins(t)[0])
	slices.Sort(a)
	slices.Sort(again)
	if !slices.Equal(a, again) {
		t.Errorf("another run has others:\n%v\n%v", a, again)
	}
}

// machine-api refuses templates below hardware version 15, and nodes need the UUIDs of their disks.
func TestHardwareOfMachines(t *testing.T) {
	for _, vm := range every[mo.VirtualMachine](t, start(t, Options{}).VCenters[0], "VirtualMachine", "name", "config", "summary.config.hwVersion") {
		if vm.Config.Version != "vmx-19" || vm.Summary.Config.HwVersion != "vmx-19" {
			t.Errorf("%s: hardware version %q, %q in summary", vm.Name, vm.Config.Version, vm.Summary.Config.HwVersion)
		}
		if !isTrue(vm.Config.Flags.DiskUuidEnabled) || !slices.ContainsFunc(vm.Config.ExtraConfig, func(o types.BaseOptionValue) bool {
			return *o.GetOptionValue() == types.OptionValue{Key: "disk.enableUUID", Value: "TRUE"}
		}) {
			t.Errorf("%s: the UUIDs of its disks are hidden from it", vm.Name)
		}
	}
}
