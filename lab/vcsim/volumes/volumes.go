// Package volumes simulates the container volumes of a vCenter (CNS): first class disks with a name, a policy and what a cluster says
// of them, which are attached to virtual machines and detached, and their snapshots; and the service of these disks (VSLM), by which
// they are made before they are volumes. File volumes, volumes from snapshots, relocation and access lists are not simulated.
package volumes

import (
	"slices"
	"strings"
	"sync"
	"time"

	cns "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/simulator"
	vim "github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"
)

// Need is a privilege that a call looks for.
type Need struct {
	On        vim.ManagedObjectReference // the zero value is the root folder, which stands for volumes (R27)
	Privilege string
}

// The privileges of volumes. Source: vSAN Management API reference, CnsVolumeManager.
const (
	search     = "Cns.Searchable"                        // root
	manage     = "Datastore.FileManagement"              // the datastore of the volume, or each that may get it
	view       = "System.View"                           // the datastore of a disk that is read
	read       = "System.Read"                           // the datacenter of the datastore
	viewPolicy = "StorageProfile.View"                   // root, where a policy is named
	addDisk    = "VirtualMachine.Config.AddExistingDisk" // the machine
	addDevice  = "VirtualMachine.Config.AddRemoveDevice" // the machine
	addSecret  = "Cryptographer.AddDisk"                 //nolint:gosec // a privilege: the machine, where it is encrypted
	removeDisk = "VirtualMachine.Config.RemoveDisk"      // the machine
)

// Caller is who makes a call.
type Caller interface {
	Name() string // as a vCenter stores it
	// Require is nil when the caller has all privileges, else the fault that refuses the call.
	Require(needs ...Need) vim.BaseMethodFault
	// Datastores are those that the caller sees.
	Datastores() []vim.ManagedObjectReference
	// Datastore is one by its name in a datacenter, whose path is given.
	Datastore(datacenter, name string) (vim.ManagedObjectReference, bool)
	// Datacenter is that of a datastore.
	Datacenter(datastore vim.ManagedObjectReference) vim.ManagedObjectReference
	// Context is that of the request, in which the simulator works.
	Context() *simulator.Context
}

// Policies are the storage policies of the vCenter.
type Policies interface {
	Known(id string) bool
	Fits(id string, datastore vim.ManagedObjectReference) bool
}

// Service is the volumes of one vCenter.
type Service struct {
	reg      *simulator.Registry
	policies Policies
	now      func() time.Time

	mu      sync.Mutex
	volumes []*volume // in the order in which they were made
}

// volume is one. Its metadata are replaced, never changed.
type volume struct {
	id, name, policy string
	datastore        vim.ManagedObjectReference
	path             string // of the file
	capacity         int64  // MB
	metadata         cns.CnsVolumeMetadata
	vm               vim.ManagedObjectReference // that it was attached to last
	had              []vim.ManagedObjectReference
	snapshots        []cns.CnsSnapshot
}

// New makes a service without volumes.
func New(reg *simulator.Registry, policies Policies, now func() time.Time) *Service {
	return &Service{reg: reg, policies: policies, now: now}
}

// WithPolicy gives the ids of the volumes that have a policy.
func (s *Service) WithPolicy(policy string) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.volumes {
		if v.policy == policy {
			ids = append(ids, v.id)
		}
	}
	return ids
}

// PolicyOf is the policy of a volume, "" if it has none.
func (s *Service) PolicyOf(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.find(id); v != nil {
		return v.policy
	}
	return ""
}

// find is the volume with an id, nil if there is none. The caller holds the lock.
func (s *Service) find(id string) *volume {
	if i := slices.IndexFunc(s.volumes, func(v *volume) bool { return v.id == id }); i >= 0 {
		return s.volumes[i]
	}
	return nil
}

// manager is the object that tasks are about.
type manager struct{}

func (manager) Reference() vim.ManagedObjectReference {
	return vim.ManagedObjectReference{Type: "CnsVolumeManager", Value: "cns-volume-manager"}
}

