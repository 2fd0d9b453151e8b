package openshift

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// A request gets the account that was assigned to it, and what gets none is said.
func TestAssigned(t *testing.T) {
	dir := objectstest.Release(t, map[string]string{"a.yaml": objectstest.MapiRequest() + objectstest.CapiRequest() + objectstest.RequestYAML("mine", "mine/creds", objectstest.Provider)})
	r, err := release.ReadRequests(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if w := (EmitOptions{Requests: r}).ofRequests(nil); !mentions(w, "openshift-cluster-api-vsphere gets no secret: it applies only with feature gate ClusterAPIMachineManagement") {
		t.Errorf("%q", w)
	}
	if err := r.Assign(map[string]string{"mine": release.NoAccount, "openshift-cloud-credential-operator/openshift-cluster-api-vsphere": "machine-api"}); err != nil {
		t.Fatal(err)
	}
	manifests, warnings, err := Manifests([]string{vc1}, full(vc1), EmitOptions{Profile: ProfileManual, Requests: r})
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, m := range manifests {
		files = append(files, m.File)
		if got := string(m.Secret.Data[vc1+".username"]); got != "ocp-cluster1-machine-api@vsphere.local" {
			t.Errorf("%s: %s", m.File, got)
		}
	}
	slices.Sort(files)
	want := []string{
		"manifests/openshift-cluster-api-capv-manager-bootstrap-credentials-credentials.yaml",
		"manifests/openshift-machine-api-vsphere-cloud-credentials-credentials.yaml",
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	again, _, err := Manifests([]string{vc1}, full(vc1), EmitOptions{Profile: ProfileManual, Requests: r, Extra: []string{"cluster-api"}})
	if err != nil || len(again) != len(manifests) {
		t.Errorf("asked for twice: %d manifests, %v", len(again), err)
	}
	if !mentions(warnings, "openshift-cluster-api-vsphere applies only with feature gate") || !mentions(warnings, "mine gets no secret, as requested") {
		t.Errorf("%q", warnings)
	}
}

func TestManualOneSecretForTwo(t *testing.T) {
	dir := objectstest.Release(t, map[string]string{"a.yaml": objectstest.MapiRequest() + objectstest.RequestYAML("mine", objectstest.MapiTarget, objectstest.Provider)})
	r, err := release.ReadRequests(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	for component, want := range map[string]string{"csi-driver": "use the same secret " + objectstest.MapiTarget, "machine-api": ""} {
		if err := r.Assign(map[string]string{"mine": component}); err != nil {
			t.Fatal(err)
		}
		manifests, _, err := Manifests([]string{vc1}, full(vc1), EmitOptions{Profile: ProfileManual, Requests: r})
		if want == "" && (err != nil || len(manifests) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %d, %v", component, len(manifests), err)
		}
	}
}
