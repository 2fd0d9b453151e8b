package vcsim

import (
	"reflect"

	"github.com/vmware/govmomi/vim25/types"
)

// deviceNeeds are the privileges for changes of a virtual machine's devices, checked on an object that is the
// machine itself or the place where it will be. Source: VirtualMachineConfigSpec.deviceChange in the API reference.
// Creating asks only for disks, raw and USB devices and networks.
func (x *access) deviceNeeds(m machine, on moref, changes []types.BaseVirtualDeviceConfigSpec, creating bool) []need {
	var needs []need
	config := func(name string) { needs = append(needs, need{on, "VirtualMachine.Config." + name}) }
	for _, c := range changes {
		spec := c.GetVirtualDeviceConfigSpec()
		if spec.Device == nil {
			continue
		}
		add := spec.Operation == types.VirtualDeviceConfigSpecOperationAdd
		remove := spec.Operation == types.VirtualDeviceConfigSpecOperationRemove
		if !add && !remove {
			connects, alone := m.connects(spec.Device)
			if connects {
				needs = append(needs, need{on, "VirtualMachine.Interact.DeviceConnection"})
			}
			if alone {
				continue
			}
		}
		switch d := spec.Device.(type) {
		case *types.VirtualDisk:
			switch {
			case raw(d.Backing):
				config("RawDevice")
			case remove:
				config("RemoveDisk")
			case add && spec.FileOperation == "":
				config("AddExistingDisk")
			case add:
				config("AddNewDisk")
				needs = append(needs, x.diskSpace(m, on, d)...)
			case m.grows(d):
				config("DiskExtend")
			default:
				config("EditDevice")
			}
			if add && m.encrypted {
				needs = append(needs, need{on, "Cryptographer.AddDisk"})
			}
			if d.Shares != nil && !creating {
				config("Resource")
			}
		case *types.VirtualUSB:
			config("HostUSBDevice")
		case *types.VirtualCdrom:
			switch {
			case creating:
			case add || remove:
				config("AddRemoveDevice")
			default:
				needs = append(needs, need{on, "VirtualMachine.Interact.SetCDMedia"})
			}
		case *types.VirtualFloppy:
			switch {
			case creating:
			case add || remove:
				config("AddRemoveDevice")
			default:
				needs = append(needs, need{on, "VirtualMachine.Interact.SetFloppyMedia"})
			}
		default:
			switch {
			case creating:
			case add || remove:
				config("AddRemoveDevice")
			default:
				config("EditDevice")
			}
			if card, ok := d.(types.BaseVirtualEthernetCard); ok && !remove && (add || m.rewires(card)) {
				if net, ok := x.network(on, card.GetVirtualEthernetCard().Backing); ok {
					needs = append(needs, need{net, "Network.Assign"})
				}
			}
		}
	}
	return needs
}

// connects says whether a change of a device connects or disconnects it, now or when the machine is
// powered on, and whether that is all that the change does.
func (m machine) connects(device types.BaseVirtualDevice) (connects, alone bool) {
	now := device.GetVirtualDevice()
	old := m.devices[now.Key]
	if old == nil || now.Connectable == nil {
		return false, false
	}
	was := old.GetVirtualDevice().Connectable
	if was == nil {
		was = &types.VirtualDeviceConnectInfo{}
	}
	if was.StartConnected == now.Connectable.StartConnected && was.Connected == now.Connectable.Connected &&
		was.AllowGuestControl == now.Connectable.AllowGuestControl {
		return false, false
	}
	rest := copyOf(device)
	rest.GetVirtualDevice().Connectable = old.GetVirtualDevice().Connectable
	return true, reflect.DeepEqual(old, rest)
}

// copyOf is a copy of a device, which shares what it points to.
func copyOf(device types.BaseVirtualDevice) types.BaseVirtualDevice {
	from := reflect.ValueOf(device)
	out := reflect.New(from.Type().Elem())
	out.Elem().Set(from.Elem())
	to, _ := reflect.TypeAssert[types.BaseVirtualDevice](out)
	return to
}

func raw(b types.BaseVirtualDeviceBackingInfo) bool {
	switch b.(type) {
	case *types.VirtualDiskRawDiskMappingVer1BackingInfo, *types.VirtualDiskRawDiskVer2BackingInfo,
		*types.VirtualDiskPartitionedRawDiskVer2BackingInfo:
		return true
	}
	return false
}

// diskSpace is the privilege on the datastore that a new disk goes to: the disk's, else the clone's, else the machine's own.
func (x *access) diskSpace(m machine, on moref, d *types.VirtualDisk) []need {
	if b, ok := d.Backing.(types.BaseVirtualDeviceFileBackingInfo); ok {
		info := b.GetVirtualDeviceFileBackingInfo()
		if info.Datastore != nil {
			return []need{{*info.Datastore, "Datastore.AllocateSpace"}}
		}
		if needs := x.allocation(on, info.FileName); needs != nil {
			return needs
		}
	}
	if m.space != nil {
		return []need{{*m.space, "Datastore.AllocateSpace"}}
	}
	return x.allocation(on, m.home)
}

// grows says whether a changed disk is larger than it was.
func (m machine) grows(d *types.VirtualDisk) bool {
	old, ok := m.disks[d.Key]
	return ok && (d.CapacityInKB > old || d.CapacityInBytes > old*1024)
}

// rewires says whether a changed card is connected to another network than before.
func (m machine) rewires(card types.BaseVirtualEthernetCard) bool {
	now := card.GetVirtualEthernetCard()
	return now.Backing != nil && !reflect.DeepEqual(m.wiring[now.Key], now.Backing)
}
