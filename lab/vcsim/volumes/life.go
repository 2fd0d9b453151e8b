package volumes

import (
	"slices"

	cns "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	vim "github.com/vmware/govmomi/vim25/types"
)

// largest is the capacity of the largest disk of vSphere, 62 TB, in MB.
const largest = 62 << 20

// Create makes a volume on the first of the datastores that satisfies its policy: of those that are given, or of all that the caller
// sees. Those that he may not work on are left out; he is refused where no other is left.
func (s *Service) Create(c Caller, req *cns.CnsCreateVolume) (*cns.CnsCreateVolumeResponse, vim.BaseMethodFault) {
	var on []vim.ManagedObjectReference
	var needs, lacked []Need
	for _, spec := range req.CreateSpecs {
		stores, fault := s.wanted(c, &spec)
		if fault != nil {
			return nil, fault
		}
		for _, ref := range stores {
			if _, ok := s.reg.Get(ref).(*simulator.Datastore); !ok {
				return nil, &vim.ManagedObjectNotFound{Obj: ref}
			}
		}
		may := slices.DeleteFunc(slices.Clone(stores), func(ref vim.ManagedObjectReference) bool {
			return c.Require(manages(c, ref)...) != nil
		})
		if len(may) == 0 {
			lacked = append(lacked, manages(c, stores...)...)
		}
		on = append(on, may...)
		if len(spec.Profile) > 0 {
			needs = append(needs, Need{Privilege: viewPolicy})
		}
	}
	if fault := c.Require(append(needs, lacked...)...); fault != nil {
		return nil, fault
	}
	return &cns.CnsCreateVolumeResponse{Returnval: each(s, c, "CreateVolume", single(req.CreateSpecs),
		func(ctx *simulator.Context, spec *cns.CnsVolumeCreateSpec) cns.BaseCnsVolumeOperationResult {
			v, fault := s.create(c, ctx, spec, on)
			if fault != nil {
				return &cns.CnsVolumeCreateResult{CnsVolumeOperationResult: result("", fault), Name: spec.Name}
			}
			s.volumes = append(s.volumes, v)
			return &cns.CnsVolumeCreateResult{
				CnsVolumeOperationResult: result(v.id, nil), Name: v.name, PlacementResults: []cns.CnsPlacementResult{{Datastore: v.datastore}},
			}
		})}, nil
}

// wanted are the datastores that a volume may get: that of a disk which is there, else those that
// are given, or all that the caller sees.
func (s *Service) wanted(
	c Caller, spec *cns.CnsVolumeCreateSpec,
) ([]vim.ManagedObjectReference, vim.BaseMethodFault) {
	details, _ := spec.BackingObjectDetails.(*cns.CnsBlockBackingDetails)
	switch {
	case details != nil && details.BackingDiskUrlPath != "":
		datacenter, file, ok := FileOf(details.BackingDiskUrlPath)
		store, found := c.Datastore(datacenter, file.Datastore)
		if !ok || !found {
			return nil, invalid("dsDiskUrl")
		}
		return []vim.ManagedObjectReference{store}, nil
	case details != nil && details.BackingDiskId != "":
		if disk := s.disk(c.Context(), details.BackingDiskId); disk != nil {
			return []vim.ManagedObjectReference{disk.Config.Backing.GetBaseConfigInfoBackingInfo().Datastore}, nil
		}
	}
	if len(spec.Datastores) > 0 {
		return spec.Datastores, nil
	}
	return c.Datastores(), nil
}

