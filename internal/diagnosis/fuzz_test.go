package diagnosis

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
)

// Any text is secrets or errors, a line each, that name the file; what parses can be explained and read as accounts.
func FuzzSecretDump(f *testing.F) {
	f.Add([]byte(objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, pair("main@d", "pw")...)))
	f.Add([]byte(objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", forCSI("yes"), "a.username=x", "b=c", "server_0=d")))
	f.Add([]byte(objectstest.SecretYAML(objectstest.MapiTarget, "", pair("a", "")...)))
	f.Add([]byte(`{"kind":"List","items":[{"kind":"Secret","metadata":{"name":"vsphere-creds","namespace":"kube-system"},"data":{"vc.username":"YQ==","vc.password":"Yg=="}}]}`))
	f.Add([]byte("a: &a [*a]\nkind: List\nitems: *a\n---\n--- # x\n%YAML 1.2\n"))
	f.Add([]byte("kind: Secret\nmetadata: {name: x}\ndata: {a: !!binary YQ==, b: |\n  YQ\n  ==\n}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		secrets, err := objects.ParseSecrets("dump.yaml", data)
		objectstest.Told(t, err, "dump.yaml")
		if err != nil {
			return
		}
		if e, err := (asked{}).explain(secrets...); err == nil {
			for _, r := range e.Requests {
				if len(r.Accounts) != len(e.Servers) {
					t.Errorf("%+v", r)
				}
			}
		}
		accounts, _, err := ReadAccounts("dump.yaml", data)
		if err == nil && len(accounts) == 0 {
			t.Error("neither accounts nor an error")
		}
	})
}

// No error shows a value, wherever the file breaks.
func TestErrorsShowNoValues(t *testing.T) {
	const canary = "canary-pw-6617"
	dump := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, pair("main@d", canary)...) + fmt.Sprintf("data: {x: '%s not base64'}\n", canary)
	for cut := range len(dump) {
		for _, broken := range []string{dump[:cut] + "\n\t]" + dump[cut:], dump[:cut] + "*" + dump[cut:], dump[:cut] + dump[min(cut+3, len(dump)):]} {
			if _, _, err := ReadAccounts("dump.yaml", []byte(broken)); err != nil && bytes.Contains([]byte(err.Error()), []byte("canary")) {
				t.Fatalf("%d: %v", cut, err)
			}
		}
	}
}
