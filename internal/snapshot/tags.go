package snapshot

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// Tagged are the objects of the failure domains that were found, by which OpenShift finds regions and zones: the clusters of machines.
func (s *Snapshot) Tagged() (all []*inventory.Object) {
	for _, fd := range s.VCenter.FailureDomains {
		for _, p := range []string{fd.DatacenterPath(), fd.ComputeCluster} {
			if o := s.Inventory.At(p); o != nil && !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	return all
}

// Wants are the tags of the failure domains that name a region and a zone: a region is a datacenter and a zone is a cluster or,
// where the zone is a host group, a cluster and some of its hosts. Which hosts those are the specification does not say.
// Source: openshift/installer, pkg/asset/installconfig/vsphere/validation.go (validateTagAttachment) and pkg/types/vsphere.
func (s *Snapshot) Wants() (all []tags.Want) {
	for _, fd := range s.VCenter.FailureDomains {
		region, zone := s.Inventory.At(fd.DatacenterPath()), s.Inventory.At(fd.ComputeCluster)
		if fd.Region == "" || fd.Zone == "" || region == nil || zone == nil {
			continue
		}
		from := zone
		if fd.HostGroup {
			region, zone = zone, nil
		}
		all = append(all, tags.Want{Tag: tags.Tag{Category: tags.Region, Name: fd.Region}, Object: region, From: from, For: fd.Name},
			tags.Want{Tag: tags.Tag{Category: tags.Zone, Name: fd.Zone}, Object: zone, For: fd.Name})
	}
	return all
}

// tags are the steps that tag the failure domains.
func (t *topology) tags() ([]tags.Step, []*finding.Finding) {
	if !t.CreateTags || t.Tags == nil {
		return nil, nil
	}
	for _, fd := range t.VCenter.FailureDomains {
		if fd.Region == "" || fd.Zone == "" {
			t.fail(hint.Errorf("write region and zone of each failure domain, as in install-config.yaml, into the provisioning file",
				"%s: --create-tags: failure domain %s has no region or no zone", t.VCenter.Server, hint.Quote(fd.Name)))
		} else if fd.HostGroup {
			t.told = append(t.told, plan.Change{Kind: plan.FailureDomain, Name: fd.Name, Object: fd.ComputeCluster}.Tell(
				finding.UncheckedTags, "the zone is a host group: attach tag "+tags.Zone+"/"+fd.Zone+" to the hosts of the group in the vSphere Client"))
		}
	}
	wants := t.Wants()
	for _, c := range tags.Contradictions(wants) {
		t.fail(hint.Errorf(c.Remedy, "%s: --create-tags: %s", t.VCenter.Server, c.Text))
	}
	return tags.Diff(wants, t.Tags)
}