func (s *Service) create(c Caller, ctx *simulator.Context, spec *cns.CnsVolumeCreateSpec,
	on []vim.ManagedObjectReference,
) (*volume, vim.BaseMethodFault) {
	details, block := spec.BackingObjectDetails.(*cns.CnsBlockBackingDetails)
	policy, fault := s.policy(spec.Profile)
	switch {
	case fault != nil:
		return nil, fault
	case spec.Name == "":
		return nil, invalid("createSpecs.name")
	case !block || spec.VolumeType != string(cns.CnsVolumeTypeBlock):
		return nil, failed("CNS: of volumes only BLOCK is simulated.")
	case spec.VolumeSource != nil || spec.VolumeId != nil:
		return nil, failed("CNS: volumes from snapshots and with a given id are not simulated.")
	}
	made := &volume{name: spec.Name, policy: policy, metadata: spec.Metadata}
	switch {
	case details.BackingDiskUrlPath != "":
		disk, fault := s.register(c, on[0], details.BackingDiskUrlPath, spec.Name)
		if taken, ok := fault.(*vim.AlreadyExists); ok {
			return made, s.adopt(ctx, made, taken.Name)
		}
		if fault != nil {
			return nil, invalid("dsDiskUrl")
		}
		return made, s.adopt(ctx, made, disk.Config.Id.Id)
	case details.BackingDiskId != "":
		return made, s.adopt(ctx, made, details.BackingDiskId)
	}
	if details.CapacityInMb < 1 || details.CapacityInMb > largest {
		return nil, invalid("createSpecs.backingObjectDetails.capacityInMb")
	}
	i := slices.IndexFunc(on, func(ref vim.ManagedObjectReference) bool { return policy == "" || s.policies.Fits(policy, ref) })
	if i < 0 {
		return nil, failed("CNS: no datastore satisfies the storage policy " + policy + ".")
	}
	disks := s.reg.VStorageObjectManager()
	keep := true
	body, ok := disks.CreateDiskTask(ctx, &vim.CreateDisk_Task{This: disks.Self, Spec: vim.VslmCreateSpec{
		Name: spec.Name, KeepAfterDeleteVm: &keep, CapacityInMB: details.CapacityInMb, Profile: spec.Profile,
		BackingSpec: &vim.VslmCreateSpecDiskFileBackingSpec{
			VslmCreateSpecBackingSpec: vim.VslmCreateSpecBackingSpec{Datastore: on[i]},
			ProvisioningType:          string(vim.BaseConfigInfoDiskFileBackingInfoProvisioningTypeThin),
		},
	}}).(*methods.CreateDisk_TaskBody)
	if !ok || body.Res == nil {
		return nil, failed("CNS: Failed to create disk.")
	}
	res, fault := s.finished(body.Res.Returnval)
	if fault != nil {
		return nil, fault
	}
	disk, ok := res.(*vim.VStorageObject)
	if !ok {
		return nil, failed("CNS: Failed to create disk.")
	}
	made.of(disk)
	return made, nil
}

// of fills in what a volume has of its disk.
func (v *volume) of(disk *vim.VStorageObject) {
	v.id, v.capacity, v.datastore = disk.Config.Id.Id, disk.Config.CapacityInMB, disk.Config.Backing.GetBaseConfigInfoBackingInfo().Datastore
	if file, ok := disk.Config.Backing.(*vim.BaseConfigInfoDiskFileBackingInfo); ok {
		v.path = file.FilePath
	}
}

// policy is the id of the policy that a request names, "" if it names none.
func (s *Service) policy(profile []vim.BaseVirtualMachineProfileSpec) (string, vim.BaseMethodFault) {
	for _, one := range profile {
		if defined, ok := one.(*vim.VirtualMachineDefinedProfileSpec); ok {
			if !s.policies.Known(defined.ProfileId) {
				return "", invalid("createSpecs.profile")
			}
			return defined.ProfileId, nil
		}
	}
	return "", nil
}

// adopt makes a volume of a disk that is there.
func (s *Service) adopt(ctx *simulator.Context, v *volume, id string) vim.BaseMethodFault {
	if s.find(id) != nil {
		return &cns.CnsAlreadyRegisteredFault{
			CnsFault: cns.CnsFault{Reason: "CNS: the disk is a volume."}, VolumeId: cns.CnsVolumeId{Id: id},
		}
	}
	disk := s.disk(ctx, id)
	if disk == nil {
		return invalid("VolumeId")
	}
	v.of(disk)
	return nil
}

// disk is a copy of the first class disk with an id, nil if there is none.
func (s *Service) disk(ctx *simulator.Context, id string) (found *vim.VStorageObject) {
	disks := s.reg.VStorageObjectManager()
	s.reg.WithLock(ctx, disks, func() {
		for _, on := range disks.Catalog() {
			if one := on[vim.ID{Id: id}]; one != nil {
				disk := one.VStorageObject
				found = &disk
			}
		}
	})
	return found
}

