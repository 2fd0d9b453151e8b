package held

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// A request that the running release has says nothing of its secret if it applies only with a feature gate: it is held.
func TestNew(t *testing.T) {
	t.Parallel()
	of := func(name, secret, gate string, c component.Name) release.Request {
		return release.Request{
			Ref: component.At("openshift-cloud-credential-operator", name), SecretRef: component.At("openshift", secret), FeatureGate: gate, Component: c,
		}
	}
	from := []release.Request{
		of("same", "same", "", component.MachineAPI), of("moves", "old", "", component.CSIDriver), of("was", "renamed", "", component.Diagnostics),
		of("loses-gate", "a", "G", component.ClusterAPI), of("keeps-gate", "b", "G", component.ClusterAPI), of("gets-gate", "c", "", component.ClusterAPI),
	}
	to := []release.Request{
		of("same", "same", "", component.MachineAPI), of("moves", "new", "", component.CSIDriver), of("is", "renamed", "", component.Diagnostics),
		of("loses-gate", "a", "", component.ClusterAPI), of("keeps-gate", "b", "G", component.ClusterAPI), of("gets-gate", "c", "G", component.ClusterAPI),
		of("fresh", "d", "", component.CloudController), of("nobody's", "e", "", ""),
	}
	var got []string
	for _, q := range New(from, to) {
		got = append(got, q.Name)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"fresh", "keeps-gate", "loses-gate", "moves"}, got); diff != "" {
		t.Error(diff)
	}
}
