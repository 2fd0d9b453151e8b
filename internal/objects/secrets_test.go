package objects

import (
	"strings"
	"testing"
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
		secrets, err := SecretsOf("d.yaml", []byte(text))
		switch {
		case want == "" && (err != nil || secrets == nil):
			t.Errorf("%q: %v, %v", text, secrets, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v", text, err)
		}
	}
}
