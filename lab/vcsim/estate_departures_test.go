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
