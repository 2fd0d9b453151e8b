package policy

import (
	"slices"

	"github.com/google/uuid"
	pbm "github.com/vmware/govmomi/pbm/types"
	vim "github.com/vmware/govmomi/vim25/types"
)

// QueryProfile gives the ids of profiles. What is not about storage has none.
func (s *Service) QueryProfile(c Caller, req *pbm.PbmQueryProfile) (*pbm.PbmQueryProfileResponse, vim.BaseMethodFault) {
	if fault := c.Require(View); fault != nil {
		return nil, fault
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	res := &pbm.PbmQueryProfileResponse{}
	for _, p := range s.profiles {
		if p.ResourceType == req.ResourceType && (req.ProfileCategory == "" || p.ProfileCategory == req.ProfileCategory) {
			res.Returnval = append(res.Returnval, p.ProfileId)
		}
	}
	return res, nil
}

// RetrieveContent gives profiles whole. One unknown id refuses the call.
func (s *Service) RetrieveContent(c Caller, req *pbm.PbmRetrieveContent) (*pbm.PbmRetrieveContentResponse, vim.BaseMethodFault) {
	if fault := c.Require(View); fault != nil {
		return nil, fault
	}
	if len(req.ProfileIds) == 0 {
		return nil, &vim.InvalidRequest{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	res := &pbm.PbmRetrieveContentResponse{}
	for _, id := range req.ProfileIds {
		p := s.find(id.UniqueId)
		if p == nil {
			return nil, invalid("profileId")
		}
		res.Returnval = append(res.Returnval, p)
	}
	return res, nil
}

// Create makes a profile. Its name is one that no other has.
func (s *Service) Create(c Caller, req *pbm.PbmCreate) (*pbm.PbmCreateResponse, vim.BaseMethodFault) {
	if fault := c.Require(Update); fault != nil {
		return nil, fault
	}
	spec := req.CreateSpec
	if spec.Category == "" {
		spec.Category = string(pbm.PbmProfileCategoryEnumREQUIREMENT)
	}
	switch {
	case spec.Name == "":
		return nil, invalid("createSpec.name")
	case spec.ResourceType != storageType:
		return nil, invalid("createSpec.resourceType")
	case !slices.Contains(pbm.PbmProfileCategoryEnum("").Strings(), spec.Category):
		return nil, invalid("createSpec.category")
	case spec.Constraints == nil:
		return nil, invalid("createSpec.constraints")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken(spec.Name, "") {
		return nil, &pbm.PbmDuplicateName{Name: spec.Name}
	}
	now := s.now().UTC()
	made := &pbm.PbmCapabilityProfile{
		PbmProfile: pbm.PbmProfile{
			ProfileId: pbm.PbmProfileId{UniqueId: uuid.NewString()}, Name: spec.Name, Description: spec.Description,
			CreationTime: now, CreatedBy: c.Name(), LastUpdatedTime: now, LastUpdatedBy: c.Name(),
		},
		ProfileCategory: spec.Category, ResourceType: spec.ResourceType, Constraints: spec.Constraints,
		K8sCompliantName: spec.K8sCompliantName,
	}
	s.profiles = append(s.profiles, made)
	return &pbm.PbmCreateResponse{Returnval: made.ProfileId}, nil
}

// Update changes what is given of a profile.
func (s *Service) Update(c Caller, req *pbm.PbmUpdate) (*pbm.PbmUpdateResponse, vim.BaseMethodFault) {
	if fault := c.Require(Update); fault != nil {
		return nil, fault
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(req.ProfileId.UniqueId)
	if i < 0 {
		return nil, invalid("profileId")
	}
	next, spec := *s.profiles[i], req.UpdateSpec
	if spec.Name != "" {
		if s.taken(spec.Name, req.ProfileId.UniqueId) {
			return nil, &pbm.PbmDuplicateName{Name: spec.Name}
		}
		next.Name = spec.Name
	}
	if spec.Description != "" {
		next.Description = spec.Description
	}
	if spec.Constraints != nil {
		next.Constraints = spec.Constraints
	}
	next.GenerationId++
	next.LastUpdatedTime, next.LastUpdatedBy = s.now().UTC(), c.Name()
	s.profiles[i] = &next
	return &pbm.PbmUpdateResponse{}, nil
}

// Delete removes profiles, and says of each whose id leads nowhere or which is in use why it stayed; the others go.
func (s *Service) Delete(c Caller, req *pbm.PbmDelete) (*pbm.PbmDeleteResponse, vim.BaseMethodFault) {
	if fault := c.Require(Update); fault != nil {
		return nil, fault
	}
	res := &pbm.PbmDeleteResponse{}
	for _, id := range req.ProfileId {
		out := pbm.PbmProfileOperationOutcome{ProfileId: id}
		if fault := s.remove(id.UniqueId); fault != nil {
			out.Fault = &vim.LocalizedMethodFault{Fault: fault, LocalizedMessage: "The storage policy " + id.UniqueId + " cannot be deleted."}
		}
		res.Returnval = append(res.Returnval, out)
	}
	return res, nil
}

func (s *Service) remove(id string) vim.BaseMethodFault {
	users := s.inventory.Volumes(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.find(id)
	switch {
	case p == nil:
		return &pbm.PbmFaultNotFound{}
	case len(users) > 0:
		return &pbm.PbmResourceInUse{Name: p.Name}
	}
	s.profiles = slices.DeleteFunc(slices.Clone(s.profiles), func(other *pbm.PbmCapabilityProfile) bool { return other == p })
	return nil
}

// volumeType is what an entity is that is a volume; its key is the id of the volume.
const volumeType = string(pbm.PbmObjectTypeVirtualDiskUUID)

// QueryAssociatedProfile gives the policy of a volume; other objects have none.
func (s *Service) QueryAssociatedProfile(c Caller, req *pbm.PbmQueryAssociatedProfile) (*pbm.PbmQueryAssociatedProfileResponse,
	vim.BaseMethodFault,
) {
	if fault := c.Require(View); fault != nil {
		return nil, fault
	}
	return &pbm.PbmQueryAssociatedProfileResponse{Returnval: s.policies(req.Entity)}, nil
}

// QueryAssociatedProfiles is QueryAssociatedProfile for several objects.
func (s *Service) QueryAssociatedProfiles(c Caller,
	req *pbm.PbmQueryAssociatedProfiles,
) (*pbm.PbmQueryAssociatedProfilesResponse, vim.BaseMethodFault) {
	if fault := c.Require(View); fault != nil {
		return nil, fault
	}
	res := &pbm.PbmQueryAssociatedProfilesResponse{}
	for _, entity := range req.Entities {
		res.Returnval = append(res.Returnval, pbm.PbmQueryProfileResult{Object: entity, ProfileId: s.policies(entity)})
	}
	return res, nil
}

// QueryIOFilters gives the I/O filters of profiles: none, as hosts have none installed. One that
// is not there has a fault of its own.
func (s *Service) QueryIOFilters(
	c Caller, req *pbm.PbmQueryIOFiltersFromProfileId,
) ([]pbm.PbmProfileToIofilterMap, vim.BaseMethodFault) {
	if fault := c.Require(View); fault != nil {
		return nil, fault
	}
	var list []pbm.PbmProfileToIofilterMap
	for _, id := range req.ProfileIds {
		one := pbm.PbmProfileToIofilterMap{Key: id}
		if !s.Known(id.UniqueId) {
			one.Fault = &vim.LocalizedMethodFault{
				Fault:            invalid("profileIds"),
				LocalizedMessage: "There is no storage policy " + id.UniqueId + ".",
			}
		}
		list = append(list, one)
	}
	return list, nil
}

func (s *Service) policies(entity pbm.PbmServerObjectRef) []pbm.PbmProfileId {
	if entity.ObjectType != volumeType {
		return nil
	}
	if id := s.inventory.PolicyOf(entity.Key); id != "" {
		return []pbm.PbmProfileId{{UniqueId: id}}
	}
	return nil
}

// QueryAssociatedEntity gives the volumes that have a policy.
func (s *Service) QueryAssociatedEntity(c Caller, req *pbm.PbmQueryAssociatedEntity) (*pbm.PbmQueryAssociatedEntityResponse,
	vim.BaseMethodFault,
) {
	if fault := c.Require(View); fault != nil {
		return nil, fault
	}
	s.mu.Lock()
	known := s.find(req.Profile.UniqueId) != nil
	s.mu.Unlock()
	if !known {
		return nil, invalid("profile")
	}
	res := &pbm.PbmQueryAssociatedEntityResponse{}
	if req.EntityType != "" && req.EntityType != volumeType {
		return res, nil
	}
	for _, id := range s.inventory.Volumes(req.Profile.UniqueId) {
		res.Returnval = append(res.Returnval, pbm.PbmServerObjectRef{ObjectType: volumeType, Key: id})
	}
	return res, nil
}
