package openshift

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
)

func TestParseNamespaces(t *testing.T) {
	t.Parallel()
	n, err := ParseNamespaces("ns.yaml", []byte("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: here}, status: {phase: Active}}\n"+
		"- {apiVersion: v1, kind: Namespace, metadata: {name: going}, status: {phase: Terminating}}\n- {apiVersion: v1, kind: Namespace, metadata: {name: new}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for namespace, want := range map[string]string{"here": "", "new": "", "going": "namespace going is being deleted", "gone": "namespace gone does not exist"} {
		switch err := n.Takes(namespace); {
		case err == nil && want != "":
			t.Errorf("%s takes secrets", namespace)
		case err != nil && err.Error() != want:
			t.Errorf("%s: %v", namespace, err)
		}
	}
	for text, want := range map[string]string{
		"":                                "ns.yaml: contains no Namespace: 'oc get namespaces -o yaml' prints them from a cluster",
		objectstest.SecretYAML("a/b", ""): "ns.yaml: contains no Namespace: 'oc get namespaces -o yaml' prints them from a cluster",
		"kind: Namespace\n":               "ns.yaml:1: a Namespace without metadata",
		"kind: Namespace\nmetadata: {name: A/b}\n":                            "ns.yaml:1: a Namespace without a valid name",
		"kind: Namespace\nmetadata: {name: a}\nstatus: {phase: Terminated}\n": `ns.yaml:3: status.phase: "Terminated" is unknown; did you mean "Terminating"?`,
	} {
		if _, err := ParseNamespaces("ns.yaml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// Any text is namespaces or errors, a line each, that name the file.
func FuzzNamespaces(f *testing.F) {
	f.Add([]byte("kind: NamespaceList\nitems:\n- kind: Namespace\n  metadata: {name: a}\n  status: {phase: Active}\n"))
	f.Add([]byte(`{"kind":"Namespace","metadata":{"name":"a"},"status":{"phase":"Terminating"}}`))
	f.Add([]byte("kind: Namespace\nmetadata: {name: ../a}\nstatus: []\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := ParseNamespaces("ns.yaml", data)
		objectstest.Told(t, err, "ns.yaml")
		if (err == nil) != (len(n) > 0) {
			t.Errorf("%v, %v", n, err)
		}
		for name := range n {
			if strings.ContainsAny(name, "/. \n") || name == "" {
				t.Errorf("%q", name)
			}
		}
	})
}
