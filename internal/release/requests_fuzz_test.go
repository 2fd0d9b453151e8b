package release

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Any text is CredentialsRequests or errors, a line each, that name the file.
func FuzzCredentialsRequests(f *testing.F) {
	f.Add([]byte(objectstest.MapiRequest()))
	f.Add([]byte(objectstest.CapiRequest() + objectstest.RequestYAML("x", "a/b", "AWSProviderSpec")))
	f.Add([]byte(objectstest.RequestYAML("x", "a/b", objectstest.Provider, `release.openshift.io/delete: "true"`)))
	f.Add([]byte(objectstest.MapiRequest() + "    permissions: [{privileges: [A.B, [], '', a b]}, {entities: [x]}, [], null]\n  serviceAccountNames: [a, /]\n"))
	f.Add([]byte("kind: CredentialsRequestList\nitems: [{kind: CredentialsRequest, apiVersion: cloudcredential.openshift.io/v1, metadata: {name: [x]}}]"))
	f.Add([]byte("kind: List\nitems: &a\n- kind: List\n  items: *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &Requests{Dir: "dir", Others: map[string]int{}}
		err := r.parse("dir/a.yaml", data, false, map[component.Ref]Request{})
		objectstest.Told(t, err, "dir/a.yaml")
		for _, q := range r.List {
			if q.Name == "" || q.SecretRef.Name == "" || q.SecretRef.Namespace == "" || strings.ContainsAny(q.SecretRef.Namespace+q.SecretRef.Name, `/\`) {
				t.Errorf("%+v", q)
			}
		}
		_ = r.Uncovered()
	})
}
