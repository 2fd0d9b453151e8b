package diagnosis

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// record judges what a secret records of its vCenters.
func (w *explainer) record(s *cluster.Object) {
	text, there := s.Annotations[openshift.VCentersKey]
	if !there {
		return
	}
	all, err := openshift.ParseInstances(text)
	if err != nil {
		w.add(finding.SecretVCenter, s, "annotation %s cannot be read: it %v", openshift.VCentersKey, err)
		return
	}
	for _, server := range s.Servers() {
		if all[server] == "" {
			w.add(finding.SecretNote, s, "annotation %s does not say which vCenter %s is", openshift.VCentersKey, server)
		}
	}
}

// Recorded are the vCenters of the explanation that some secret records, sorted.
func (e *Explanation) Recorded() []string {
	all := map[string]bool{}
	for _, s := range e.explains.relevant {
		for server := range s.Recorded() {
			all[server] = all[server] || slices.Contains(e.Servers, server)
		}
	}
	maps.DeleteFunc(all, func(_ string, asked bool) bool { return !asked })
	return slices.Sorted(maps.Keys(all))
}

// Why the vCenter that a server name leads to is not taken for the one that a secret records.
const (
	doubtElsewhere  = "this is not the recorded vCenter"
	doubtUnasked    = "cannot check whether this is the recorded vCenter"
	doubtUnreadable = "the recorded vCenter cannot be read"
)

// CompareInstances holds what the secrets record against the vCenters that the server names lead to now, as far as these
// could be asked. What differs, or could not be asked, is added to the findings. It gives the servers that no password may be
// sent to, with the reason: some secret records which vCenter it is, and that is not confirmed.
func (e *Explanation) CompareInstances(now openshift.Instances) (doubts map[string]string) {
	w := e.explains
	before := len(w.findings)
	doubts = map[string]string{}
	for _, s := range w.relevant {
		all := s.Recorded()
		if _, there := s.Annotations[openshift.VCentersKey]; there && all == nil {
			for server := range s.Accounts {
				doubts[server] = cmp.Or(doubts[server], doubtUnreadable)
			}
		}
		for _, server := range slices.Sorted(maps.Keys(all)) {
			is := now[server]
			_, used := s.Accounts[server]
			switch {
			case !used || !slices.Contains(e.Servers, server):
			case is == "":
				w.add(finding.SecretVCenter, s, "%s: cannot check whether it is still the recorded vCenter, instance %s", server, all[server])
				doubts[server] = cmp.Or(doubts[server], doubtUnasked)
			case !strings.EqualFold(is, all[server]):
				w.add(finding.SecretVCenter, s, "%s now leads to another vCenter: instance %s, recorded %s", server, is, all[server])
				doubts[server] = doubtElsewhere
			}
		}
	}
	e.Findings = append(e.Findings, w.findings[before:]...)
	return doubts
}
