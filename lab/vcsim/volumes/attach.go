package volumes

import (
	"cmp"
	"slices"

	cns "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	vim "github.com/vmware/govmomi/vim25/types"
)

// Attach adds the disks of volumes to machines, and gives the UUIDs by which the guests find them.
func (s *Service) Attach(c Caller, req *cns.CnsAttachVolume) (*cns.CnsAttachVolumeResponse, vim.BaseMethodFault) {
	if fault := s.devices(c, req.AttachSpecs, addDisk, addDevice); fault != nil {
		return nil, fault
	}
	return &cns.CnsAttachVolumeResponse{Returnval: each(s, c, "AttachVolume", req.AttachSpecs,
		func(ctx *simulator.Context, spec *cns.CnsVolumeAttachDetachSpec) cns.BaseCnsVolumeOperationResult {
			uuid, fault := s.attach(ctx, spec)
			return &cns.CnsVolumeAttachResult{CnsVolumeOperationResult: result(spec.VolumeId.Id, fault), DiskUUID: uuid}
		})}, nil
}

// Detach takes the disks of volumes from machines, and leaves their files.
func (s *Service) Detach(c Caller, req *cns.CnsDetachVolume) (*cns.CnsDetachVolumeResponse, vim.BaseMethodFault) {
	if fault := s.devices(c, req.DetachSpecs, removeDisk); fault != nil {
		return nil, fault
	}
	return &cns.CnsDetachVolumeResponse{Returnval: each(s, c, "DetachVolume", req.DetachSpecs,
		func(ctx *simulator.Context, spec *cns.CnsVolumeAttachDetachSpec) cns.BaseCnsVolumeOperationResult {
			out := result(spec.VolumeId.Id, s.detach(ctx, spec))
			return &out
		})}, nil
}

// devices looks for privileges on the machines, which have to be there, and on the volumes' datastores.
func (s *Service) devices(c Caller, specs []cns.CnsVolumeAttachDetachSpec, privileges ...string) vim.BaseMethodFault {
	var needs []Need
	var ids []string
	for _, spec := range specs {
		vm, ok := s.reg.Get(spec.Vm).(*simulator.VirtualMachine)
		if !ok {
			return &vim.ManagedObjectNotFound{Obj: spec.Vm}
		}
		for _, p := range privileges {
			needs = append(needs, Need{spec.Vm, p})
		}
		s.reg.WithLock(c.Context(), vm, func() {
			if vm.Config != nil && vm.Config.KeyId != nil && slices.Contains(privileges, addDisk) {
				needs = append(needs, Need{spec.Vm, addSecret})
			}
		})
		ids = append(ids, spec.VolumeId.Id)
	}
	return c.Require(append(needs, s.changesVolumes(ids)...)...)
}

func (s *Service) attach(ctx *simulator.Context, spec *cns.CnsVolumeAttachDetachSpec) (uuid string, fault vim.BaseMethodFault) {
	v := s.find(spec.VolumeId.Id)
	vm, ok := s.reg.Get(spec.Vm).(*simulator.VirtualMachine)
	switch {
	case v == nil:
		return "", &vim.NotFound{}
	case !ok:
		return "", &vim.ManagedObjectNotFound{Obj: spec.Vm}
	}
	if other, _ := s.attached(ctx, v); other != nil {
		return "", &vim.ResourceInUse{Type: "CnsVolume", Name: v.id}
	}
	device, fault := s.device(ctx, vm, v, spec)
	if fault != nil {
		return "", fault
	}
	if fault := s.reconfigure(ctx, vm, vim.VirtualDeviceConfigSpecOperationAdd, device); fault != nil {
		return "", fault
	}
	v.vm, v.had = spec.Vm, append(v.had, spec.Vm)
	_, device = s.attached(ctx, v)
	if device == nil {
		return "", failed("CNS: the machine has no disk for the volume.")
	}
	if file, ok := device.Backing.(*vim.VirtualDiskFlatVer2BackingInfo); ok {
		uuid = file.Uuid
	}
	return uuid, nil
}

