package decision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// ChecksTags reports whether openshift-install looks for the tags of regions and zones: where there are several failure domains
// (openshift/installer, pkg/asset/installconfig/vsphere/validation.go, ValidateForProvisioning).
func ChecksTags(s *spec.Spec) bool {
	n := 0
	for _, v := range s.Whole().VCenters {
		n += len(v.FailureDomains)
	}
	return n > 1
}

// Untagged is the finding that failure domains lack tags, or that nobody could see whether they do; nil = neither.
func (e *Snapshots) Untagged() *finding.Finding {
	var lacking, unseen []string
	named := true
	for _, s := range e.All {
		switch {
		case s.Err != nil:
			continue
		case s.TagsErr != nil:
			unseen = append(unseen, s.TagsErr.Error())
			continue
		case s.Tags == nil: // nobody looked
			continue
		}
		for _, fd := range s.VCenter.FailureDomains {
			if missing := untagged(s, fd); missing != nil {
				lacking = append(lacking, fd.Name+" has no tag of "+strings.Join(missing, " and "))
				named = named && fd.Region != "" && fd.Zone != ""
			}
		}
	}
	if lacking == nil && unseen == nil {
		return nil
	}
	if lacking == nil {
		return finding.New(finding.MissingTags, "", "the tags of regions and zones could not be read: %s", strings.Join(unseen, "; "))
	}
	f := finding.New(finding.MissingTags, "", "openshift-install refuses several failure domains without tags: %s", strings.Join(append(lacking, unseen...), "; "))
	if named && e.Line != nil {
		f.Remedies = []string{e.Line("apply", "--create-tags")}
	} else {
		f.Remedies = []string{"write region and zone of each failure domain into the provisioning file, and run apply with --create-tags"}
	}
	return f
}

// untagged are the categories of which no tag is on the cluster of a failure domain or above it. The zones of host groups are on hosts.
func untagged(s *snapshot.Snapshot, fd spec.FailureDomain) []string {
	o := s.Inventory.At(fd.ComputeCluster)
	missing := slices.DeleteFunc(tags.Categories(), func(c string) bool {
		return o == nil || s.Tags.At(o, c) != nil || c == tags.Zone && fd.HostGroup && s.Tags.Has(c)
	})
	if len(missing) == 0 {
		return nil
	}
	return missing
}