// task begins one that works on the volumes, alone.
func (s *Service) task(c Caller, name string, run func(*simulator.Context) (vim.AnyType, vim.BaseMethodFault)) vim.ManagedObjectReference {
	ctx := c.Context()
	t := simulator.CreateTask(manager{}, name, func(*simulator.Task) (vim.AnyType, vim.BaseMethodFault) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return run(ctx)
	})
	t.Info.DescriptionId = "com.vmware.cns.tasks." + strings.ToLower(name)
	t.Info.Reason = &vim.TaskReasonUser{UserName: c.Name()}
	return t.Run(ctx)
}

// each begins a task that comes to one result per request, in their order.
func each[T any](s *Service, c Caller, name string, requests []T,
	do func(*simulator.Context, *T) cns.BaseCnsVolumeOperationResult,
) vim.ManagedObjectReference {
	return s.task(c, name, func(ctx *simulator.Context) (vim.AnyType, vim.BaseMethodFault) {
		if len(requests) == 0 {
			return nil, invalid("InputSpec")
		}
		out := &cns.CnsVolumeOperationBatchResult{}
		for i := range requests {
			out.VolumeResults = append(out.VolumeResults, do(ctx, &requests[i]))
		}
		return out, nil
	})
}

// result is what became of a request for a volume.
func result(id string, fault vim.BaseMethodFault) cns.CnsVolumeOperationResult {
	out := cns.CnsVolumeOperationResult{VolumeId: cns.CnsVolumeId{Id: id}}
	if fault != nil {
		out.Fault = &vim.LocalizedMethodFault{Fault: fault, LocalizedMessage: text(fault)}
	}
	return out
}

func text(fault vim.BaseMethodFault) string {
	switch f := fault.(type) {
	case *cns.CnsFault:
		return f.Reason
	case *vim.NotFound:
		return "The object or item referred to could not be found."
	case *vim.ResourceInUse:
		return "The resource '" + f.Name + "' is in use."
	case *vim.InvalidArgument:
		return "A specified parameter was not correct: " + f.InvalidProperty
	}
	return "The operation on the volume failed."
}

func failed(reason string) vim.BaseMethodFault { return &cns.CnsFault{Reason: reason} }

func invalid(property string) vim.BaseMethodFault {
	return &vim.InvalidArgument{InvalidProperty: property}
}

// finished waits for a task of the simulator.
func (s *Service) finished(ref vim.ManagedObjectReference) (vim.AnyType, vim.BaseMethodFault) {
	t, ok := s.reg.Get(ref).(*simulator.Task)
	if !ok {
		return nil, &vim.ManagedObjectNotFound{Obj: ref}
	}
	t.Wait()
	if t.Info.Error != nil {
		return nil, t.Info.Error.Fault
	}
	return t.Info.Result, nil
}

// manages are the needs for work on datastores.
func manages(c Caller, datastores ...vim.ManagedObjectReference) (needs []Need) {
	for _, ref := range datastores {
		needs = append(needs, Need{ref, manage}, Need{c.Datacenter(ref), read})
	}
	return needs
}

// managesVolumes are the needs for work on volumes; those that are not there need nothing.
func (s *Service) managesVolumes(c Caller, ids []string) []Need {
	return manages(c, s.stores(ids)...)
}

// changesVolumes are the needs for what leaves the disks of volumes as they are.
func (s *Service) changesVolumes(ids []string) (needs []Need) {
	for _, ref := range s.stores(ids) {
		needs = append(needs, Need{ref, manage})
	}
	return needs
}

// stores are the datastores of volumes.
func (s *Service) stores(ids []string) (on []vim.ManagedObjectReference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if v := s.find(id); v != nil && !slices.Contains(on, v.datastore) {
			on = append(on, v.datastore)
		}
	}
	return on
}

// typed says its type in answers, as a vCenter does; govmomi's own type of a volume does not ask for that.
type typed struct{ *cns.CnsBlockBackingDetails }

// MarshalXML writes the details with their type.
func (t typed) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: "xsi:type"}, Value: "CnsBlockBackingDetails"})
	return e.EncodeElement(t.CnsBlockBackingDetails, start)
}
