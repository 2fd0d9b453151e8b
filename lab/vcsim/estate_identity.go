package vcsim

import (
	"crypto/sha256"
	"strings"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// The simulator makes UUIDs from names and paths alone, so that machines of one name had one UUID in all vCenters. Here they are made
// from those and the vCenter, which again is made from its name: they can be repeated, and differ.

// named is the UUID of a name in a space, by a hash that programs in FIPS mode may use.
func named(space uuid.UUID, name string) uuid.UUID {
	return uuid.NewHash(sha256.New(), space, []byte(name), 8)
}

// id is the UUID that this vCenter gives to what is called so.
func (c completer) id(parts ...string) uuid.UUID {
	return named(c.instance, strings.Join(parts, "\n"))
}

// hardwareVersion is that of new machines: the newest that all simulated releases have. The simulator's own is that of ESXi 6.5.
const hardwareVersion = "vmx-19"

// newMachine makes a machine this vCenter's. It has no file yet when it is new; a machine that moves is put into the inventory again.
func (c completer) newMachine(vm *mo.VirtualMachine) {
	if vm.Config == nil || vm.Config.Files.VmPathName != "" {
		return
	}
	where := ""
	if vm.Parent != nil {
		where = vm.Parent.Value
	}
	vm.Config.Uuid = c.id("machine", where, vm.Config.Uuid).String()
	vm.Config.InstanceUuid = c.id("instance", where, vm.Config.InstanceUuid).String()
	vm.Summary.Config.Uuid = vm.Config.Uuid
	if vm.Config.Version == esx.HardwareVersion {
		vm.Config.Version, vm.Summary.Config.HwVersion = hardwareVersion, hardwareVersion
	}
}

// newHost makes a host this vCenter's, and of a release that it manages. What it has of its configuration in its summary it shares with others until then.
func (c completer) newHost(h *mo.HostSystem) {
	c.release.hostAbout(&h.Config.Product)
	h.Summary.Config.Product = new(h.Config.Product)
	id := c.id("host", h.Self.Value, h.Name).String()
	if h.Summary.Hardware != nil {
		h.Summary.Hardware.Uuid = id
	}
	if h.Hardware != nil {
		h.Hardware.SystemInfo.Uuid = id
	}
}

func (c completer) newSwitch(s *mo.DistributedVirtualSwitch) {
	if s.Summary.Uuid == "" { // new: it takes it from here
		s.Uuid = c.id("switch", s.Self.Value, s.Name).String()
	}
}

// diskUUID is the option by which a machine shows its disks' UUIDs to its guest, which OpenShift's nodes need.
const diskUUID = "disk.enableUUID"

// flagDiskUUID sets the flag that says the same as the option.
func flagDiskUUID(config *types.VirtualMachineConfigInfo) {
	if on, set := optionOf(config.ExtraConfig, diskUUID); set {
		config.Flags.DiskUuidEnabled = new(strings.EqualFold(on, "true"))
	}
}

// optionOf is the value of an option of a machine.
func optionOf(options []types.BaseOptionValue, key string) (value string, set bool) {
	for _, o := range options {
		if o := o.GetOptionValue(); strings.EqualFold(o.Key, key) {
			value, set = o.Value.(string)
			return value, set
		}
	}
	return "", false
}
