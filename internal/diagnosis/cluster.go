package diagnosis

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// What the Infrastructure of a cluster says that its secrets cannot say of themselves.

// strangeServers tells of vCenters that secrets have accounts for and the cluster does not use.
func (w *explainer) strangeServers() {
	if !w.known {
		return
	}
	in := map[string][]string{}
	for _, s := range w.relevant {
		for server := range s.Accounts {
			if !slices.Contains(w.servers, server) && credfile.NearServer(server, w.servers) == "" { // one that is near is misspelt
				in[server] = lists.AppendNew(in[server], s.At().String())
			}
		}
	}
	for _, server := range slices.Sorted(maps.Keys(in)) {
		f := finding.New(finding.SecretShadowed, in[server][0], "has an account for %s, which is no vCenter of the cluster's Infrastructure: nobody uses it", server)
		if others := in[server][1:]; len(others) > 0 {
			f.Text += "; so have " + strings.Join(others, ", ")
		}
		w.findings = append(w.findings, f)
	}
}

// copyOfRoot tells that cluster-capi-operator works with an account that the root secret had once: it copies the one of the first
// vCenter when it first needs it, and never again.
func (w *explainer) copyOfRoot() {
	if w.Name == "" || w.Root() == nil {
		return
	}
	s := w.Object(component.At(openshift.SecretOf(component.ClusterAPI).Namespace, w.Name))
	if s == nil {
		return
	}
	a, ok := s.Flat()
	if !ok || slices.ContainsFunc(w.servers, func(server string) bool { return w.Root().Held(server).Same(a) }) {
		return
	}
	f := w.add(finding.SecretStale, s, "has %s, and %s has another account: cluster-capi-operator copied it once, and does so again where it is missing", a.User, root)
	f.Remedies = []string{oc("delete", s)}
}
