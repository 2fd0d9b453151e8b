package openshift

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// What the Infrastructure of a cluster says that its secrets cannot say of themselves.

// strangeServers tells of vCenters that secrets have accounts for and the cluster does not use.
func (w *explainer) strangeServers() {
	if !w.known {
		return
	}
	in := map[string][]string{}
	for _, s := range w.relevant {
		for server := range w.contents[s].accounts {
			if !slices.Contains(w.servers, server) && credfile.NearServer(server, w.servers) == "" { // one that is near is misspelt
				in[server] = lists.AppendNew(in[server], component.At(s.Namespace, s.Name).String())
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
	if w.name == "" || w.at[root] == nil {
		return
	}
	s := w.at[component.At(secretOf(component.ClusterAPI).Namespace, w.name)]
	if s == nil {
		return
	}
	a, ok := serverless(*s)
	if !ok || slices.ContainsFunc(w.servers, func(server string) bool { return same(w.contents[w.at[root]].accounts[server], a) }) {
		return
	}
	f := w.add(finding.SecretStale, s, "has %s, and %s has another account: cluster-capi-operator copied it once, and does so again where it is missing", a.User, root)
	f.Remedies = []string{oc("delete", s)}
}
