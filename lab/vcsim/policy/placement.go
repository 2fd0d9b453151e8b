package policy

import (
	"fmt"
	"slices"

	pbm "github.com/vmware/govmomi/pbm/types"
	vim "github.com/vmware/govmomi/vim25/types"
)

// The namespaces of rules that are understood.
const (
	tags       = "http://www.vmware.com/storage/tag"     // a rule per category, its property a set of tags
	vsan       = "VSAN"                                  // satisfied by vSAN datastores
	encryption = "com.vmware.storageprofile.dataservice" // satisfied by all: hosts do it
)

// datastoreType is the type of hubs that are datastores. Storage pods are not simulated as hubs.
const datastoreType = "Datastore"

// CheckRequirements says of each datastore whether it satisfies what is required: of those that are given, or of all that the
// caller sees.
func (s *Service) CheckRequirements(c Caller, req *pbm.PbmCheckRequirements) (*pbm.PbmCheckRequirementsResponse, vim.BaseMethodFault) {
	if fault := c.Require(View); fault != nil {
		return nil, fault
	}
	var all []pbm.BasePbmCapabilityConstraints
	for _, requirement := range req.PlacementSubjectRequirement {
		switch r := requirement.(type) {
		case *pbm.PbmPlacementCapabilityProfileRequirement:
			constraints, known := s.constraints(r.ProfileId.UniqueId)
			if !known {
				return nil, invalid("profileId")
			}
			all = append(all, constraints)
		case *pbm.PbmPlacementCapabilityConstraintsRequirement:
			all = append(all, r.Constraints)
		}
	}
	results, fault := s.place(c, req.HubsToSearch, all)
	if fault != nil {
		return nil, fault
	}
	return &pbm.PbmCheckRequirementsResponse{Returnval: results}, nil
}

// CheckCompatibility is CheckRequirements for one profile.
func (s *Service) CheckCompatibility(c Caller, req *pbm.PbmCheckCompatibility) (*pbm.PbmCheckCompatibilityResponse, vim.BaseMethodFault) {
	if fault := c.Require(View); fault != nil {
		return nil, fault
	}
	constraints, known := s.constraints(req.Profile.UniqueId)
	if !known {
		return nil, invalid("profile")
	}
	results, fault := s.place(c, req.HubsToSearch, []pbm.BasePbmCapabilityConstraints{constraints})
	if fault != nil {
		return nil, fault
	}
	return &pbm.PbmCheckCompatibilityResponse{Returnval: results}, nil
}

// Known reports whether there is a policy with an id.
func (s *Service) Known(id string) bool {
	_, known := s.constraints(id)
	return known
}

// Fits reports whether a datastore satisfies a policy.
func (s *Service) Fits(id string, datastore vim.ManagedObjectReference) bool {
	constraints, known := s.constraints(id)
	return known && s.mismatch(constraints, datastore) == nil
}

func (s *Service) constraints(id string) (pbm.BasePbmCapabilityConstraints, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.find(id); p != nil {
		return p.Constraints, true
	}
	return nil, false
}

// place judges datastores by constraints, all of which have to be satisfied. One that the caller does not see is not there.
func (s *Service) place(c Caller, hubs []pbm.PbmPlacementHub,
	all []pbm.BasePbmCapabilityConstraints,
) ([]pbm.PbmPlacementCompatibilityResult, vim.BaseMethodFault) {
	seen := c.Datastores()
	if len(hubs) == 0 {
		for _, ref := range seen {
			hubs = append(hubs, pbm.PbmPlacementHub{HubType: ref.Type, HubId: ref.Value})
		}
	}
	var absent []pbm.PbmPlacementHub
	var results []pbm.PbmPlacementCompatibilityResult
	for _, hub := range hubs {
		ref := vim.ManagedObjectReference{Type: hub.HubType, Value: hub.HubId}
		if hub.HubType != datastoreType || !slices.Contains(seen, ref) {
			absent = append(absent, hub)
			continue
		}
		result := pbm.PbmPlacementCompatibilityResult{Hub: hub}
		for _, constraints := range all {
			if m := s.mismatch(constraints, ref); m != nil {
				m.Hub = hub
				result.Error = append(result.Error, vim.LocalizedMethodFault{
					Fault:            m,
					LocalizedMessage: fmt.Sprintf("Datastore does not satisfy required property %q of the storage policy.", m.RequirementPropertyInstance.Id),
				})
			}
		}
		results = append(results, result)
	}
	if absent != nil {
		return nil, &pbm.PbmNonExistentHubs{Hubs: absent}
	}
	return results, nil
}

// mismatch is what a datastore lacks; nil when it satisfies one of the sets of rules whole. Constraints without rules are satisfied.
func (s *Service) mismatch(constraints pbm.BasePbmCapabilityConstraints,
	datastore vim.ManagedObjectReference,
) (first *pbm.PbmCapabilityProfilePropertyMismatchFault) {
	sets, ok := constraints.(*pbm.PbmCapabilitySubProfileConstraints)
	if !ok {
		return nil
	}
	for _, set := range sets.SubProfiles {
		m := s.mismatchOf(set.Capability, datastore)
		if m == nil {
			return nil
		}
		if first == nil {
			first = m
		}
	}
	return first
}

func (s *Service) mismatchOf(capabilities []pbm.PbmCapabilityInstance,
	datastore vim.ManagedObjectReference,
) *pbm.PbmCapabilityProfilePropertyMismatchFault {
	for _, capability := range capabilities {
		for _, constraint := range capability.Constraint {
			for _, property := range constraint.PropertyInstance {
				has, ok := s.satisfied(capability.Id, property, datastore)
				if ok {
					continue
				}
				m := &pbm.PbmCapabilityProfilePropertyMismatchFault{}
				m.CapabilityInstanceId, m.RequirementPropertyInstance = capability.Id, property
				m.ResourcePropertyInstance = pbm.PbmCapabilityPropertyInstance{Id: property.Id, Value: has}
				return m
			}
		}
	}
	return nil
}

// satisfied holds one property of a rule against a datastore, and says what that has of it.
func (s *Service) satisfied(id pbm.PbmCapabilityMetadataUniqueId, property pbm.PbmCapabilityPropertyInstance,
	datastore vim.ManagedObjectReference,
) (has vim.AnyType, ok bool) {
	switch id.Namespace {
	case tags:
		if property.Id != "com.vmware.storage.tag."+id.Id+".property" {
			return pbm.PbmCapabilityDiscreteSet{}, false
		}
		var set pbm.PbmCapabilityDiscreteSet
		common := false
		wanted := values(property.Value)
		for _, tag := range s.inventory.Tags(datastore, id.Id) {
			set.Values = append(set.Values, tag)
			common = common || slices.Contains(wanted, tag)
		}
		return set, common != (property.Operator == string(pbm.PbmCapabilityOperatorNOT))
	case vsan:
		kind := s.inventory.Kind(datastore)
		return kind, kind == "vsan"
	case encryption:
		return property.Value, true
	}
	return "", false
}

// values are the names of tags in a rule: a set, or one name.
func values(v vim.AnyType) (names []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case *pbm.PbmCapabilityDiscreteSet:
		return values(*v)
	case pbm.PbmCapabilityDiscreteSet:
		for _, one := range v.Values {
			if name, ok := one.(string); ok {
				names = append(names, name)
			}
		}
	}
	return names
}
