package volumes

import (
	"slices"

	cns "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/simulator"
	vim "github.com/vmware/govmomi/vim25/types"
)

// UpdateMetadata replaces what clusters say of volumes, entity by entity; those that are marked as deleted go.
func (s *Service) UpdateMetadata(c Caller, req *cns.CnsUpdateVolumeMetadata) (*cns.CnsUpdateVolumeMetadataResponse, vim.BaseMethodFault) {
	var all []string
	for _, spec := range req.UpdateSpecs {
		all = append(all, spec.VolumeId.Id)
	}
	if fault := c.Require(s.changesVolumes(all)...); fault != nil {
		return nil, fault
	}
	return &cns.CnsUpdateVolumeMetadataResponse{Returnval: each(s, c, "UpdateVolumeMetadata", req.UpdateSpecs,
		func(_ *simulator.Context, spec *cns.CnsVolumeMetadataUpdateSpec) cns.BaseCnsVolumeOperationResult {
			out := result(spec.VolumeId.Id, s.update(spec))
			return &out
		})}, nil
}

func (s *Service) update(spec *cns.CnsVolumeMetadataUpdateSpec) vim.BaseMethodFault {
	v := s.find(spec.VolumeId.Id)
	if v == nil {
		return &vim.NotFound{}
	}
	next := slices.Clone(v.metadata.EntityMetadata)
	for _, entity := range spec.Metadata.EntityMetadata {
		next = slices.DeleteFunc(next, func(other cns.BaseCnsEntityMetadata) bool { return keyOf(other) == keyOf(entity) })
		if !entity.GetCnsEntityMetadata().Delete {
			next = append(next, entity)
		}
	}
	v.metadata.EntityMetadata = next
	if spec.Metadata.ContainerCluster.ClusterId != "" {
		v.metadata.ContainerCluster = spec.Metadata.ContainerCluster
	}
	if spec.Metadata.ContainerClusterArray != nil {
		v.metadata.ContainerClusterArray = spec.Metadata.ContainerClusterArray
	}
	return nil
}

// keyOf is what an entity is known by.
func keyOf(e cns.BaseCnsEntityMetadata) [4]string {
	base := e.GetCnsEntityMetadata()
	key := [4]string{base.EntityName, base.ClusterID}
	if k, ok := e.(*cns.CnsKubernetesEntityMetadata); ok {
		key[2], key[3] = k.EntityType, k.Namespace
	}
	return key
}

// ReconfigurePolicy gives volumes another policy, or none. Their datastore has to satisfy it.
func (s *Service) ReconfigurePolicy(c Caller, req *cns.CnsReconfigVolumePolicy) (*cns.CnsReconfigVolumePolicyResponse,
	vim.BaseMethodFault,
) {
	var all []string
	for _, spec := range req.VolumePolicyReconfigSpecs {
		all = append(all, spec.VolumeId.Id)
	}
	if fault := c.Require(append(s.managesVolumes(c, all), Need{Privilege: viewPolicy})...); fault != nil {
		return nil, fault
	}
	return &cns.CnsReconfigVolumePolicyResponse{Returnval: each(s, c, "ReconfigVolumePolicy",
		req.VolumePolicyReconfigSpecs, func(_ *simulator.Context, spec *cns.CnsVolumePolicyReconfigSpec) cns.BaseCnsVolumeOperationResult {
			out := result(spec.VolumeId.Id, s.reconfigurePolicy(spec))
			return &out
		})}, nil
}

func (s *Service) reconfigurePolicy(spec *cns.CnsVolumePolicyReconfigSpec) vim.BaseMethodFault {
	v := s.find(spec.VolumeId.Id)
	if v == nil {
		return &vim.NotFound{}
	}
	policy, fault := s.policy(spec.Profile)
	if fault != nil {
		return fault
	}
	if policy != "" && !s.policies.Fits(policy, v.datastore) {
		return failed("CNS: the datastore of the volume does not satisfy the storage policy " + policy + ".")
	}
	v.policy = policy
	return nil
}
