package volumes

import (
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	vim "github.com/vmware/govmomi/vim25/types"
	methodsOfDisks "github.com/vmware/govmomi/vslm/methods"
	simulated "github.com/vmware/govmomi/vslm/simulator"
	vslm "github.com/vmware/govmomi/vslm/types"
)

// The service of first class disks (VSLM), as far as drivers and govc use it for volumes that are
// made beforehand. It works on the disks that vim25 has, and asks for what vim25 asks for.

// FileOf is the datastore path of a URL of a file, https://HOST/folder/FILE?dcPath=…&dsName=…, with
// its datacenter; ok is false for what is no such URL.
func FileOf(address string) (datacenter string, file object.DatastorePath, ok bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", file, false
	}
	name, found := strings.CutPrefix(u.Path, "/folder/")
	q := u.Query()
	file = object.DatastorePath{Datastore: q.Get("dsName"), Path: name}
	return q.Get("dcPath"), file, found && name != "" && file.Datastore != "" && !strings.Contains(name, "..")
}

// RegisterDisk makes a first class disk of a file that is there.
func (s *Service) RegisterDisk(c Caller, req *vslm.VslmRegisterDisk) (*vslm.VslmRegisterDiskResponse, vim.BaseMethodFault) {
	datacenter, file, ok := FileOf(req.Path)
	store, found := c.Datastore(datacenter, file.Datastore)
	if !ok || !found {
		return nil, invalid("path")
	}
	if fault := c.Require(Need{store, manage}); fault != nil {
		return nil, fault
	}
	disk, fault := s.register(c, store, req.Path, req.Name)
	if fault != nil {
		return nil, fault
	}
	return &vslm.VslmRegisterDiskResponse{Returnval: *disk}, nil
}

// register is RegisterDisk without its privileges. A file that a disk has already is AlreadyExists,
// which names the disk.
func (s *Service) register(
	c Caller, store vim.ManagedObjectReference, address, name string,
) (*vim.VStorageObject, vim.BaseMethodFault) {
	_, file, _ := FileOf(address)
	disks := s.reg.VStorageObjectManager()
	capacity, there := s.capacity(c, store, file.String())
	if !there {
		return nil, invalid("path")
	}
	var made *vim.VStorageObject
	fault := invalid("path")
	s.reg.WithLock(c.Context(), disks, func() {
		for id, one := range disks.Catalog()[store] {
			if on, ok := one.Config.Backing.(*vim.BaseConfigInfoDiskFileBackingInfo); ok && on.FilePath == file.String() {
				fault = &vim.AlreadyExists{Name: id.Id}
				return
			}
		}
		body, ok := disks.RegisterDisk(c.Context(), &vim.RegisterDisk{
			This: disks.Self, Path: address, Name: name,
		}).(*methods.RegisterDiskBody)
		if !ok || body.Res == nil {
			return
		}
		one := disks.Catalog()[store][body.Res.Returnval.Config.Id]
		one.Config.CapacityInMB = capacity // the simulator does not look
		disk := one.VStorageObject
		made, fault = &disk, nil
	})
	return made, fault
}

// capacity is that of a disk's file in MB.
func (s *Service) capacity(
	c Caller, store vim.ManagedObjectReference, path string,
) (mb int64, there bool) {
	datacenter := c.Datacenter(store)
	file, _, fault := s.reg.FileManager().DiskDescriptor(c.Context(), &datacenter, path)
	if fault != nil {
		return 0, false
	}
	return file.Capacity() >> 20, true
}

// RetrieveDisk is a disk by its id.
func (s *Service) RetrieveDisk(
	c Caller, req *vslm.VslmRetrieveVStorageObject,
) (*vslm.VslmRetrieveVStorageObjectResponse, vim.BaseMethodFault) {
	disk, _, fault := s.known(c, req.Id, view)
	if fault != nil {
		return nil, fault
	}
	return &vslm.VslmRetrieveVStorageObjectResponse{Returnval: *disk}, nil
}

// known is a disk that is there, with its datastore, where the caller has a privilege.
func (s *Service) known(
	c Caller, id vim.ID, privilege string,
) (*vim.VStorageObject, vim.ManagedObjectReference, vim.BaseMethodFault) {
	disk := s.disk(c.Context(), id.Id)
	if disk == nil {
		return nil, vim.ManagedObjectReference{}, invalid("VolumeId")
	}
	store := disk.Config.Backing.GetBaseConfigInfoBackingInfo().Datastore
	return disk, store, c.Require(Need{store, privilege})
}

