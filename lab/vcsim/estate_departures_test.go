package vcsim

import (
	"slices"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// Components look for networks in the lists of clusters, and ask a cluster what a machine can have.
func TestDestroyedNetworksLeaveTheirHosts(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	network := must(finding.NewFinder(c).Network(t.Context(), "/DC1/network/ocp-net"))
	gone := network.Reference()
	if !slices.ContainsFunc(every[mo.ClusterComputeResource](t, v, "ClusterComputeResource", "network"), func(o mo.ClusterComputeResource) bool {
		return slices.Contains(o.Network, gone)
	}) {
		t.Fatal("no cluster has the network")
	}
	if err := must(object.NewCommon(c, gone).Destroy(t.Context())).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, o := range every[mo.Datacenter](t, v, "Datacenter", "name", "network") {
		absent(t, o.Name, o.Network, gone)
	}
	for _, o := range every[mo.HostSystem](t, v, "HostSystem", "name", "network") {
		absent(t, o.Name, o.Network, gone)
	}
	for _, o := range every[mo.ClusterComputeResource](t, v, "ClusterComputeResource", "name", "network", "environmentBrowser") {
		absent(t, o.Name, o.Network, gone)
		if len(o.Network) == 0 {
			t.Errorf("%s has no network any more", o.Name)
		}
		if _, err := methods.QueryConfigTarget(t.Context(), c, &types.QueryConfigTarget{This: *o.EnvironmentBrowser}); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
}

// Nobody can use a port group without its switch, whatever folder it lies in.
func TestDestroyedSwitchesTakeTheirPortGroups(t *testing.T) {
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{{Objects: []Object{
		{Path: "/DC", Type: "Datacenter"},
		{Path: "/DC/host/C", Type: "ClusterComputeResource", Hosts: []string{"esx1"}},
		{Path: "/DC/network/other", Type: "Folder"},
		{Path: "/DC/network/dvs", Type: "DistributedVirtualSwitch"},
		{Path: "/DC/network/beside", Type: "DistributedVirtualPortgroup", Switch: "/DC/network/dvs"},
		{Path: "/DC/network/other/below", Type: "DistributedVirtualPortgroup", Switch: "/DC/network/dvs"},
		{Path: "/DC/network/standard", Type: "Network"},
	}}}}}).VCenters[0]
	c := admin(t, v)
	gone, _ := v.find("/DC/network/dvs")
	groups := every[mo.DistributedVirtualSwitch](t, v, "DistributedVirtualSwitch", "portgroup")[0].Portgroup
	if len(groups) != 3 {
		t.Fatalf("the switch has %v", groups)
	}
	if err := must(object.NewCommon(c, gone).Destroy(t.Context())).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, f := range every[mo.Folder](t, v, "Folder", "name", "childEntity") {
		for _, g := range append(groups, gone) {
			absent(t, f.Name, f.ChildEntity, g)
		}
	}
	for _, o := range every[mo.ClusterComputeResource](t, v, "ClusterComputeResource", "name", "network") {
		if len(o.Network) != 1 || o.Network[0].Type != "Network" {
			t.Errorf("%s has %v", o.Name, o.Network)
		}
	}
	if left := v.model.Map().All("DistributedVirtualPortgroup"); len(left) > 0 {
		t.Errorf("%d port groups are left", len(left))
	}
}

// A cluster has what its hosts have, and every host has a list of its own.
func TestNetworksOfHostsAreTheirClusters(t *testing.T) {
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{{Objects: []Object{
		{Path: "/DC", Type: "Datacenter"},
		{Path: "/DC/host/C", Type: "ClusterComputeResource", Hosts: []string{"esx1", "esx2"}},
		{Path: "/DC/host/alone", Type: "ComputeResource"},
		{Path: "/DC/network/dvs", Type: "DistributedVirtualSwitch"},
		{Path: "/DC/network/group", Type: "DistributedVirtualPortgroup", Switch: "/DC/network/dvs"},
		{Path: "/DC/network/standard", Type: "Network"},
		{Path: "/DC/network/nsx", Type: "OpaqueNetwork"},
	}}}}}).VCenters[0]
	check := func(name string, list []moref) {
		t.Helper()
		for _, p := range []string{"/DC/network/group", "/DC/network/standard", "/DC/network/nsx"} {
			if ref, _ := v.find(p); !slices.Contains(list, ref) {
				t.Errorf("%s lacks %s: %v", name, p, list)
			}
		}
		if len(list) != 4 { // with the port group of the switch's uplinks
			t.Errorf("%s has %v", name, list)
		}
	}
	for _, o := range every[mo.ClusterComputeResource](t, v, "ClusterComputeResource", "name", "network") {
		check(o.Name, o.Network)
	}
	for _, o := range every[mo.ComputeResource](t, v, "ComputeResource", "name", "network") {
		check(o.Name, o.Network)
	}
	for _, o := range every[mo.HostSystem](t, v, "HostSystem", "name", "network") {
		check(o.Name, o.Network)
	}
}

func absent(t *testing.T, name string, list []types.ManagedObjectReference, gone types.ManagedObjectReference) {
	t.Helper()
	if slices.Contains(list, gone) {
		t.Errorf("%s still has %s", name, gone)
	}
}

// An installer puts the machines of a zone into a group, and counts them there.
func TestDestroyedMachinesLeaveTheirGroups(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	vm := anyMachine(t, v)
	c := vm.Client()
	cluster := must(finding.NewFinder(c).ClusterComputeResource(t.Context(), "/DC1/host/C1"))
	other := must(finding.NewFinder(c).VirtualMachine(t.Context(), v.Estate().Datacenters[0].VMs[0])).Reference()
	for name, machines := range map[string][]types.ManagedObjectReference{"both": {vm.Reference(), other}, "one": {vm.Reference()}} {
		spec := &types.ClusterConfigSpecEx{GroupSpec: []types.ClusterGroupSpec{{
			ArrayUpdateSpec: types.ArrayUpdateSpec{Operation: types.ArrayUpdateOperationAdd},
			Info:            &types.ClusterVmGroup{ClusterGroupInfo: types.ClusterGroupInfo{Name: name}, Vm: machines},
		}}}
		if err := must(cluster.Reconfigure(t.Context(), spec, true)).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := must(vm.Destroy(t.Context())).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var o mo.ClusterComputeResource
	if err := property.DefaultCollector(c).RetrieveOne(t.Context(), cluster.Reference(), []string{"configurationEx"}, &o); err != nil {
		t.Fatal(err)
	}
	groups := must(as[*types.ClusterConfigInfoEx](o.ConfigurationEx)).Group
	if len(groups) != 2 {
		t.Errorf("%d groups", len(groups))
	}
	for _, g := range groups {
		group := must(as[*types.ClusterVmGroup](g))
		if want := map[string]int{"both": 1}[group.Name]; len(group.Vm) != want || slices.Contains(group.Vm, vm.Reference()) {
			t.Errorf("%s holds %v", group.Name, group.Vm)
		}
	}
}
