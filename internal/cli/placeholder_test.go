package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// unfilledFile is what the enhancement's script writes, in its order, and unfilledConfig its example of an install-config.
const (
	notConnected = "the vSphere connection of this cluster is not configured yet (placeholders of the Assisted Installer)"

	unfilledFile = `# vSphere Credentials for OpenShift
[vcenter1.example.com]
# Default credentials (used by installer)
user = ocp-installer@vsphere.local
password = REPLACE_WITH_INSTALLER_PASSWORD

# Per-component credentials
machine-api.user = ocp-machine-api@vsphere.local
machine-api.password = REPLACE_WITH_MACHINE_API_PASSWORD
csi-driver.user = ocp-csi@vsphere.local
csi-driver.password = REPLACE_WITH_CSI_PASSWORD
cloud-controller.user = ocp-ccm@vsphere.local
cloud-controller.password = REPLACE_WITH_CCM_PASSWORD
diagnostics.user = ocp-diagnostics@vsphere.local
diagnostics.password = REPLACE_WITH_DIAGNOSTICS_PASSWORD
`
	unfilledConfig = `apiVersion: v1
metadata:
  name: cluster1
platform:
  vsphere:
    vcenters:
      - server: vcenter1.example.com
        user: ocp-installer@vsphere.local
        password: <installer-password>
        datacenters:
          - DC1
        componentCredentials:
          machineAPI:
            user: ocp-machine-api@vsphere.local
            password: <machine-api-password>
`
	unfilledDump = `{kind: Secret, metadata: {namespace: kube-system, name: vsphere-creds-machine-api}, stringData: {vcenter1.example.com.username: ocp-machine-api@vsphere.local, vcenter1.example.com.password: "<password-vc1>"}}
`
)

// What the Assisted Installer leaves until somebody configures the connection to vSphere.
const (
	assistedDump = `{apiVersion: v1, kind: Secret, metadata: {name: vsphere-creds, namespace: kube-system}, stringData: {vcenterplaceholder.username: usernameplaceholder, vcenterplaceholder.password: passwordplaceholder}}
`
	assistedInfrastructure = `apiVersion: config.openshift.io/v1
kind: Infrastructure
metadata: {name: cluster}
spec:
  platformSpec:
    type: VSphere
    vsphere:
      vcenters: [{server: vcenterplaceholder, port: 443, datacenters: [datacenterplaceholder]}]
      failureDomains:
      - {name: assisted-generated-failure-domain, server: vcenterplaceholder, region: assisted-generated-region, zone: assisted-generated-zone, topology: {computeCluster: /datacenterplaceholder/host/clusterplaceholder, datacenter: datacenterplaceholder, datastore: /datacenterplaceholder/datastore/defaultdatastoreplaceholder, networks: [networkplaceholder]}}
status: {apiServerURL: "https://api.ai.example.com:6443", infrastructureName: ai-x7k2p}
`
	assistedConfig = `apiVersion: v1
metadata:
  name: cluster1
platform:
  vsphere:
    vcenters:
      - server: vcenterplaceholder
        user: usernameplaceholder
        password: passwordplaceholder
        datacenters: [datacenterplaceholder]
`
)

