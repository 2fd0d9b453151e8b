package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// What a dump, a credentials file, an install-config or a matrix holds was written by others, too. A value that is
// malformed is said, and the rest all the same.
func TestNoRawTextOfFilesGetsOut(t *testing.T) {
	t.Parallel()
	quoted := fmt.Sprintf("%q", hostile) // a string of YAML as well
	in := strings.Trim(quoted, `"`)
	dump := clitest.WriteFile(t, "dump.yaml", clitest.SecretsDump+"---\n"+
		`{kind: Secret, metadata: {namespace: kube-system, name: "vsphere-creds-csi`+in+`"}, stringData: {"vc1`+in+`.username": "a`+in+`@b", "vc1`+in+`.password": x}}`+"\n---\n"+
		`{kind: Secret, metadata: {namespace: kube-system, name: vsphere-creds-csi-driver}, data: {"vc1`+in+`.usernam": "eA==", "bad`+in+`": "!", vc1.username: "YUBi", vc1.password: "eA=="}}`+"\n", 0o600)
	credentials := clitest.WriteFile(t, "credentials", "[vc1"+hiding+"\u009b]\nuser = a"+hiding+"\u2028@b\npassword = 1\ncsi-drivr"+hiding+".user = x\nbad"+hiding+"\u009b\n", 0o600)
	config := clitest.WriteFile(t, "install-config.yaml", strings.ReplaceAll(clitest.SmallConfig, "server: vcenter1.example.com", "server: "+`"vc1`+strings.Trim(fmt.Sprintf("%q", hiding), `"`)+`"`), 0o600)
	well := clitest.WriteFile(t, "well.yaml", `{kind: Secret, metadata: {namespace: kube-system, name: vsphere-creds-csi-driver}, stringData: {"vc1`+in+`.username": "a`+in+`@b", "vc1`+in+`.password": x, "`+in+`": x, `+
		`vc1.username: "a`+in+`", vc1.password: x}}`+"\n", 0o600)
	against := " --against " + well + " --vcenters vc1 --credentials-file " + clitest.WriteFile(t, "accounts", "[vc1]\nuser = a@b\npassword = 1\n", 0o600)
	clusters := clitest.WriteFile(t, "clusters.yaml", `{kind: Namespace, metadata: {name: a}}`+"\n---\n"+
		`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: VSphereClusterIdentity, metadata: {name: "i`+in+`"}, spec: {secretName: "s`+in+`", allowedNamespaces: {selector: {matchLabels: {"a": "b"}}}}, `+
		`status: {conditions: [{status: "False", reason: "r`+in+`", message: "m`+in+`"}]}}`+"\n---\n"+
		`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: VSphereCluster, metadata: {namespace: "n`+in+`", name: "c`+in+`"}, spec: {server: "v`+in+`", identityRef: {kind: VSphereClusterIdentity, name: "i`+in+`"}}}`+"\n---\n"+
		`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: VSphereCluster, metadata: {namespace: a, name: b}, spec: {identityRef: {kind: "k`+in+`", name: "i`+in+`"}}}`+"\n---\n"+
		`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: OpenStackCluster, metadata: {namespace: a, name: b}, spec: {identityRef: {type: "t`+in+`", name: x, cloudName: "c`+in+`"}}}`+"\n---\n"+
		`{kind: Secret, metadata: {namespace: a, name: x}, stringData: {username: "u`+in+`"}}`+"\n", 0o600)
	infrastructure := clitest.WriteFile(t, "infrastructure.yaml", strings.NewReplacer("[VM Network]", `["a`+in+`"]`, "name: a\n", `name: "a`+in+`"`+"\n").Replace(clitest.SmallInfrastructure), 0o600)
	file := clitest.WriteFile(t, "provisioning.yaml", clitest.SmallSpec, 0o600)
	escaped := 0
	for _, words := range []string{
		"spec diff -f " + file + " --infrastructure " + infrastructure, "plan --infrastructure " + infrastructure + " --components x",
		"secrets explain -f " + dump, "secrets diff" + against, "secrets emit" + against, "secrets explain -f " + well, "identity check --dump " + clusters, "identity emit --namespaces a" + hiding, "credentials import " + dump + " --dry-run",
		"credentials show", "credentials validate", "credentials resolve --install-config " + config, "credentials validate --install-config " + config,
		"install-config render " + config, "plan --install-config " + config, "credentials import " + config + " --dry-run",
		"privileges show --matrix /no/such" + hiding, "plan -f /no/such\x1b[2J" + hiding, "no" + hiding + "command x", "plan --no" + hiding, "doctor --vcenters a" + hiding + "\u009b",
	} {
		for _, more := range []string{"", "-o json", "-o yaml"} {
			fake := termtest.NewFake()
			fake.Home = t.TempDir()
			fake.Env["VSPHERE_CREDENTIALS_FILE"] = credentials
			code, stdout, stderr := program.Run(t, fake, strings.Fields(words+" "+more)...)
			what := fmt.Sprintf("%s %s (exit code %d)", strings.Fields(words)[:min(2, len(strings.Fields(words)))], more, code)
			silent(t, what, t.TempDir(), stdout, stderr)
			escaped += strings.Count(stdout+stderr, `\u202e`)
			if code == command.ExitDone {
				t.Errorf("%s: %s%s", what, stdout, stderr)
			}
		}
	}
	if escaped < 30 {
		t.Errorf("the names were shown %d times: this test proves nothing", escaped)
	}
	code, stdout, _ := program.Run(t, termtest.NewFake(), "secrets", "explain", "-f", dump)
	if code != command.ExitDifferent {
		t.Errorf("exit code %d", code)
	}
	clitest.WantText(t, "explain", stdout, "is not base64", "a@b", `nothing reads key "`)
}

// A completion is a word that a shell types: one that it could not show is not offered, and none is forged.
func TestCompletionOffersWhatCanBeShown(t *testing.T) {
	t.Parallel()
	got := command.ListCompletion([]string{"a", "b\nforged", "c\tdescribed", "d" + hiding, "é"}, "")
	if strings.Join(got, ",") != "a,é" {
		t.Errorf("%q", got)
	}
}
