package diagnosis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

func pair(user, password string) []string {
	return []string{vc1 + ".username=" + user, vc1 + ".password=" + password}
}

func TestReadAccounts(t *testing.T) {
	mapi, csi, main := account("mapi@d", "m"), account("csi@d", "c"), account("main@d", "x")
	const annotated = "  annotations: {cloudcredential.openshift.io/credentials-request: openshift-cloud-credential-operator/openshift-machine-api-vsphere}\n"
	for name, tt := range map[string]struct {
		dump     string
		want     map[string]any
		warnings []string
	}{
		"kube-system": {
			dump: objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("mapi@d", "m")...) + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", pair("csi@d", "c")...),
			want: map[string]any{"machine-api": mapi, "csi-driver": csi},
		},
		"kube-system with the root secret for direct readers": {
			dump: objectstest.SecretYAML("kube-system/vsphere-creds", "", pair("mapi@d", "m")...) + objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("mapi@d", "m")...),
			want: map[string]any{"machine-api": mapi},
		},
		"kube-system with another root": {
			dump: objectstest.SecretYAML("kube-system/vsphere-creds", "", pair("main@d", "x")...) + objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("mapi@d", "m")...),
			want: map[string]any{"machine-api": mapi, "installer": main},
		},
		"annotation before name": {
			dump: objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("csi@d", "c")...) + objectstest.SecretYAML("kube-system/mine", annotated, pair("mapi@d", "m")...),
			want: map[string]any{"machine-api": mapi}, warnings: []string{"vsphere-creds-machine-api: " + vc1 + ": ignored, because another account of"},
		},
		"placeholders of the Assisted Installer beside real keys": {
			dump: objectstest.SecretYAML("kube-system/vsphere-creds", "", append(pair("main@d", "x"), "vcenterplaceholder.username=usernameplaceholder", "vcenterplaceholder.password=passwordplaceholder")...),
			want: map[string]any{"installer": main}, warnings: []string{"kube-system/vsphere-creds: vcenterplaceholder is a placeholder of the Assisted Installer: ignored"},
		},
		"targets": {
			dump: objectstest.SecretYAML("openshift-machine-api/vsphere-cloud-credentials", "", pair("mapi@d", "m")...) +
				objectstest.SecretYAML("openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials", "", pair("csi@d", "c")...) +
				objectstest.SecretYAML("openshift-machine-config-operator/vsphere-cloud-credentials", "", pair("mapi@d", "m")...),
			want: map[string]any{"machine-api": mapi, "csi-driver": csi},
		},
		"targets and a root secret with machine-api's": {
			dump: objectstest.SecretYAML("openshift-machine-api/vsphere-cloud-credentials", "", pair("mapi@d", "m")...) +
				objectstest.SecretYAML("openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials", "", pair("csi@d", "c")...) +
				objectstest.SecretYAML("kube-system/vsphere-creds", "", pair("mapi@d", "m")...),
			want: map[string]any{"machine-api": mapi, "csi-driver": csi},
		},
		"passthrough with its copies": {
			dump: objectstest.SecretYAML("openshift-machine-api/vsphere-cloud-credentials", "", pair("main@d", "x")...) +
				objectstest.SecretYAML("openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials", "", pair("main@d", "x")...) +
				objectstest.SecretYAML("kube-system/vsphere-creds", "", pair("main@d", "x")...),
			want: map[string]any{"installer": main},
		},
		"dedicated and an old target": {
			dump: objectstest.SecretYAML("openshift-machine-api/vsphere-cloud-credentials", "", pair("main@d", "x")...) + objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("mapi@d", "m")...),
			want: map[string]any{"machine-api": mapi}, warnings: []string{"machine-api: the secret that it reads now"},
		},
		"Hive's": {
			dump: objectstest.SecretYAML("hub/creds", "", "vCenters=[{vCenter: "+vc1+", username: main@d, password: x}]") + objectstest.SecretYAML("hub/other", "", "vCenters=many") +
				objectstest.SecretYAML("hub/none", "", "vCenters=[{username: a@b, password: c}]"),
			want:     map[string]any{"installer": main},
			warnings: []string{"hub/other: key \"vCenters\" is not a list", "hub/none: vCenters: the vCenter is missing: ignored"},
		},
		"Hive's beside machine-api's in the root secret": {
			dump: objectstest.SecretYAML("hub/creds", "", "vCenters=[{vCenter: "+vc1+", username: main@d, password: x}]") +
				objectstest.SecretYAML("kube-system/vsphere-creds", "", pair("mapi@d", "m")...) + objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("mapi@d", "m")...),
			want: map[string]any{"machine-api": mapi, "installer": main},
		},
		"Hive's beside another root": {
			dump: objectstest.SecretYAML("hub/creds", "", "vCenters=[{vCenter: "+vc1+", username: csi@d, password: c}]") + objectstest.SecretYAML("kube-system/vsphere-creds", "", pair("main@d", "x")...),
			want: map[string]any{"installer": main}, warnings: []string{vc1 + ": Hive has another account than kube-system/vsphere-creds"},
		},
		"what cannot be used": {
			dump: objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", append(pair("mapi@d", "m"), "token=abc", "vc9.username=u", "server_0=x", "vc8.username=u", "vc8.password=")...) +
				objectstest.SecretYAML("elsewhere/mine", "", pair("a@b", "c")...) + objectstest.SecretYAML("elsewhere/other", "", "token=x"),
			want:     map[string]any{"machine-api": mapi},
			warnings: []string{`key "vc9.username" is not part`, `key "token" is not part`, "server_0: only", "vc8: the password is empty", "elsewhere/mine: has accounts"},
		},
	} {
		got, warnings, err := ReadAccounts("dump.yaml", []byte(tt.dump))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		have := map[string]any{}
		for c, a := range got[vc1] {
			have[string(c)] = a
		}
		if diff := cmp.Diff(tt.want, have); diff != "" || len(got) != 1 {
			t.Errorf("%s: %d servers, %s", name, len(got), diff)
		}
		if len(warnings) != len(tt.warnings) {
			t.Errorf("%s: warnings %q", name, warnings)
		}
		for _, w := range tt.warnings {
			if !mentions(warnings, w) {
				t.Errorf("%s: %q is not in %q", name, w, warnings)
			}
		}
	}
	if _, _, err := ReadAccounts("dump.yaml", []byte("kind: Secret\nmetadata: {name: x}\ndata: {a: YQ==}\n")); err == nil || !strings.Contains(err.Error(), "dump.yaml: no secret") {
		t.Errorf("got %v", err)
	}
}

// As with `oc apply`, the last of secrets with one name counts, for import and explain alike.
func TestTheLastOfTwoSecretsCounts(t *testing.T) {
	dump := objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", pair("old@d", "pw-old")...) +
		objectstest.SecretYAML("other/two", "", "k=v") + objectstest.SecretYAML("other/two", "", "k=v") +
		objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", pair("new@d", "pw-new")...)
	accounts, warnings, err := ReadAccounts("dump.yaml", []byte(dump))
	if err != nil || accounts[vc1]["csi-driver"].User != "new@d" || len(warnings) != 1 || !strings.Contains(warnings[0], "vsphere-creds-csi-driver: is in the dump more than once") {
		t.Errorf("%v, %v, %v", accounts[vc1]["csi-driver"].User, warnings, err)
	}
	e := explained(t, dump, asked{})
	if got := of(e, "csi-driver"); !strings.Contains(got, "new@d") || !found(e, finding.SecretShadowed, "vsphere-creds-csi-driver", "more than once") || found(e, finding.SecretShadowed, "other/two", "") {
		t.Errorf("%s, %+v", got, e.Findings)
	}
}