// Nobody logs in with a placeholder and nothing is written with one: each command says in which line it stands. No vCenter listens here, so
// that a login would be another error.
func TestPlaceholdersAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words string // FILE, CONFIG, DUMP and so on are the files below
		code  int
		want  []string
	}{
		"validate": {
			"credentials validate --credentials-file FILE", 2,
			[]string{"line 5: password is a placeholder: fill it in", "line 9: machine-api.password is a placeholder", "line 15: diagnostics.password", "5 problems, 0 notes"},
		},
		"validate --login":  {"credentials validate --credentials-file FILE --login --insecure", 2, []string{"5 problems, 0 notes"}},
		"emit":              {"secrets emit --credentials-file FILE", 1, []string{"FILE:9: [vcenter1.example.com] machine-api.password is a placeholder: fill it in", "FILE:15:"}},
		"emit one":          {"secrets emit --credentials-file FILE --components csi-driver", 1, []string{"FILE:11: [vcenter1.example.com] csi-driver.password is a placeholder"}},
		"emit main":         {"secrets emit --credentials-file FILE --profile passthrough", 1, []string{"FILE:5: [vcenter1.example.com] password is a placeholder"}},
		"emit --verify":     {"secrets emit --credentials-file FILE --verify --insecure", 1, []string{"FILE:9:"}},
		"emit hive":         {"secrets emit --credentials-file FILE --format hive --name a/b", 1, []string{"FILE:5:"}},
		"emit renewed":      {"secrets renew --credentials-file FILE --against FULL", 1, []string{"FILE:9:"}},
		"export":            {"credentials export --credentials-file FILE --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p", 1, []string{"FILE:5:", "FILE:9:"}},
		"identity":          {"identity emit --credentials-file FILE --components machine-api --namespaces all", 1, []string{"FILE:9:"}},
		"render":            {"install-config render FULLCONFIG --credentials-file FILE", 1, []string{"FILE:5:", "FILE:9:", "FILE:15:"}},
		"render main":       {"install-config render FULLCONFIG --credentials-file FILE --profile passthrough", 1, []string{"FILE:5:"}},
		"import config":     {"credentials import --install-config CONFIG --credentials-file NEW", 1, []string{"CONFIG:9: platform.vsphere.vcenters[0].password is a placeholder: fill it in", "CONFIG:15: platform.vsphere.vcenters[0].componentCredentials.machineAPI.password is a placeholder"}},
		"import file":       {"credentials import FILE --credentials-file NEW", 1, []string{"FILE:5:", "FILE:9:"}},
		"import dump":       {"credentials import --secrets DUMP --credentials-file NEW --insecure", 1, []string{"DUMP: vcenter1.example.com: password of machine-api is a placeholder"}},
		"extract":           {"install-config extract CONFIG --credentials-file NEW", 1, []string{"CONFIG:9:", "CONFIG:15:"}},
		"verify":            {"verify -f SPEC --credentials-file FILE --admin-credentials ADMIN --insecure", 1, []string{"FILE:9:", "FILE:15:"}},
		"verify others":     {"verify -f SPEC --credentials-file NEW --admin-credentials ADMIN --account-passwords FILE --insecure", 1, []string{"--account-passwords: FILE:9:", "FILE:5:"}},
		"administrator":     {"plan -f SPEC --credentials-file NEW --admin-credentials FILE --insecure", 1, []string{"--admin-credentials: FILE:5: [vcenter1.example.com] password is a placeholder"}},
		"their password":    {"plan -f SPEC --credentials-file NEW --admin-user a@b --admin-password-file WORD --insecure", 1, []string{"--admin-password-file: WORD is a placeholder"}},
		"assisted: import":  {"credentials import --secrets ASSISTED --no-login --credentials-file NEW", 1, []string{"ASSISTED: " + notConnected, "hint: configure it first, in the cluster's web console"}},
		"assisted: plan":    {"plan --infrastructure INFRA", 1, []string{"INFRA:8: spec.platformSpec.vsphere.vcenters[0].server: " + notConnected, "hint: configure it first"}},
		"assisted: init":    {"init --infrastructure INFRA --no-input --out NEW", 1, []string{"INFRA:8: spec.platformSpec.vsphere.vcenters[0].server: " + notConnected}},
		"assisted: doctor":  {"doctor --secrets ASSISTED --credentials-file NEW", 2, []string{"kube-system/vsphere-creds vcenterplaceholder: " + notConnected}},
		"assisted: config":  {"plan --install-config ASSISTEDCONFIG", 1, []string{"ASSISTEDCONFIG:7: platform.vsphere.vcenters[0].server: " + notConnected}},
		"assisted: servers": {"roles create --vcenters vcenterplaceholder", 1, []string{notConnected}},
		"explain": {
			"secrets explain -f DUMP --vcenters vcenter1.example.com", 2,
			[]string{"vcenter1.example.com: the password is a placeholder: fill it in"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{
				"FILE": unfilledFile, "CONFIG": unfilledConfig, "DUMP": unfilledDump, "SPEC": clitest.SmallSpec, "WORD": "<password>\n",
				"ADMIN":    "[vcenter1.example.com]\nuser = a@b\npassword = x\n[vcenter2.example.com]\nuser = a@b\npassword = x\n",
				"ASSISTED": assistedDump, "INFRA": assistedInfrastructure, "ASSISTEDCONFIG": assistedConfig,
				"FULLCONFIG": clitest.SmallConfig, "FULL": strings.ReplaceAll(unfilledDump, "<password-vc1>", "canary-pw-1"), "NEW": "",
			}
			dir := t.TempDir()
			var words []string
			for _, w := range strings.Fields(c.words) {
				if text, ok := files[w]; ok {
					if w = dir + "/" + w; text != "" {
						if err := os.WriteFile(w, []byte(text), 0o600); err != nil {
							t.Fatal(err)
						}
					}
				}
				words = append(words, w)
			}
			code, stdout, stderr := program.Run(t, termtest.NewFake(), words...)
			printed := strings.ReplaceAll(stdout+stderr, dir+"/", "")
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			clitest.WantText(t, name, printed, c.want...)
			if _, err := os.Stat(dir + "/NEW"); err == nil || code == command.ExitFailed && stdout != "" {
				t.Errorf("something was written: %s", stdout)
			}
			for _, not := range []string{"connection refused", "no such host", "REPLACE_WITH", "-password>", "canary"} {
				if strings.Contains(printed, not) {
					t.Errorf("%q: %s", not, printed)
				}
			}
		})
	}
}