// device is the disk that a machine gets: on the controller and at the place that are given, or on the first SCSI controller that has
// one left.
func (s *Service) device(ctx *simulator.Context, vm *simulator.VirtualMachine, v *volume,
	spec *cns.CnsVolumeAttachDetachSpec,
) (disk *vim.VirtualDisk, fault vim.BaseMethodFault) {
	s.reg.WithLock(ctx, vm, func() {
		if vm.Config == nil || vm.Config.Template {
			fault = &vim.InvalidState{}
			return
		}
		devices := object.VirtualDeviceList(vm.Config.Hardware.Device)
		controller, err := devices.FindDiskController("scsi")
		if spec.ControllerKey != nil {
			controller, _ = devices.FindByKey(*spec.ControllerKey).(vim.BaseVirtualController)
		}
		if err != nil && spec.ControllerKey == nil || controller == nil {
			fault = failed("CNS: the machine has no SCSI controller with a place left.")
			return
		}
		disk = devices.CreateDisk(controller, v.datastore, v.path)
		if spec.UnitNumber != nil {
			disk.UnitNumber = spec.UnitNumber
		}
		disk.CapacityInKB, disk.CapacityInBytes = v.capacity<<10, v.capacity<<20
		disk.VDiskId = &vim.ID{Id: v.id}
		if file, ok := disk.Backing.(*vim.VirtualDiskFlatVer2BackingInfo); ok {
			file.DiskMode, file.Sharing = cmp.Or(spec.DiskMode, string(vim.VirtualDiskModeIndependent_persistent)), spec.Sharing
		}
	})
	return disk, fault
}

func (s *Service) detach(ctx *simulator.Context, spec *cns.CnsVolumeAttachDetachSpec) vim.BaseMethodFault {
	v := s.find(spec.VolumeId.Id)
	if v == nil {
		return invalid("detachSpecs.volumeId")
	}
	vm, device := s.attached(ctx, v)
	switch {
	case vm != nil && vm.Self == spec.Vm:
	case slices.Contains(v.had, spec.Vm): // it has gone already
		return nil
	default:
		return invalid("detachSpecs.vm")
	}
	return s.reconfigure(ctx, vm, vim.VirtualDeviceConfigSpecOperationRemove, device)
}

// attached is the machine that has a volume, with its disk there; nil where none has. The disk may have gone in another way than by
// Detach, and the machine too.
func (s *Service) attached(ctx *simulator.Context, v *volume) (vm *simulator.VirtualMachine, disk *vim.VirtualDisk) {
	vm, ok := s.reg.Get(v.vm).(*simulator.VirtualMachine)
	if !ok {
		return nil, nil
	}
	s.reg.WithLock(ctx, vm, func() {
		if vm.Config == nil {
			return
		}
		i := slices.IndexFunc(vm.Config.Hardware.Device, func(d vim.BaseVirtualDevice) bool {
			one, ok := d.(*vim.VirtualDisk)
			return ok && one.VDiskId != nil && one.VDiskId.Id == v.id
		})
		if i >= 0 {
			disk, _ = vm.Config.Hardware.Device[i].(*vim.VirtualDisk)
		}
	})
	if disk == nil {
		return nil, nil
	}
	return vm, disk
}

func (s *Service) reconfigure(ctx *simulator.Context, vm *simulator.VirtualMachine,
	operation vim.VirtualDeviceConfigSpecOperation, disk *vim.VirtualDisk,
) vim.BaseMethodFault {
	body, ok := vm.ReconfigVMTask(ctx, &vim.ReconfigVM_Task{This: vm.Self, Spec: vim.VirtualMachineConfigSpec{
		DeviceChange: []vim.BaseVirtualDeviceConfigSpec{&vim.VirtualDeviceConfigSpec{Operation: operation, Device: disk}},
	}}).(*methods.ReconfigVM_TaskBody)
	if !ok || body.Res == nil {
		return failed("CNS: the machine cannot be changed.")
	}
	_, fault := s.finished(body.Res.Returnval)
	return fault
}

// Release detaches the volumes of a machine that is about to be destroyed: their disks stay (keepAfterDeleteVm), and the simulator
// would delete the files of all that the machine has. One that runs is not destroyed.
func (s *Service) Release(ctx *simulator.Context, ref vim.ManagedObjectReference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.volumes {
		if v.vm != ref {
			continue
		}
		vm, device := s.attached(ctx, v)
		if vm == nil {
			continue
		}
		var off bool
		s.reg.WithLock(ctx, vm, func() { off = vm.Runtime.PowerState == vim.VirtualMachinePowerStatePoweredOff })
		if off {
			_ = s.reconfigure(ctx, vm, vim.VirtualDeviceConfigSpecOperationRemove, device)
		}
	}
}