// Delete removes volumes, with their disks if that is asked for. One that is attached or has snapshots stays.
func (s *Service) Delete(c Caller, req *cns.CnsDeleteVolume) (*cns.CnsDeleteVolumeResponse, vim.BaseMethodFault) {
	if fault := c.Require(s.managesVolumes(c, ids(req.VolumeIds))...); fault != nil {
		return nil, fault
	}
	return &cns.CnsDeleteVolumeResponse{Returnval: each(s, c, "DeleteVolume", single(req.VolumeIds),
		func(ctx *simulator.Context, id *cns.CnsVolumeId) cns.BaseCnsVolumeOperationResult {
			out := result(id.Id, s.remove(ctx, id.Id, req.DeleteDisk))
			return &out
		})}, nil
}

func (s *Service) remove(ctx *simulator.Context, id string, disk bool) vim.BaseMethodFault {
	v := s.find(id)
	if v == nil {
		return &vim.NotFound{}
	}
	if vm, _ := s.attached(ctx, v); vm != nil || len(v.snapshots) > 0 {
		return &vim.ResourceInUse{Type: "CnsVolume", Name: id}
	}
	if disk && s.disk(ctx, id) != nil {
		disks := s.reg.VStorageObjectManager()
		body, ok := disks.DeleteVStorageObjectTask(ctx, &vim.DeleteVStorageObject_Task{
			This: disks.Self, Id: vim.ID{Id: id}, Datastore: v.datastore,
		}).(*methods.DeleteVStorageObject_TaskBody)
		if !ok || body.Res == nil {
			return failed("CNS: Failed to delete disk.")
		}
		if _, fault := s.finished(body.Res.Returnval); fault != nil {
			return fault
		}
	}
	s.volumes = slices.DeleteFunc(s.volumes, func(other *volume) bool { return other == v })
	return nil
}

// Extend makes volumes larger, also while they are attached.
func (s *Service) Extend(c Caller, req *cns.CnsExtendVolume) (*cns.CnsExtendVolumeResponse, vim.BaseMethodFault) {
	var all []string
	for _, spec := range req.ExtendSpecs {
		all = append(all, spec.VolumeId.Id)
	}
	if fault := c.Require(s.managesVolumes(c, all)...); fault != nil {
		return nil, fault
	}
	return &cns.CnsExtendVolumeResponse{Returnval: each(s, c, "ExtendVolume", req.ExtendSpecs,
		func(ctx *simulator.Context, spec *cns.CnsVolumeExtendSpec) cns.BaseCnsVolumeOperationResult {
			out := result(spec.VolumeId.Id, s.extend(ctx, spec))
			return &out
		})}, nil
}

func (s *Service) extend(ctx *simulator.Context, spec *cns.CnsVolumeExtendSpec) vim.BaseMethodFault {
	v := s.find(spec.VolumeId.Id)
	switch {
	case v == nil || s.disk(ctx, spec.VolumeId.Id) == nil:
		return &vim.NotFound{}
	case spec.CapacityInMb < v.capacity || spec.CapacityInMb > largest:
		return invalid("capacityInMb")
	case spec.CapacityInMb == v.capacity:
		return nil
	}
	if vm, device := s.attached(ctx, v); vm != nil {
		larger := *device
		larger.CapacityInKB, larger.CapacityInBytes = spec.CapacityInMb<<10, spec.CapacityInMb<<20
		if fault := s.reconfigure(ctx, vm, vim.VirtualDeviceConfigSpecOperationEdit, &larger); fault != nil {
			return fault
		}
	}
	disks := s.reg.VStorageObjectManager()
	body, ok := disks.ExtendDiskTask(ctx, &vim.ExtendDisk_Task{
		This: disks.Self, Id: vim.ID{Id: v.id}, Datastore: v.datastore, NewCapacityInMB: spec.CapacityInMb,
	}).(*methods.ExtendDisk_TaskBody)
	if !ok || body.Res == nil {
		return failed("CNS: Failed to extend disk.")
	}
	if _, fault := s.finished(body.Res.Returnval); fault != nil {
		return fault
	}
	v.capacity = spec.CapacityInMb
	return nil
}

// single are the requests of a call that takes no more than one, as govmomi's simulator found of vCenters.
func single[T any](requests []T) []T {
	if len(requests) > 1 {
		return nil
	}
	return requests
}

func ids(all []cns.CnsVolumeId) (out []string) {
	for _, id := range all {
		out = append(out, id.Id)
	}
	return out
}
