package objects

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
)

// A dump of something else proves nothing about accounts.
func TestSecretsOfADump(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"apiVersion: v1\nkind: List\nitems: []\n":                                                        "d.yaml contains no Secret",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\n":                              "",
		"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n": "d.yaml contains no Secret, only Namespace",
		"apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c\n":                             "d.yaml contains no Secret, only Provisioning",
	} {
		secrets, faults, err := ReadSecrets("d.yaml", []byte(text))
		if err != nil || len(faults) > 0 || (len(secrets) == 0) != (want != "") {
			t.Errorf("%q: %v, %v, %v", text, secrets, faults, err)
		}
		if err := NoSecret("d.yaml", []byte(text)); want != "" && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// One value that is malformed does not stop the rest.
func TestReadSecretsGoesOn(t *testing.T) {
	t.Parallel()
	dump := "kind: List\nitems:\n" +
		"- {kind: Secret, metadata: {name: vsphere-creds, namespace: kube-system}, data: {a.username: bm8=, a.password: '!canary!', b.username: eA==, b.password: eQ==}}\n" +
		"- {kind: Secret, metadata: canary}\n" +
		"- canary\n" +
		"- {kind: Secret, metadata: {name: vsphere-creds-csi-driver, namespace: kube-system}, stringData: {b.username: [canary], b.password: z}}\n" +
		"---\ncanary\n---\n" + objectstest.SecretYAML("kube-system/vsphere-creds-diagnostics", "", "vc.username=a@d")
	if _, err := ParseSecrets("dump", []byte(dump)); err == nil {
		t.Error("ParseSecrets takes it")
	}
	secrets, faults, err := ReadSecrets("dump", []byte(dump))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range secrets {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"vsphere-creds", "vsphere-creds-csi-driver", "vsphere-creds-diagnostics"}, names); diff != "" {
		t.Error(diff)
	}
	said := errors.Join(faults...).Error()
	if len(faults) != 5 || strings.Contains(said, "canary") || !strings.HasPrefix(said, "dump:3: ") || !strings.Contains(said, `a.password`) {
		t.Errorf("%d: %s", len(faults), said)
	}
	if len(secrets[0].Data) != 3 || string(secrets[0].Data["b.password"]) != "y" {
		t.Errorf("%v", secrets[0].Data)
	}
	if _, _, err := ReadSecrets("dump", []byte("kind: Secret\n  bad: [")); err == nil {
		t.Error("what is no YAML is no error")
	}
}
