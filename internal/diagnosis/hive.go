package diagnosis

import (
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// hiveServers are the vCenters that Hive has accounts for.
func (w *explainer) hiveServers() []string {
	all := map[string]bool{}
	for _, s := range w.removers {
		of, _ := s.Hive()
		for server := range of {
			all[server] = true
		}
	}
	delete(all, "")
	return slices.Sorted(maps.Keys(all))
}

// findHive says whom Hive works with.
func (w *explainer) findHive() {
	for _, s := range w.removers {
		all, err := s.Hive()
		if err != nil {
			w.add(finding.SecretMalformed, s, "%v", err)
		}
		for _, server := range slices.Sorted(maps.Keys(all)) {
			a := all[server]
			switch reason := a.Unusable(); {
			case server == "":
				w.add(finding.SecretMalformed, s, "key %q has an account without a vCenter", openshift.HiveKey)
			case reason != "":
				w.add(finding.SecretMalformed, s, "%s: %s", server, reason)
			default:
				w.add(finding.SecretNote, s, "%s: Hive logs in as %s to install the cluster, and to remove it", server, a.User)
			}
		}
	}
}
