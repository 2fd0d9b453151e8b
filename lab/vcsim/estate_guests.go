package vcsim

import (
	"net/netip"
	"sync"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// guest is what the operating system of a machine tells by VMware Tools.
type guest struct {
	name      string
	addresses []string
}

// guests are those of a vCenter.
type guests struct {
	network netip.Prefix // of those that the estate says nothing of; the zero value is none

	mu    sync.Mutex
	of    map[moref]guest
	taken map[string]bool
}

func (g *guests) put(machine moref, tells guest) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of == nil {
		g.of, g.taken = map[moref]guest{}, map[string]bool{}
	}
	g.of[machine] = tells
	for _, a := range tells.addresses {
		g.taken[a] = true
	}
}

// get is what the guest of a machine tells. One that is not known has the name of the machine and
// the next address of the network, for good. ok is false where there is no network, or no address
// left.
func (g *guests) get(machine moref, name string) (tells guest, ok bool) {
	g.mu.Lock()
	tells, ok = g.of[machine]
	next := ""
	a := g.network.Masked().Addr().Next()
	for ; !ok && g.network.Contains(a); a = a.Next() {
		if !g.taken[a.String()] {
			next = a.String()
			break
		}
	}
	g.mu.Unlock()
	if next == "" {
		return tells, ok
	}
	tells = guest{name, []string{next}}
	g.put(machine, tells)
	return tells, true
}

// boot makes a machine tell what its guest does: something while it runs, nothing while it does
// not. The caller holds its lock.
func (c completer) boot(vm *mo.VirtualMachine) {
	told, ok := c.guests.get(vm.Self, vm.Name)
	if !ok || vm.Guest == nil || vm.Summary.Guest == nil {
		return
	}
	now, summary := *vm.Guest, *vm.Summary.Guest // others may read the former ones
	now.GuestState = string(types.VirtualMachineGuestStateRunning)
	now.ToolsRunningStatus = string(types.VirtualMachineToolsRunningStatusGuestToolsRunning)
	now.ToolsStatus = types.VirtualMachineToolsStatusToolsOk
	vm.GuestHeartbeatStatus = types.ManagedEntityStatusGreen
	if vm.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn {
		told = guest{}
		now.GuestState = string(types.VirtualMachineGuestStateNotRunning)
		now.ToolsRunningStatus = string(types.VirtualMachineToolsRunningStatusGuestToolsNotRunning)
		now.ToolsStatus = types.VirtualMachineToolsStatusToolsNotRunning
		vm.GuestHeartbeatStatus = types.ManagedEntityStatusGray
	}
	now.HostName, now.IpAddress, now.Net = told.name, "", append([]types.GuestNicInfo{}, now.Net...)
	if len(told.addresses) > 0 {
		now.IpAddress = told.addresses[0]
	}
	for i := range now.Net {
		now.Net[i].IpAddress, now.Net[i].IpConfig = nil, nil
	}
	if len(now.Net) > 0 && len(told.addresses) > 0 {
		now.Net[0].Connected, now.Net[0].IpAddress = true, told.addresses
		now.Net[0].IpConfig = configOf(told.addresses)
	}
	summary.HostName, summary.IpAddress = now.HostName, now.IpAddress
	summary.ToolsRunningStatus, summary.ToolsStatus = now.ToolsRunningStatus, now.ToolsStatus
	vm.Guest, vm.Summary.Guest = &now, &summary
}

// configOf is how a card has its addresses.
func configOf(addresses []string) *types.NetIpConfigInfo {
	config := &types.NetIpConfigInfo{}
	for _, address := range addresses {
		length := int32(64)
		if a, err := netip.ParseAddr(address); err == nil && a.Is4() {
			length = 24
		}
		config.IpAddress = append(config.IpAddress, types.NetIpConfigInfoIpAddress{
			IpAddress: address, PrefixLength: length,
			State: string(types.NetIpConfigInfoIpAddressStatusPreferred),
		})
	}
	return config
}
