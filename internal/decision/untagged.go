package decision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
)

// Untagged finds failure domains whose tags are missing, unread, or other than specified.
func (e *Snapshots) Untagged() (all []*finding.Finding) {
	for _, f := range []*finding.Finding{e.missingTags(), e.wrongTags(), e.uncheckedTags()} {
		if f != nil {
			all = append(all, f)
		}
	}
	return all
}

func (e *Snapshots) missingTags() *finding.Finding {
	var lacking, unseen []string
	named := true
	for _, s := range e.All {
		switch {
		case s.Err != nil:
			continue
		case s.TagsErr != nil:
			unseen = append(unseen, s.TagsErr.Error())
			continue
		case s.Tags == nil: // they were not read
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
		return finding.New(finding.MissingTags, "", "the tags of regions and zones could not be read: %s",
			strings.Join(unseen, "; "))
	}
	f := finding.New(finding.MissingTags, "", "openshift-install refuses several failure domains without tags: %s", strings.Join(append(lacking, unseen...), "; "))
	if named && e.Request.Line != nil {
		f.Remedies = []string{e.Request.Line("apply", "--create-tags")}
	} else {
		f.Remedies = []string{"write region and zone of each failure domain into the provisioning file, and run apply with --create-tags"}
	}
	return f
}

// untagged returns the categories without a tag on or above a cluster, except for host groups.
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

// wrongTags finds tags that differ from the specification; nil = none.
func (e *Snapshots) wrongTags() *finding.Finding {
	var wrong, remedies []string
	attach := false
	for _, s := range e.All {
		if s.Err != nil || s.Tags == nil {
			continue
		}
		wants := s.Wants()
		contradictions := tags.Contradictions(wants)
		for _, c := range contradictions {
			wrong, remedies = append(wrong, c.Text), lists.AppendNew(remedies, c.Remedy)
		}
		if contradictions != nil { // either may be the wrong one
			continue
		}
		for _, w := range wants {
			found, on := s.Tags.Instead(w)
			if on == nil {
				continue
			}
			wrong = append(wrong, w.For+": "+on.Path()+" has tag "+found.String()+", not "+w.Tag.String())
			attach = true
			if !slices.Contains(w.Object.Ancestors(), on) {
				remedies = lists.AppendNew(remedies, tags.Detach(found, on))
			}
		}
	}
	if wrong == nil {
		return nil
	}
	if len(remedies) > 0 && attach {
		wrong = append(wrong, "detach a tag only if no other cluster or policy uses it there")
	}
	if attach && e.Request.Line != nil {
		remedies = append(remedies, e.Request.Line("apply", "--create-tags"))
	}
	f := finding.New(finding.WrongTags, "", "the tags of regions and zones are not as specified, and OpenShift places machines by them: %s", strings.Join(wrong, "; "))
	f.Remedies = remedies
	return f
}

// uncheckedTags finds host groups whose hosts were not checked; nil = none.
func (e *Snapshots) uncheckedTags() *finding.Finding {
	var unchecked []string
	for _, s := range e.All {
		if s.Err != nil || s.Tags == nil {
			continue
		}
		for _, fd := range s.VCenter.FailureDomains {
			if fd.HostGroup {
				unchecked = append(unchecked, fd.Name+": tag "+tags.Tag{Category: tags.Zone, Name: fd.Zone}.String()+" on hosts of "+fd.ComputeCluster)
			}
		}
	}
	if unchecked == nil {
		return nil
	}
	return finding.New(finding.UncheckedTags, "", "zones that are host groups are not checked, attach their tags by hand: %s", strings.Join(unchecked, "; "))
}
