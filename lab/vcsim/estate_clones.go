package vcsim

import (
	"maps"
	"reflect"
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// ownDevices gives a clone that is asked for disks and addresses of its own, and the options of its source. The simulator gives a disk
// that the request edits the file of the source, which is deleted with the clone, and each clone the addresses of the source. What it takes
// to mend the disks there is in docs/upstream.
func ownDevices(ctx *simulator.Context, call *simulator.Method) {
	req, isClone := call.Body.(*types.CloneVM_Task)
	source, ok := ctx.Map.Get(call.This).(*simulator.VirtualMachine)
	if !isClone || !ok {
		return
	}
	defer ctx.Map.AcquireLock(ctx, call.This)()
	if source.Config == nil {
		return
	}
	if req.Spec.Config == nil {
		req.Spec.Config = &types.VirtualMachineConfigSpec{}
	}
	inherit(req.Spec.Config, source.Config.ExtraConfig)
	inheritKey(req.Spec.Config, source.Config)
	cards := map[int32]types.BaseVirtualEthernetCard{}
	for _, d := range source.Config.Hardware.Device {
		if card, ok := d.(types.BaseVirtualEthernetCard); ok && assigned(card) {
			cards[card.GetVirtualEthernetCard().Key] = card
		}
	}
	named := map[int32]bool{}
	for _, c := range slices.Concat(req.Spec.Location.DeviceChange, req.Spec.Config.DeviceChange) {
		spec := c.GetVirtualDeviceConfigSpec()
		if spec.Device == nil || spec.Operation == types.VirtualDeviceConfigSpecOperationAdd {
			continue
		}
		named[spec.Device.GetVirtualDevice().Key] = true
		if spec.Operation == types.VirtualDeviceConfigSpecOperationEdit {
			disown(spec, cards)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(cards)) {
		if !named[key] {
			req.Spec.Location.DeviceChange = append(req.Spec.Location.DeviceChange, &types.VirtualDeviceConfigSpec{
				Operation: types.VirtualDeviceConfigSpecOperationEdit, Device: withoutAddress(cards[key]),
			})
		}
	}
}

// inherit gives a clone the options of its source that the request does not set, and the one that stands for the request's flag. The
// simulator takes no flags for a clone.
func inherit(config *types.VirtualMachineConfigSpec, options []types.BaseOptionValue) {
	if f := config.Flags; f != nil && f.DiskUuidEnabled != nil {
		value := map[bool]string{true: "TRUE", false: "FALSE"}[*f.DiskUuidEnabled]
		config.ExtraConfig = append(config.ExtraConfig, &types.OptionValue{Key: diskUUID, Value: value})
	}
	var own []types.BaseOptionValue
	for _, o := range options {
		if _, set := optionOf(config.ExtraConfig, o.GetOptionValue().Key); !set {
			own = append(own, &types.OptionValue{Key: o.GetOptionValue().Key, Value: o.GetOptionValue().Value})
		}
	}
	config.ExtraConfig = append(own, config.ExtraConfig...)
}

// disown takes out of the change of a device what belongs to the source: the file of a disk, the address of a card. The simulator names
// a file that has no name, beside the copy that it made first, and both go with the clone.
func disown(spec *types.VirtualDeviceConfigSpec, cards map[int32]types.BaseVirtualEthernetCard) {
	switch d := spec.Device.(type) {
	case *types.VirtualDisk:
		b, ok := d.Backing.(*types.VirtualDiskFlatVer2BackingInfo)
		if !ok {
			return
		}
		b.FileName, b.Uuid, b.Parent, b.Datastore = "", "", nil, nil
		spec.FileOperation = types.VirtualDeviceConfigSpecFileOperationReplace
	case types.BaseVirtualEthernetCard:
		card := d.GetVirtualEthernetCard()
		if own := cards[card.Key]; own != nil && card.MacAddress == own.GetVirtualEthernetCard().MacAddress {
			card.MacAddress = ""
		}
	}
}

// assigned reports whether a card has its address from the vCenter or its host, not from an administrator.
func assigned(card types.BaseVirtualEthernetCard) bool {
	return card.GetVirtualEthernetCard().AddressType != string(types.VirtualEthernetCardMacTypeManual)
}

// withoutAddress is a copy of a card that will get an address, and that shares nothing which the simulator changes with the original.
func withoutAddress(card types.BaseVirtualEthernetCard) types.BaseVirtualDevice {
	twin := reflect.New(reflect.TypeOf(card).Elem())
	twin.Elem().Set(reflect.ValueOf(card).Elem())
	made, _ := reflect.TypeAssert[types.BaseVirtualEthernetCard](twin)
	c := made.GetVirtualEthernetCard()
	c.MacAddress, c.DeviceInfo, c.Connectable = "", nil, nil
	if c.Backing != nil {
		backing := reflect.New(reflect.TypeOf(c.Backing).Elem())
		backing.Elem().Set(reflect.ValueOf(c.Backing).Elem())
		c.Backing, _ = reflect.TypeAssert[types.BaseVirtualDeviceBackingInfo](backing)
	}
	device, _ := reflect.TypeAssert[types.BaseVirtualDevice](twin)
	return device
}
