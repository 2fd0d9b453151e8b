package openshift

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// requestYAML is a CredentialsRequest as a release has it.
func requestYAML(name, secret, provider string, annotations ...string) string {
	ns, secret, _ := strings.Cut(secret, "/")
	text := "---\napiVersion: cloudcredential.openshift.io/v1\nkind: CredentialsRequest\nmetadata:\n  name: " + name +
		"\n  namespace: openshift-cloud-credential-operator\n  annotations:\n    include.release.openshift.io/self-managed-high-availability: \"true\"\n"
	for _, a := range annotations {
		text += "    " + a + "\n"
	}
	return text + "spec:\n  secretRef:\n    namespace: " + ns + "\n    name: " + secret +
		"\n  providerSpec:\n    apiVersion: cloudcredential.openshift.io/v1\n    kind: " + provider + "\n"
}

const (
	mapiTarget = "openshift-machine-api/vsphere-cloud-credentials"
	csiTarget  = "openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials"
	ccmTarget  = "openshift-cloud-controller-manager/vsphere-cloud-credentials"
	vpdTarget  = "openshift-cluster-storage-operator/vsphere-cloud-credentials"
	capiTarget = "openshift-cluster-api/capv-manager-bootstrap-credentials"
)

func mapiRequest() string {
	return requestYAML("openshift-machine-api-vsphere", mapiTarget, providerKind)
}

func capiRequest() string {
	return requestYAML("openshift-cluster-api-vsphere", capiTarget, providerKind, "release.openshift.io/feature-gate: ClusterAPIMachineManagement")
}

// release is a directory of manifests as oc extracts it.
func release(t interface {
	Fatal(...any)
	TempDir() string
}, files map[string]string,
) string {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadRequests(t *testing.T) {
	items := strings.ReplaceAll(strings.TrimPrefix(requestYAML("openshift-vsphere-problem-detector", vpdTarget, providerKind), "---\n"), "\n", "\n  ")
	dir := release(t, map[string]string{
		"0000_30_machine-api-operator_00_credentials-request.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n" +
			requestYAML("openshift-machine-api-aws", "openshift-machine-api/aws", "AWSProviderSpec") + mapiRequest(),
		"0000_50_storage.yml": "kind: List\napiVersion: v1\nitems:\n- " + items + "\n" +
			requestYAML("openshift-vmware-vsphere-csi-driver-operator", csiTarget, providerKind, `release.openshift.io/delete: "false"`),
		"0000_60_capi.yaml": capiRequest() +
			requestYAML("gone", "openshift-x/y", providerKind, `release.openshift.io/delete: "true"`) +
			requestYAML("preview", "openshift-x/preview", providerKind, `release.openshift.io/feature-set: TechPreviewNoUpgrade`) +
			requestYAML("other-set", "openshift-x/other", providerKind, `release.openshift.io/feature-set: CustomNoUpgrade`),
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
		if q := r.List[3]; q.FeatureGate != "ClusterAPIMachineManagement" || q.SecretRef.String() != capiTarget || q.File != filepath.Join(dir, "0000_60_capi.yaml") {
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
		"other clouds": {map[string]string{"a.yaml": requestYAML("a", "b/c", "AWSProviderSpec")}, []string{"no CredentialsRequest for vSphere found in "}},
		"all skipped":  {map[string]string{"a.yaml": requestYAML("a", "b/c", providerKind, `release.openshift.io/delete: "true"`)}, []string{"all CredentialsRequests in it are skipped: a is marked"}},
		"two broken files, one line each": {
			map[string]string{"a.yaml": "---\nkind: CredentialsRequest\nspec: [", "b.yaml": mapiRequest() + "---\njust text\n---\nkind: [", "c.yaml": mapiRequest()},
			[]string{"a.yaml:3: not valid YAML", "b.yaml:19: not valid YAML"},
		},
		"no secretRef":     {map[string]string{"a.yaml": strings.Replace(mapiRequest(), "secretRef", "secretref", 1)}, []string{"a.yaml:10: CredentialsRequest openshift-machine-api-vsphere has no spec.secretRef"}},
		"out of the house": {map[string]string{"a.yaml": requestYAML("a", "../../etc", providerKind)}, []string{"a.yaml:11: CredentialsRequest a: spec.secretRef"}},
		"no namespace":     {map[string]string{"a.yaml": requestYAML("a", "x_y/z", providerKind)}, []string{`spec.secretRef "x_y/z"`}},
		"no cloud":         {map[string]string{"a.yaml": strings.Replace(mapiRequest(), "    kind: VSphereProviderSpec\n", "", 1)}, []string{"spec.providerSpec.kind is missing"}},
		"another group":    {map[string]string{"a.yaml": strings.Replace(mapiRequest(), "cloudcredential.openshift.io/v1", "example.com/v1", 1)}, []string{`not of "example.com/v1"`}},
		"twice, different": {
			map[string]string{"a.yaml": mapiRequest(), "b.yaml": requestYAML("openshift-machine-api-vsphere", "x/y", providerKind)},
			[]string{"openshift-machine-api-vsphere is in "},
		},
		"aliases without end": {map[string]string{"a.yaml": "a: &a {kind: List, items: [1]}\nkind: List\nitems: &b [*b, *b]\n"}, []string{"a.yaml:3: is not", "a.yaml:3: is not"}},
	} {
		_, err := ReadRequests(release(t, tt.files), false)
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
	dir := release(t, map[string]string{"a.yaml": mapiRequest() + capiRequest() + requestYAML("mine", "mine/creds", providerKind)})
	r, err := ReadRequests(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	err = r.Uncovered()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(hintsOf(err), "use --assign mine=machine-api to give it that account") ||
		!strings.Contains(err.Error(), "mine (secret mine/creds) is not known") {
		t.Errorf("got %v", err)
	}
	if w := (EmitOptions{Requests: r}).ofRequests(nil); !mentions(w, "openshift-cluster-api-vsphere gets no secret: it applies only with feature gate ClusterAPIMachineManagement") {
		t.Errorf("%q", w)
	}
	open, err := ReadRequests(release(t, map[string]string{"a.yaml": requestYAML("openshift-cluster-api-vsphere", capiTarget, providerKind)}), false)
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
	dir := release(t, map[string]string{"a.yaml": mapiRequest() + requestYAML("mine", mapiTarget, providerKind)})
	r, err := ReadRequests(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	for component, want := range map[string]string{"csi-driver": "use the same secret " + mapiTarget, "machine-api": ""} {
		if err := r.Assign(map[string]string{"mine": component}); err != nil {
			t.Fatal(err)
		}
		manifests, _, err := Manifests([]string{vc1}, full(vc1), EmitOptions{Profile: ProfileManual, Requests: r})
		if want == "" && (err != nil || len(manifests) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %d, %v", component, len(manifests), err)
		}
	}
}