// ListDisks gives the disks of the datastores that the caller sees, by a query.
func (s *Service) ListDisks(
	c Caller, req *vslm.VslmListVStorageObjectForSpec,
) (*vslm.VslmListVStorageObjectForSpecResponse, vim.BaseMethodFault) {
	if req.MaxResult < 1 {
		return nil, invalid("maxResult")
	}
	all, seen := *req, map[string]bool{}
	all.MaxResult = math.MaxInt32
	disks := s.reg.VStorageObjectManager()
	var answer soap.HasFault
	s.reg.WithLock(c.Context(), disks, func() {
		for _, store := range c.Datastores() {
			for id := range disks.Catalog()[store] {
				seen[id.Id] = true
			}
		}
		answer = (&simulated.VStorageObjectManager{}).VslmListVStorageObjectForSpec(c.Context(), &all)
	})
	body, ok := answer.(*methodsOfDisks.VslmListVStorageObjectForSpecBody)
	if !ok || body.Res == nil {
		return nil, invalid("query")
	}
	found := body.Res.Returnval
	found.QueryResults = slices.DeleteFunc(found.QueryResults, func(one vslm.VslmVsoVStorageObjectResult) bool { return !seen[one.Id.Id] })
	found.AllRecordsReturned = len(found.QueryResults) <= int(req.MaxResult)
	found.QueryResults = found.QueryResults[:min(len(found.QueryResults), int(req.MaxResult))]
	found.Id = nil
	for _, one := range found.QueryResults {
		found.Id = append(found.Id, one.Id)
	}
	return body.Res, nil
}

// CreateDisk begins to make a disk.
func (s *Service) CreateDisk(
	c Caller, req *vslm.VslmCreateDisk_Task,
) (*vslm.VslmCreateDisk_TaskResponse, vim.BaseMethodFault) {
	on, ok := req.Spec.BackingSpec.(*vim.VslmCreateSpecDiskFileBackingSpec)
	if !ok || req.Spec.CapacityInMB < 1 || req.Spec.CapacityInMB > largest {
		return nil, invalid("spec")
	}
	if _, ok := s.reg.Get(on.Datastore).(*simulator.Datastore); !ok {
		return nil, &vim.ManagedObjectNotFound{Obj: on.Datastore}
	}
	if fault := c.Require(Need{on.Datastore, manage}); fault != nil {
		return nil, fault
	}
	disks := s.reg.VStorageObjectManager()
	body, ok := disks.CreateDiskTask(c.Context(), &vim.CreateDisk_Task{This: disks.Self, Spec: req.Spec}).(*methods.CreateDisk_TaskBody)
	if !ok || body.Res == nil {
		return nil, invalid("spec")
	}
	return &vslm.VslmCreateDisk_TaskResponse{Returnval: diskTask(body.Res.Returnval)}, nil
}

// DeleteDisk begins to delete a disk, with its file. One that a machine has stays.
func (s *Service) DeleteDisk(
	c Caller, req *vslm.VslmDeleteVStorageObject_Task,
) (*vslm.VslmDeleteVStorageObject_TaskResponse, vim.BaseMethodFault) {
	_, store, fault := s.known(c, req.Id, manage)
	if fault != nil {
		return nil, fault
	}
	if s.inUse(c, req.Id.Id) {
		return nil, &vim.InvalidState{}
	}
	disks := s.reg.VStorageObjectManager()
	body, ok := disks.DeleteVStorageObjectTask(c.Context(), &vim.DeleteVStorageObject_Task{
		This: disks.Self, Id: req.Id, Datastore: store,
	}).(*methods.DeleteVStorageObject_TaskBody)
	if !ok || body.Res == nil {
		return nil, invalid("id")
	}
	return &vslm.VslmDeleteVStorageObject_TaskResponse{Returnval: diskTask(body.Res.Returnval)}, nil
}

// inUse reports whether a disk is a volume that a machine has.
func (s *Service) inUse(c Caller, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.find(id)
	if v == nil {
		return false
	}
	vm, _ := s.attached(c.Context(), v)
	return vm != nil
}

// SetFlags sets control flags of a disk, and leaves its others.
func (s *Service) SetFlags(
	c Caller, req *vslm.VslmSetVStorageObjectControlFlags,
) (*vslm.VslmSetVStorageObjectControlFlagsResponse, vim.BaseMethodFault) {
	return &vslm.VslmSetVStorageObjectControlFlagsResponse{}, s.flag(c, req.Id, req.ControlFlags, true)
}

