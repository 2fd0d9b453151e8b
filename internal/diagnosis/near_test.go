package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

// What is nearly right is named with what was probably meant.
func TestExplainNamesWhatWasMeant(t *testing.T) {
	t.Parallel()
	account := pair("a@d", "pw-a")
	shared := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, account...)
	for name, tt := range map[string]struct {
		dump string
		want []expected
	}{
		"the name of a secret": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi", "", account...),
			[]expected{{finding.SecretMalformed, "vsphere-creds-csi", "did you mean kube-system/vsphere-creds-csi-driver?"}},
		},
		"beside the right one": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-drvier", "", account...) + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", account...),
			[]expected{{finding.SecretShadowed, "vsphere-creds-csi-drvier", "kube-system/vsphere-creds-csi-driver exists too"}},
		},
		"the root secret": {
			objectstest.SecretYAML("kube-system/vsphere-cred", passthroughMode, account...),
			[]expected{{finding.SecretMalformed, "vsphere-cred", "did you mean kube-system/vsphere-creds?"}},
		},
		"what a component reads": {
			shared + objectstest.SecretYAML("openshift-machine-api/vsphere-cloud-credential", "", account...),
			[]expected{{finding.SecretMalformed, "vsphere-cloud-credential", "did you mean openshift-machine-api/vsphere-cloud-credentials?"}},
		},
		"its namespace": {
			shared + objectstest.SecretYAML("openshift-cluster-csi-driver/vmware-vsphere-cloud-credentials", "", account...),
			[]expected{{finding.SecretMalformed, "vmware-vsphere-cloud-credentials", "did you mean openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials?"}},
		},
		"another namespace": {
			shared + objectstest.SecretYAML("default/vsphere-creds-diagnostics", "", account...),
			[]expected{{finding.SecretMalformed, "vsphere-creds-diagnostics", "did you mean kube-system/vsphere-creds-diagnostics?"}},
		},
		"the field of a key": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", vc1+".usernam=a@d", vc1+".password=pw-a"),
			[]expected{
				{finding.SecretMalformed, "csi-driver", `nothing reads key "` + vc1 + `.usernam"; did you mean "` + vc1 + `.username"?`},
				{finding.SecretMalformed, "csi-driver", `.password" has no counterpart ("` + vc1 + `.usernam" looks like a misspelling of it)`},
			},
		},
		"the dot of a key": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", vc1+".username=a@d", vc1+"_password=pw-a"),
			[]expected{{finding.SecretMalformed, "csi-driver", `did you mean "` + vc1 + `.password"?`}},
		},
		"the case of a vCenter": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", strings.ToUpper(vc1)+".username=a@d", strings.ToUpper(vc1)+".password=pw-a"),
			[]expected{
				{finding.SecretMalformed, "csi-driver", strings.ToUpper(vc1) + " is not a vCenter of the cluster: did you mean " + vc1 + "?"},
				{finding.SecretMissing, "csi-driver", "no account for " + vc1},
			},
		},
		"the case beside the right one": {
			objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, slices.Concat(account, []string{strings.ToUpper(vc1) + ".username=a@d", strings.ToUpper(vc1) + ".password=pw-a"})...),
			[]expected{{finding.SecretMalformed, "vsphere-creds", strings.ToUpper(vc1) + " is not a vCenter of the cluster: did you mean " + vc1 + "?"}},
		},
		"halves of two spellings": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", strings.ToUpper(vc1)+".username=a@d", vc1+".password=pw-a"),
			[]expected{{finding.SecretMalformed, "csi-driver", `"` + vc1 + `.password" has no counterpart ("` + strings.ToUpper(vc1) + `.username" looks like a misspelling of it)`}},
		},
		"the letters of a vCenter": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", "vcenter1.exmaple.com.username=a@d", "vcenter1.exmaple.com.password=pw-a"),
			[]expected{{finding.SecretMissing, "csi-driver", "no account for vcenter1.example.com, which CredentialsRequest openshift-vmware-vsphere-csi-driver-operator needs; vcenter1.exmaple.com is in it"}},
		},
		"an annotation": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "  annotations: {cloudcredential.openshift.io/credential-request: x}\n", account...),
			[]expected{{finding.SecretMalformed, "csi-driver", "did you mean cloudcredential.openshift.io/credentials-request?"}},
		},
		"a request": {
			shared + objectstest.SecretYAML("kube-system/mine", "  annotations: {cloudcredential.openshift.io/credentials-request: openshift-cloud-credential-operator/openshift-machine-api-vspere}\n", account...),
			[]expected{{finding.SecretUnseen, "mine", "did you mean openshift-cloud-credential-operator/openshift-machine-api-vsphere?"}},
		},
	} {
		e := explained(t, tt.dump, asked{})
		for _, f := range tt.want {
			if !found(e, f.code, f.subject, f.text) {
				t.Errorf("%s: no %q in %+v", name, f, e.Findings)
			}
		}
	}
}

// Names of others are nobody's typing errors.
func TestExplainSuspectsNobodyElse(t *testing.T) {
	t.Parallel()
	dump := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, append(pair("a@d", "pw-a"), vc2+".username=b@d", vc2+".password=pw-b")...) +
		objectstest.SecretYAML("kube-system/vsphere-creds-storage", "", pair("a@d", "pw-a")...) +
		objectstest.SecretYAML("kube-system/vsphere-csi-config", "", "csi.conf=x") +
		objectstest.SecretYAML("openshift-machine-api/cluster-autoscaler", "", "token=x") +
		objectstest.SecretYAML("openshift-config/pull-secret", "", ".dockerconfigjson=x") +
		objectstest.SecretYAML("default/database", "", "db.username=x", "db.password=x")
	for _, f := range explained(t, dump, asked{}).Findings {
		if strings.Contains(f.Text, "did you mean") {
			t.Errorf("%+v", f)
		}
	}
}
