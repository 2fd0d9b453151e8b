package openshift

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
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
		if e, err := Explain(secrets, ExplainOptions{}); err == nil {
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

// Any text is volumes, each once and with a name, or an error, a line each, that names the file.
func FuzzVolumes(f *testing.F) {
	f.Add([]byte("kind: PersistentVolume\nmetadata: {name: a}\nspec: {csi: {driver: csi.vsphere.vmware.com}}\n---\nkind: PersistentVolume\nmetadata: {name: b}\nspec: {vsphereVolume: {}}\n"))
	f.Add([]byte(`{"kind":"List","items":[{"kind":"PersistentVolume","metadata":{"name":"a"},"spec":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		names, found, err := ParseVolumes("dump.yaml", data)
		objectstest.Told(t, err, "dump.yaml")
		if err == nil && (!slices.IsSorted(names) || slices.Contains(names, "") || len(names) > 0 && !found) {
			t.Errorf("%q, %t", names, found)
		}
		if v := VolumesIn("dump.yaml", data); strings.Contains(v.Unknown, "\n") || v.Unknown != "" && len(v.Names) > 0 {
			t.Errorf("%+v", *v)
		}
	})
}

// Any text is a record or an error, and a record is one when it is written again. No other text is taken for one.
func FuzzInstances(f *testing.F) {
	for _, text := range []string{`{"vc1":"` + idA + `"}`, `{}`, `{"":"` + idA + `"}`, `{"a":1}`, `{"a":"x"}`, `{"a":"` + idA + `","a":"` + idB + `"}`, `{} {}`, `[`, ``, `null`, `{"a":"` + idA + `"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		i, err := parseInstances(text)
		if err != nil {
			if i != nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, %v", i, err)
			}
			return
		}
		again, err := parseInstances(i.String())
		if err != nil || !maps.Equal(i, again) || !json.Valid([]byte(text)) {
			t.Errorf("%q: %v, written again %v (%v)", text, i, again, err)
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
