package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

func TestReadRequests(t *testing.T) {
	items := strings.ReplaceAll(strings.TrimPrefix(objectstest.RequestYAML("openshift-vsphere-problem-detector", objectstest.VPDTarget, objectstest.Provider), "---\n"), "\n", "\n  ")
	dir := objectstest.Release(t, map[string]string{
		"0000_30_machine-api-operator_00_credentials-request.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n" +
			objectstest.RequestYAML("openshift-machine-api-aws", "openshift-machine-api/aws", "AWSProviderSpec") + objectstest.MapiRequest(),
		"0000_50_storage.yml": "kind: List\napiVersion: v1\nitems:\n- " + items + "\n" +
			objectstest.RequestYAML("openshift-vmware-vsphere-csi-driver-operator", objectstest.CSITarget, objectstest.Provider, `release.openshift.io/delete: "false"`),
		"0000_60_capi.yaml": objectstest.CapiRequest() +
			objectstest.RequestYAML("gone", "openshift-x/y", objectstest.Provider, `release.openshift.io/delete: "true"`) +
			objectstest.RequestYAML("preview", "openshift-x/preview", objectstest.Provider, `release.openshift.io/feature-set: TechPreviewNoUpgrade`) +
			objectstest.RequestYAML("other-set", "openshift-x/other", objectstest.Provider, `release.openshift.io/feature-set: CustomNoUpgrade`),
		"notes.txt": "no: [manifest",
		"x.json":    "{",
	})
	if err := os.Mkdir(filepath.Join(dir, "sub.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	for preview, want := range map[bool][]string{
		false: {
			"openshift-machine-api-vsphere=machine-api", "openshift-vsphere-problem-detector=diagnostics",
			"openshift-vmware-vsphere-csi-driver-operator=csi-driver", "openshift-cluster-api-vsphere=",
			"skip gone is marked for deletion", "skip preview belongs to feature set TechPreviewNoUpgrade (--enable", "skip other-set belongs to feature set CustomNoUpgrade (--enable",
		},
		true: {
			"openshift-machine-api-vsphere=machine-api", "openshift-vsphere-problem-detector=diagnostics",
			"openshift-vmware-vsphere-csi-driver-operator=csi-driver", "openshift-cluster-api-vsphere=", "preview=",
			"skip gone is marked for deletion", "skip other-set belongs to feature set CustomNoUpgrade",
		},
	} {
		r, err := ReadRequests(dir, preview)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, q := range r.List {
			got = append(got, fmt.Sprintf("%s=%s", q.Name, q.Component))
		}
		for _, s := range r.Skipped {
			got = append(got, "skip "+s.Name+" "+s.Reason)
		}
		if len(got) != len(want) {
			t.Fatalf("preview %v: got %q", preview, got)
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("preview %v: got %q, want %q", preview, got[i], want[i])
			}
		}
		if r.OtherKinds() != "1 AWSProviderSpec, 1 Namespace" {
			t.Errorf("others: %s", r.OtherKinds())
		}
		if q := r.List[3]; q.FeatureGate != "ClusterAPIMachineManagement" || q.SecretRef.String() != objectstest.CapiTarget || q.File != filepath.Join(dir, "0000_60_capi.yaml") {
			t.Errorf("%+v", q)
		}
	}
}

func TestReadRequestsRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  []string // a line each
	}{
		"empty":        {nil, []string{"no CredentialsRequest manifests found in "}},
		"other clouds": {map[string]string{"a.yaml": objectstest.RequestYAML("a", "b/c", "AWSProviderSpec")}, []string{"no CredentialsRequest for vSphere found in "}},
		"all skipped":  {map[string]string{"a.yaml": objectstest.RequestYAML("a", "b/c", objectstest.Provider, `release.openshift.io/delete: "true"`)}, []string{"all CredentialsRequests in it are skipped: a is marked"}},
		"two broken files, one line each": {
			map[string]string{"a.yaml": "---\nkind: CredentialsRequest\nspec: [", "b.yaml": objectstest.MapiRequest() + "---\njust text\n---\nkind: [", "c.yaml": objectstest.MapiRequest()},
			[]string{"a.yaml:3: not valid YAML", "b.yaml:19: not valid YAML"},
		},
		"no secretRef":     {map[string]string{"a.yaml": strings.Replace(objectstest.MapiRequest(), "secretRef", "secretref", 1)}, []string{`a.yaml:10: unknown field "secretref"; did you mean "secretRef"?`, "a.yaml:10: CredentialsRequest openshift-machine-api-vsphere has no spec.secretRef"}},
		"out of the house": {map[string]string{"a.yaml": objectstest.RequestYAML("a", "../../etc", objectstest.Provider)}, []string{"a.yaml:11: CredentialsRequest a: spec.secretRef"}},
		"no namespace":     {map[string]string{"a.yaml": objectstest.RequestYAML("a", "x_y/z", objectstest.Provider)}, []string{`spec.secretRef "x_y/z"`}},
		"no cloud":         {map[string]string{"a.yaml": strings.Replace(objectstest.MapiRequest(), "    kind: VSphereProviderSpec\n", "", 1)}, []string{"spec.providerSpec.kind is missing"}},
		"another group":    {map[string]string{"a.yaml": strings.Replace(objectstest.MapiRequest(), "cloudcredential.openshift.io/v1", "example.com/v1", 1)}, []string{`not of "example.com/v1"`}},
		"twice, different": {
			map[string]string{"a.yaml": objectstest.MapiRequest(), "b.yaml": objectstest.RequestYAML("openshift-machine-api-vsphere", "x/y", objectstest.Provider)},
			[]string{"openshift-machine-api-vsphere is in "},
		},
		"aliases without end": {map[string]string{"a.yaml": "a: &a {kind: List, items: [1]}\nkind: List\nitems: &b [*b, *b]\n"}, []string{"a.yaml:3: is not", "a.yaml:3: is not"}},
	} {
		_, err := ReadRequests(objectstest.Release(t, tt.files), false)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != len(tt.want) {
			t.Errorf("%s: got %q", name, lines)
			continue
		}
		for i, w := range tt.want {
			if !strings.Contains(lines[i], w) {
				t.Errorf("%s: got %q, want %q", name, lines[i], w)
			}
		}
	}
}

func hintsOf(err error) string {
	var hinted *hint.Error
	if !errors.As(err, &hinted) {
		return ""
	}
	return strings.Join(hinted.Hints(), "; ")
}

func TestAssign(t *testing.T) {
	dir := objectstest.Release(t, map[string]string{"a.yaml": objectstest.MapiRequest() + objectstest.CapiRequest() + objectstest.RequestYAML("mine", "mine/creds", objectstest.Provider)})
	r, err := ReadRequests(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	err = r.Uncovered()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(hintsOf(err), "use --assign mine=machine-api to give it the account of machine-api") ||
		!strings.Contains(err.Error(), "mine (secret mine/creds) is not known") {
		t.Errorf("got %v", err)
	}
	open, err := ReadRequests(objectstest.Release(t, map[string]string{"a.yaml": objectstest.RequestYAML("openshift-cluster-api-vsphere", objectstest.CapiTarget, objectstest.Provider)}), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := open.Uncovered(); err == nil || !strings.Contains(err.Error(), "is that of Cluster API, which has an account only if component cluster-api is listed") || !strings.Contains(hintsOf(err), "use --assign openshift-cluster-api-vsphere=cluster-api") {
		t.Errorf("got %v", err)
	}
	if err := r.Assign(map[string]string{"nobody": "machine-api"}); err == nil || !strings.Contains(err.Error(), `no CredentialsRequest "nobody" among`) {
		t.Errorf("got %v", err)
	}
	if err := r.Assign(map[string]string{"mine": "storage"}); err == nil || !strings.Contains(err.Error(), `"storage" is not one of machine-api`) {
		t.Errorf("got %v", err)
	}
	if err := r.Assign(map[string]string{"mine": NoAccount, "openshift-cloud-credential-operator/openshift-cluster-api-vsphere": "machine-api"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Uncovered(); err != nil {
		t.Errorf("got %v", err)
	}
}
