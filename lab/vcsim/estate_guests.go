package vcsim

import (
	"net/netip"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// guest is what the operating system of a machine tells by VMware Tools.
type guest struct {
	name      string
	addresses []string
}

// boot makes a machine tell what its guest does: something while it runs, nothing while it does not. The caller holds its lock.
func (c completer) boot(vm *mo.VirtualMachine) {
	known, ok := c.guests.Load(vm.Self)
	if !ok || vm.Guest == nil || vm.Summary.Guest == nil {
		return
	}
	told, _ := known.(guest)
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
		now.Net[0].Connected, now.Net[0].IpAddress, now.Net[0].IpConfig = true, told.addresses, configOf(told.addresses)
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
			IpAddress: address, PrefixLength: length, State: string(types.NetIpConfigInfoIpAddressStatusPreferred),
		})
	}
	return config
}
