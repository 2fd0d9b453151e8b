// Package policy simulates the storage policies of a vCenter (PBM): profiles, and the datastores that satisfy their rules. Rules
// about tags are held against the tags that datastores have. Of other rules only those of the policies that every vCenter has are
// understood. Compliance, capabilities of arrays, and policies of virtual machines are not simulated; volumes have policies.
package policy

import (
	"slices"
	"sync"
	"time"

	pbm "github.com/vmware/govmomi/pbm/types"
	vim "github.com/vmware/govmomi/vim25/types"
)

// The privileges of storage policies. They are checked on the root folder (R27).
const (
	View   = "StorageProfile.View"
	Update = "StorageProfile.Update"
)

// Caller is who makes a call.
type Caller interface {
	Name() string // as a vCenter stores it
	// Require is nil when the caller has a privilege on the root folder, else the fault that refuses the call.
	Require(privilege string) vim.BaseMethodFault
	// Datastores are those that the caller sees.
	Datastores() []vim.ManagedObjectReference
}

// Inventory is what policies see of a vCenter.
type Inventory interface {
	// Tags are the names of the tags that a datastore has in a category.
	Tags(datastore vim.ManagedObjectReference, category string) []string
	// Kind is the type of a datastore: VMFS, NFS, vsan, ...
	Kind(datastore vim.ManagedObjectReference) string
	// Volumes are the ids of the volumes that have a policy.
	Volumes(policy string) []string
	// PolicyOf is the policy of a volume, "" if it has none.
	PolicyOf(volume string) string
}

// Service is the policies of one vCenter.
type Service struct {
	inventory Inventory
	now       func() time.Time

	mu       sync.Mutex
	profiles []*pbm.PbmCapabilityProfile // never changed, only replaced
}

// New makes the policies that every vCenter has.
func New(inventory Inventory, now func() time.Time) *Service {
	return &Service{inventory: inventory, now: now, profiles: presets(now().UTC())}
}

// find is the profile with an id, nil if there is none. The caller holds the lock.
func (s *Service) find(id string) *pbm.PbmCapabilityProfile {
	if i := s.index(id); i >= 0 {
		return s.profiles[i]
	}
	return nil
}

func (s *Service) index(id string) int {
	return slices.IndexFunc(s.profiles, func(p *pbm.PbmCapabilityProfile) bool { return p.ProfileId.UniqueId == id })
}

// taken reports whether a profile other than that of an id has a name. The caller holds the lock.
func (s *Service) taken(name, id string) bool {
	return slices.ContainsFunc(s.profiles, func(p *pbm.PbmCapabilityProfile) bool { return p.Name == name && p.ProfileId.UniqueId != id })
}

func invalid(property string) vim.BaseMethodFault {
	return &vim.InvalidArgument{InvalidProperty: property}
}

// storageType is the only type of resources that has policies.
var storageType = pbm.PbmProfileResourceType{ResourceType: string(pbm.PbmProfileResourceTypeEnumSTORAGE)}

// Content is what the service consists of. Nobody has to be logged in for it.
func (s *Service) Content() pbm.PbmServiceInstanceContent {
	ref := func(kind, value string) vim.ManagedObjectReference {
		return vim.ManagedObjectReference{Type: kind, Value: value}
	}
	return pbm.PbmServiceInstanceContent{
		AboutInfo:                 pbm.PbmAboutInfo{Name: "PBM", Version: "2.0", InstanceUuid: "317cb6b3-a7bb-50c3-bfbd-beaccc7f80a1"},
		SessionManager:            ref("PbmSessionManager", "SessionManager"),
		CapabilityMetadataManager: ref("PbmCapabilityMetadataManager", "CapabilityMetadataManager"),
		ProfileManager:            ref("PbmProfileProfileManager", "ProfileManager"),
		ComplianceManager:         ref("PbmComplianceManager", "complianceManager"),
		PlacementSolver:           ref("PbmPlacementSolver", "placementSolver"),
	}
}

// presets are the policies that vCenters have from the start.
func presets(now time.Time) []*pbm.PbmCapabilityProfile {
	preset := func(id, name, description, kind string, constraints pbm.BasePbmCapabilityConstraints) *pbm.PbmCapabilityProfile {
		return &pbm.PbmCapabilityProfile{
			PbmProfile: pbm.PbmProfile{
				ProfileId: pbm.PbmProfileId{UniqueId: id}, Name: name, Description: description,
				CreationTime: now, CreatedBy: system, LastUpdatedTime: now, LastUpdatedBy: system,
			},
			ProfileCategory: string(pbm.PbmProfileCategoryEnumREQUIREMENT), ResourceType: storageType,
			Constraints: constraints, IsDefault: true, SystemCreatedProfileType: kind,
		}
	}
	return []*pbm.PbmCapabilityProfile{
		preset("4d5f673c-536f-11e6-beb8-9e71128cae77", "VM Encryption Policy", "Sample storage policy for VMware's VM and virtual disk encryption", "",
			rules("sp-1", encryption, "ad5a249d-cbc2-43af-9366-694d7664fa52", "ad5a249d-cbc2-43af-9366-694d7664fa52")),
		preset("aa6d5a82-1c88-45da-85d3-3d74b91a5bad", "vSAN Default Storage Policy", "Storage policy used as default for vSAN datastores", "VsanDefaultProfile",
			rules("VSAN sub-profile", vsan, "hostFailuresToTolerate", int32(1))),
	}
}

// system is who made what every vCenter has.
const system = "Temporary user handle"

// rules are constraints with one rule, whose property has the name of its capability.
func rules(name, namespace, id string, value vim.AnyType) *pbm.PbmCapabilitySubProfileConstraints {
	return &pbm.PbmCapabilitySubProfileConstraints{SubProfiles: []pbm.PbmCapabilitySubProfile{{
		Name: name,
		Capability: []pbm.PbmCapabilityInstance{{
			Id: pbm.PbmCapabilityMetadataUniqueId{Namespace: namespace, Id: id},
			Constraint: []pbm.PbmCapabilityConstraintInstance{{
				PropertyInstance: []pbm.PbmCapabilityPropertyInstance{{Id: id, Value: value}},
			}},
		}},
	}}}
}
