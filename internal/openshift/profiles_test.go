package openshift

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// knownRelease holds the four requests that every release has.
func knownRelease() map[string]string {
	text := ""
	for _, k := range release.Consumers() {
		if k.Component != "" && !k.Component.OptIn() {
			text += objectstest.RequestYAML(k.Name, k.Target.String(), objectstest.Provider)
		}
	}
	return map[string]string{"requests.yaml": text}
}

func TestProfiles(t *testing.T) {
	requests, err := release.ReadRequests(objectstest.Release(t, knownRelease()), false)
	if err != nil {
		t.Fatal(err)
	}
	withCAPI, err := release.ReadRequests(objectstest.Release(t, map[string]string{"a.yaml": objectstest.MapiRequest() + objectstest.CapiRequest()}), false)
	if err != nil {
		t.Fatal(err)
	}
	extras := []string{"cluster-api", "machine-config"}
	for _, word := range extras {
		if !slices.Contains(Extras(), word) {
			t.Errorf("%s is not among %v", word, Extras())
		}
	}
	unused := slices.DeleteFunc(append(component.Default(), component.ClusterAPI), func(c component.Name) bool { return !c.InCluster() })
	for name, tt := range map[string]struct {
		o        EmitOptions
		want     []string // file: namespace/name user
		warnings []string
		without  []string
	}{
		"kube-system with root": {
			EmitOptions{RootSecret: true, Components: []component.Name{"csi-driver"}},
			[]string{"99_vsphere-creds-csi-driver.yaml: kube-system/vsphere-creds-csi-driver csi-driver", "99_cloud-creds-secret.yaml: kube-system/vsphere-creds machine-api"},
			[]string{"gives that account to every component"},
			[]string{"MissingRootCredential", "managedBootImages"},
		},
		"component-scoped": {
			EmitOptions{Profile: ProfileComponentScoped, Components: component.Default()},
			[]string{
				"99_vsphere-machine-api-credentials.yaml: " + objectstest.MapiTarget + " machine-api", "99_vsphere-csi-credentials.yaml: " + objectstest.CSITarget + " csi-driver",
				"99_vsphere-cloud-controller-credentials.yaml: " + objectstest.CCMTarget + " cloud-controller", "99_vsphere-problem-detector-credentials.yaml: " + objectstest.VPDTarget + " diagnostics",
			},
			[]string{"still open", "Manual mode", "no secret here is for them"},
			[]string{"main account"},
		},
		"component-scoped with all": {
			EmitOptions{Profile: ProfileComponentScoped, Components: []component.Name{"machine-api"}, RootSecret: true, Extra: extras},
			[]string{
				"99_vsphere-machine-api-credentials.yaml: " + objectstest.MapiTarget + " machine-api", "99_vsphere-cluster-api-credentials.yaml: " + objectstest.CapiTarget + " machine-api",
				"99_vsphere-machine-config-credentials.yaml: openshift-machine-config-operator/vsphere-cloud-credentials machine-api",
				"99_cloud-creds-secret.yaml: kube-system/vsphere-creds machine-api",
			},
			nil,
			[]string{"no secret here is for them"},
		},
		"manual": {
			EmitOptions{Profile: ProfileManual, Requests: requests, Components: []component.Name{"diagnostics", "machine-api"}},
			[]string{
				"manifests/openshift-machine-api-vsphere-cloud-credentials-credentials.yaml: " + objectstest.MapiTarget + " machine-api",
				"manifests/openshift-cluster-storage-operator-vsphere-cloud-credentials-credentials.yaml: " + objectstest.VPDTarget + " diagnostics",
			},
			[]string{"csi-driver is not among the components", "no secret here is for them"},
			nil,
		},
		"manual with all": {
			EmitOptions{Profile: ProfileManual, Requests: requests, Components: []component.Name{"machine-api"}, RootSecret: true, Extra: []string{"cluster-api"}},
			[]string{
				"manifests/openshift-machine-api-vsphere-cloud-credentials-credentials.yaml: " + objectstest.MapiTarget + " machine-api",
				"manifests/openshift-cluster-api-capv-manager-bootstrap-credentials-credentials.yaml: " + objectstest.CapiTarget + " machine-api",
				"manifests/kube-system-vsphere-creds-credentials.yaml: kube-system/vsphere-creds machine-api",
			},
			nil,
			[]string{"no secret here is for them"},
		},
		"component-scoped, Cluster API has an account": {
			EmitOptions{Profile: ProfileComponentScoped, Extra: []string{"cluster-api"}},
			[]string{
				"99_vsphere-machine-api-credentials.yaml: " + objectstest.MapiTarget + " machine-api", "99_vsphere-csi-credentials.yaml: " + objectstest.CSITarget + " csi-driver",
				"99_vsphere-cloud-controller-credentials.yaml: " + objectstest.CCMTarget + " cloud-controller", "99_vsphere-problem-detector-credentials.yaml: " + objectstest.VPDTarget + " diagnostics",
				"99_vsphere-cluster-api-credentials.yaml: " + objectstest.CapiTarget + " cluster-api",
			},
			nil, nil,
		},
		"kube-system, Cluster API has an account": {
			EmitOptions{Components: []component.Name{"machine-api", "cluster-api"}},
			[]string{"99_vsphere-creds-machine-api.yaml: kube-system/vsphere-creds-machine-api machine-api"},
			[]string{"profile kube-system has no secret for cluster-api"},
			nil,
		},
		"manual, Cluster API has an account": {
			EmitOptions{Profile: ProfileManual, Requests: withCAPI},
			[]string{
				"manifests/openshift-machine-api-vsphere-cloud-credentials-credentials.yaml: " + objectstest.MapiTarget + " machine-api",
				"manifests/openshift-cluster-api-capv-manager-bootstrap-credentials-credentials.yaml: " + objectstest.CapiTarget + " cluster-api",
			},
			[]string{"only with feature gate ClusterAPIMachineManagement"},
			nil,
		},
		"passthrough": {
			EmitOptions{Profile: ProfilePassthrough, RootSecret: true, Extra: []string{"cluster-api"}}, // which it has no use for
			[]string{"99_cloud-creds-secret.yaml: kube-system/vsphere-creds installer", "99_role-cloud-creds-secret-reader.yaml: role"},
			[]string{"privileges of all of them", "not those of " + names(unused)},
			[]string{"enhancement"},
		},
	} {
		manifests, warnings, err := Manifests([]string{vc1}, full(vc1), tt.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, m := range manifests {
			if m.Role != nil {
				got = append(got, m.File+": role")
				continue
			}
			user := strings.TrimSuffix(strings.TrimPrefix(string(m.Secret.Data[vc1+".username"]), "ocp-cluster1-"), "@vsphere.local")
			got = append(got, m.File+": "+m.Secret.Namespace+"/"+m.Secret.Name+" "+user)
			if mode := m.Secret.Annotations[ModeKey]; (mode == "passthrough") != (m.Secret.Name == "vsphere-creds" && !tt.o.profile().Manual) {
				t.Errorf("%s: %s: mode %q", name, m.File, mode)
			}
			if !tt.o.profile().Labelled && len(m.Secret.Labels) > 0 {
				t.Errorf("%s: %s: labels %v", name, m.File, m.Secret.Labels)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, w := range tt.warnings {
			if !mentions(warnings, w) {
				t.Errorf("%s: no %q in %q", name, w, warnings)
			}
		}
		for _, w := range tt.without {
			if mentions(warnings, w) {
				t.Errorf("%s: %q in %q", name, w, warnings)
			}
		}
	}
}

func TestProfilesRefuse(t *testing.T) {
	lone := Accounts{vc1: {"installer": account("admin", "pw-x")}}
	half := full(vc1)
	delete(half[vc1], "diagnostics")
	for _, tt := range []struct {
		a    Accounts
		o    EmitOptions
		want string
	}{
		{half, EmitOptions{Profile: ProfileComponentScoped}, vc1 + ": no account for diagnostics"},
		{half, EmitOptions{Profile: ProfileComponentScoped, MainFor: []component.Name{component.Diagnostics}}, "--main-account-for: profile component-scoped has no account"},
		{Accounts{vc1: {}}, EmitOptions{Profile: ProfilePassthrough}, vc1 + ": no account that all components share (installer)"},
		{lone, EmitOptions{Profile: ProfilePassthrough}, "CSI driver would not start"},
		{full(vc1), EmitOptions{Profile: ProfilePassthrough, Components: []component.Name{"csi-driver"}}, "has one account, installer"},
		{full(vc1), EmitOptions{Profile: ProfileManual}, "needs the CredentialsRequests"},
		{full(vc1), EmitOptions{Components: []component.Name{"cluster-api"}}, "profile kube-system has no secret for cluster-api"},
		{full(vc1), EmitOptions{Profile: "shared"}, `unknown profile "shared"`},
		{full(vc1), EmitOptions{Profile: ProfileComponentScoped, Components: []component.Name{"installer"}}, "no component with a secret is selected: the"},
	} {
		manifests, _, err := Manifests([]string{vc1}, tt.a, tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) || manifests != nil || strings.Contains(err.Error(), "pw-") {
			t.Errorf("%+v: got %v", tt.o, err)
		}
	}
}
