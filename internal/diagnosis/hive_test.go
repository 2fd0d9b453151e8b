package diagnosis

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// What emit writes for Hive, explain reads: alone, as on a hub, and beside the secrets of a cluster.
func TestHive(t *testing.T) {
	a := openshift.Accounts{}
	for _, server := range []string{vc1, "vc2"} {
		a[server] = map[component.Name]credfile.Account{component.Installer: {User: "installer@" + server, Password: secret.New("pw-1: #'\"")}}
	}
	m, err := openshift.HiveSecret().Manifest(component.At("cluster1", "creds"), []string{vc1, "vc2"}, a, component.Installer)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := openshift.WriteYAML(&text, []openshift.Manifest{m}, openshift.EmitOptions{}); err != nil {
		t.Fatal(err)
	}
	e := explained(t, text.String(), asked{})
	if len(e.Held()) != 2 || len(e.Requests) != 0 || len(e.Findings) != 2 || !found(e, finding.SecretNote, "cluster1/creds", "vc2: Hive logs in as installer@vc2") {
		t.Errorf("of a hub: %d held, %+v", len(e.Held()), e)
	}
	if h := e.Held(); len(h) == 2 && h[0].Account.Password.Reveal() != "pw-1: #'\"" {
		t.Error("the password does not come back")
	}
	e = explained(t, text.String()+objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, pair("main@d", "pw-m")...), asked{})
	if len(e.Held()) != 2 || len(e.Requests) == 0 || !found(e, finding.SecretNote, "cluster1/creds", vc1+": Hive logs in as") {
		t.Errorf("of a cluster: %d held, %+v", len(e.Held()), e)
	}
	for text, want := range map[string]string{
		"many":                              "is not a list",
		"[{username: a@b, password: pw-x}]": "without a vCenter",
		"[{vCenter: " + vc1 + ", username: a@b}]": vc1 + ": the password is empty",
	} {
		if e := explained(t, objectstest.SecretYAML("hub/x", "", "vCenters="+text), asked{}); !found(e, finding.SecretMalformed, "hub/x", want) {
			t.Errorf("%s: %+v", text, e.Findings)
		}
	}
	if _, err := openshift.HiveSecret().Manifest(component.At("cluster1", "creds"), []string{vc1, "vc3"}, a, component.Installer); err == nil || !strings.Contains(err.Error(), "vc3: no account for installer") {
		t.Errorf("without an account: %v", err)
	}
}
