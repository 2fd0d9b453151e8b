package vcsim

import (
	"net/netip"
	"slices"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// A machine of an estate that has a host name and addresses runs and tells them, as long as it runs; searches find it by them.
func TestGuestsOfMachines(t *testing.T) {
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{{Objects: []Object{
		{Path: "/DC", Type: "Datacenter"},
		{Path: "/DC/host/a", Type: "ClusterComputeResource", Hosts: []string{"esx1.example.com"}},
		{Path: "/DC/datastore/ds", Type: "Datastore"},
		{Path: "/DC/vm/node", Type: "VirtualMachine", HostName: "node.example.com", Addresses: []string{"192.0.2.7", "2001:db8::7"}},
		{Path: "/DC/vm/other", Type: "VirtualMachine"},
	}, Guests: "192.0.2.6/29"}}}}).VCenters[0]
	c := admin(t, v)
	vm := must(finding.NewFinder(c).VirtualMachine(t.Context(), "/DC/vm/node"))
	read := func(of *object.VirtualMachine) (m mo.VirtualMachine) {
		t.Helper()
		if err := of.Properties(t.Context(), of.Reference(), []string{"guest", "summary.guest", "runtime.powerState", "guestHeartbeatStatus"}, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	runs := func(m mo.VirtualMachine) {
		t.Helper()
		if m.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn || m.Guest.HostName != "node.example.com" || m.Guest.IpAddress != "192.0.2.7" ||
			m.Guest.ToolsRunningStatus != "guestToolsRunning" || len(m.Guest.Net) != 1 || !slices.Equal(m.Guest.Net[0].IpAddress, []string{"192.0.2.7", "2001:db8::7"}) ||
			m.Guest.Net[0].IpConfig == nil || len(m.Guest.Net[0].IpConfig.IpAddress) != 2 || m.Summary.Guest.HostName != "node.example.com" {
			t.Errorf("%s: %+v", m.Runtime.PowerState, m.Guest)
		}
	}
	runs(read(vm))
	index := object.NewSearchIndex(c)
	for what, found := range map[string]object.Reference{
		"name": must(index.FindByDnsName(t.Context(), nil, "node.example.com", true)), "address": must(index.FindByIp(t.Context(), nil, "192.0.2.7", true)),
	} {
		if found == nil || found.Reference() != vm.Reference() {
			t.Errorf("by %s: %v", what, found)
		}
	}
	if err := must(vm.PowerOff(t.Context())).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m := read(vm); m.Guest.HostName != "" || m.Guest.IpAddress != "" || len(m.Guest.Net) != 1 || m.Guest.Net[0].IpAddress != nil || m.Guest.ToolsRunningStatus != "guestToolsNotRunning" {
		t.Errorf("when it is off: %+v", m.Guest)
	}
	if err := must(vm.PowerOn(t.Context())).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	runs(read(vm))
	// any other that somebody starts has its name and an address of its own, as long as there are some
	other := must(finding.NewFinder(c).VirtualMachine(t.Context(), "/DC/vm/other"))
	if m := read(must(finding.NewFinder(c).VirtualMachine(t.Context(), "/DC/vm/other"))); m.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOff || m.Guest.HostName != "" {
		t.Errorf("one without: %s, %+v", m.Runtime.PowerState, m.Guest)
	}
	for range 2 {
		if err := must(other.PowerOn(t.Context())).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if m := read(other); m.Guest.HostName != "other" || m.Guest.IpAddress != "192.0.2.1" || len(m.Guest.Net) != 1 || !slices.Equal(m.Guest.Net[0].IpAddress, []string{"192.0.2.1"}) {
			t.Errorf("when it runs: %+v", m.Guest)
		}
		if err := must(other.PowerOff(t.Context())).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	g := &guests{network: netip.MustParsePrefix("192.0.2.0/30")}
	g.put(moref{Value: "a"}, guest{"a", []string{"192.0.2.2"}})
	var got []string
	for _, name := range []string{"b", "b", "c", "d"} {
		tells, _ := g.get(moref{Value: name}, name)
		got = append(got, tells.addresses...)
	}
	if want := []string{"192.0.2.1", "192.0.2.1", "192.0.2.3"}; !slices.Equal(got, want) {
		t.Errorf("addresses: %v, want %v", got, want)
	}
}