// ClearFlags clears control flags of a disk: all, where it names none.
func (s *Service) ClearFlags(
	c Caller, req *vslm.VslmClearVStorageObjectControlFlags,
) (*vslm.VslmClearVStorageObjectControlFlagsResponse, vim.BaseMethodFault) {
	names := req.ControlFlags
	if len(names) == 0 {
		names = []string{keepDisk, stayDisk, trackDisk}
	}
	return &vslm.VslmClearVStorageObjectControlFlagsResponse{}, s.flag(c, req.Id, names, false)
}

// The control flags of a disk.
const (
	keepDisk  = string(vim.VslmVStorageObjectControlFlagKeepAfterDeleteVm)
	stayDisk  = string(vim.VslmVStorageObjectControlFlagDisableRelocation)
	trackDisk = string(vim.VslmVStorageObjectControlFlagEnableChangedBlockTracking)
)

func (s *Service) flag(c Caller, id vim.ID, names []string, to bool) (fault vim.BaseMethodFault) {
	_, store, fault := s.known(c, id, manage)
	if fault != nil {
		return fault
	}
	disks := s.reg.VStorageObjectManager()
	s.reg.WithLock(c.Context(), disks, func() {
		one := disks.Catalog()[store][id]
		if one == nil {
			fault = invalid("VolumeId")
			return
		}
		flags := map[string]**bool{
			keepDisk: &one.Config.KeepAfterDeleteVm, stayDisk: &one.Config.RelocationDisabled,
			trackDisk: &one.Config.ChangedBlockTrackingEnabled,
		}
		for _, name := range names {
			if flags[name] == nil {
				fault = invalid("controlFlags")
				return
			}
		}
		for _, name := range names {
			*flags[name] = &to
		}
	})
	return fault
}

// diskTask is a task of vim25 as this service names it.
func diskTask(of vim.ManagedObjectReference) vim.ManagedObjectReference {
	return vim.ManagedObjectReference{Type: "VslmTask", Value: of.Value}
}

// TaskInfo tells how a task goes.
func (s *Service) TaskInfo(
	c Caller, req *vslm.VslmQueryInfo,
) (*vslm.VslmQueryInfoResponse, vim.BaseMethodFault) {
	info, fault := s.taskInfo(c, req.This)
	if fault != nil {
		return nil, fault
	}
	_, name, _ := strings.Cut(info.DescriptionId, ".")
	return &vslm.VslmQueryInfoResponse{Returnval: vslm.VslmTaskInfo{
		Key: info.Key, Task: req.This, DescriptionId: "com.vmware.cns.vslm.tasks." + name,
		State: vslm.VslmTaskInfoState(info.State), Error: info.Error, Result: info.Result,
		QueueTime: info.QueueTime, StartTime: info.StartTime, CompleteTime: info.CompleteTime,
	}}, nil
}

// TaskResult is what a task came to, nothing while it runs.
func (s *Service) TaskResult(
	c Caller, req *vslm.VslmQueryTaskResult,
) (*vslm.VslmQueryTaskResultResponse, vim.BaseMethodFault) {
	info, fault := s.taskInfo(c, req.This)
	if fault != nil {
		return nil, fault
	}
	return &vslm.VslmQueryTaskResultResponse{Returnval: info.Result}, nil
}

func (s *Service) taskInfo(
	c Caller, ref vim.ManagedObjectReference,
) (info vim.TaskInfo, fault vim.BaseMethodFault) {
	t, ok := s.reg.Get(vim.ManagedObjectReference{Type: "Task", Value: ref.Value}).(*simulator.Task)
	if !ok {
		return info, &vim.ManagedObjectNotFound{Obj: ref}
	}
	s.reg.WithLock(c.Context(), t, func() { info = t.Info })
	return info, nil
}

// DiskContent is what the service of disks consists of.
func DiskContent(instance string) vslm.VslmServiceInstanceContent {
	object := func(kind, id string) vim.ManagedObjectReference {
		return vim.ManagedObjectReference{Type: kind, Value: id}
	}
	return vslm.VslmServiceInstanceContent{
		AboutInfo: vslm.VslmAboutInfo{
			Name: "VMware Virtual Storage Lifecycle Manager Service", Vendor: "VMware, Inc.",
			FullName:   "VMware Virtual Storage Lifecycle Manager Service 1.0.0",
			ApiVersion: "1.0.0", InstanceUuid: instance,
		},
		SessionManager:          object("VslmSessionManager", "SessionManager"),
		VStorageObjectManager:   object("VslmVStorageObjectManager", "VStorageObjectManager"),
		StorageLifecycleManager: object("VslmStorageLifecycleManager", "StorageLifecycleManager"),
	}
}
