package openshift

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
)

// TestGolden: UPDATE_GOLDEN=1 writes the file anew.
func TestGolden(t *testing.T) {
	a := full(vc1, vc2)
	delete(a[vc2], "cloud-controller")
	text := written(t, []string{vc1, vc2}, a, EmitOptions{MainFor: component.Names()})
	golden := filepath.Join("testdata", "kube-system.yaml")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(string(text), "creationTimestamp") || strings.Contains(string(text), "stringData:") {
		t.Error("noise in the YAML")
	}
}

// TestYAMLRoundTrip: any password comes back from the YAML as it went in.
func TestYAMLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := full(vc1, vc2)
		for _, c := range component.Names() {
			password := rapid.StringN(1, 30, -1).Filter(func(s string) bool { return !strings.ContainsAny(s, "\r\n") }).Draw(t, "password")
			a[vc1][c] = account("u@d", password)
		}
		o := EmitOptions{CCOLabel: rapid.SampledFrom([]string{"true", "yes", "none"}).Draw(t, "label")}
		secrets, _, err := emit([]string{vc1, vc2}, a, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := objects.ParseSecrets("b", written(t, []string{vc1, vc2}, a, o))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(secrets, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestParseSecrets(t *testing.T) {
	const list = `apiVersion: v1
kind: List
items:
- {kind: ConfigMap, metadata: {name: x}, data: {a: plain text}}
- {kind: Secret, metadata: {name: one}, stringData: {a: text, b: 12345}}
--- # second
{"kind": "Secret", "metadata": {"name": "two"}, "data": {"a": "dGV4dA=="}}
---
# nothing
---
kind: Namespace
`
	got, err := objects.ParseSecrets("list", []byte(list))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]string{"/one": {"a": "text", "b": "12345"}, "/two": {"a": "text"}}
	if diff := cmp.Diff(want, values(got)); diff != "" {
		t.Error(diff)
	}
	tabs, err := objects.ParseSecrets("tabs.json", []byte("{\n\t\"kind\": \"Secret\",\n\t\"metadata\": {\"name\": \"two\"},\n\t\"data\": {\"a\": \"dGV4dA==\"}\n}\n"))
	if err != nil || values(tabs)["/two"]["a"] != "text" {
		t.Errorf("got %v, %v", tabs, err)
	}
	for text, want := range map[string]string{
		"kind: Secret\nmetadata: {name: x}\ndata: {}\ndata: {}":       "dump:4: data: is given twice, first on line 3: remove one",
		"kind: Secret\nmetadata:\n  namespace: x":                     "dump:3: a Secret without a name",
		"kind: Secret\ndata: {}":                                      "dump:1: a Secret without metadata",
		"kind: Secret\nmetadata: {name: x}\ndata: {a: YQ==, a: YQ==}": "dump:3: data.a: is given twice, first on line 3: remove one",
		"kind: List\nitems: {}":                                       "dump:2: items: must be a list, not fields",
		"data: {}":                                                    "dump:1: is not a Kubernetes object: it has no kind",
	} {
		if _, err := objects.ParseSecrets("dump", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v", text, err)
		}
	}
	const canary = "canary-pw-4471"
	for _, text := range []string{
		"kind: Secret\ndata: {a: '" + canary + " not base64'}", "kind: Secret\ndata: " + canary, "kind: Secret\n\t" + canary + ": [", canary,
		"kind: Secret\nstringData: {a: [" + canary + "]}", "kind: List\nitems: " + canary,
	} {
		_, err := objects.ParseSecrets("dump", []byte("---\nkind: Namespace\n---\n"+text))
		if err == nil || !strings.Contains(err.Error(), "dump:") || strings.Contains(err.Error(), canary) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
