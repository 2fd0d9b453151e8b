package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
)

var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

const (
	rootSecret = "{kind: Secret, apiVersion: v1, metadata: {namespace: kube-system, name: vsphere-creds}, stringData: {vc1.username: a@b, vc1.password: canary-1}}\n---\n"
	dedicated  = "{kind: Secret, apiVersion: v1, metadata: {namespace: kube-system, name: vsphere-creds-machine-api}, stringData: {vc1.username: m@b, vc1.password: canary-2}}\n---\n"
	stale      = "{kind: Secret, apiVersion: v1, metadata: {namespace: openshift-machine-api, name: vsphere-cloud-credentials}, stringData: {vc1.username: m@b, vc1.password: canary-3}}\n---\n"
	failing    = "{apiVersion: cloudcredential.openshift.io/v1, kind: CredentialsRequest, metadata: {namespace: openshift-cloud-credential-operator, name: openshift-machine-api-vsphere}, " +
		"spec: {secretRef: {namespace: openshift-machine-api, name: vsphere-cloud-credentials}, providerSpec: {apiVersion: cloudcredential.openshift.io/v1, kind: VSphereProviderSpec}}, " +
		"status: {conditions: [{type: MissingTargetNamespace, status: 'True'}]}}\n---\n"
	degraded = "{apiVersion: config.openshift.io/v1, kind: ClusterOperator, metadata: {name: cloud-credential}, status: {conditions: [{type: Degraded, status: 'True'}]}}\n---\n"
	unserved = "{apiVersion: cloudcredential.openshift.io/v1, kind: CredentialsRequest, metadata: {namespace: openshift-cloud-credential-operator, name: openshift-machine-api-vsphere}, " +
		"spec: {secretRef: {namespace: openshift-machine-api, name: vsphere-cloud-credentials}, providerSpec: {apiVersion: cloudcredential.openshift.io/v1, kind: VSphereProviderSpec}}, " +
		"status: {provisioned: false}}\n---\n"
	copies         = "{apiVersion: operator.openshift.io/v1, kind: CloudCredential, metadata: {name: cluster}, spec: {credentialsMode: Default}}\n---\n"
	broken         = "{kind: Secret, apiVersion: v1, metadata: {namespace: other, name: broken}, data: {key: '!'}}\n---\n"
	beside         = "{kind: Secret, apiVersion: v1, metadata: {namespace: openshift-machine-api, name: tls}, stringData: {key: x}}\n---\n"
	released       = "{kind: Secret, apiVersion: v1, metadata: {namespace: openshift-machine-api, name: vsphere-cloud-credentials}, stringData: {vc1.username: a@b, vc1.password: canary-1}}\n---\n"
	infrastructure = "{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster}, spec: {platformSpec: {type: VSphere, vsphere: {vcenters: [" +
		"{server: vc1, datacenters: [DC1]}, {server: vc2, datacenters: [DC1]}]}}}, status: {infrastructureName: c-x7k2p, apiServerURL: 'https://api.c.example.com:6443'}}\n---\n"
	held = "{apiVersion: config.openshift.io/v1, kind: ClusterOperator, metadata: {name: cloud-credential}, status: {conditions: [{type: Upgradeable, status: 'False'}]}}\n---\n"
)

// doctor of a cluster needs no vCenter: it shows each component's account, what the operator says, and the modes of the files here.
func TestDoctorOfACluster(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		dump, words string
		mode        os.FileMode // of the credentials file
		code        int
		want        []string
	}{
		"one account for all":    {dump: rootSecret, want: []string{"machine-api ok vsphere-creds (root); its copy is not in the dump", "requests - not in the dump", "operator - not in the dump", "credentials file ok"}},
		"others fall back":       {dump: rootSecret + dedicated, code: 2, want: []string{"machine-api ok vsphere-creds-machine-api (name)", "csi-driver FAIL secret-fallback", "ocp-vsphere-admin secrets emit --profile kube-system --components csi-driver --credentials-file PATH --verify --vcenters vc1 | oc apply -f -"}},
		"on purpose":             {dump: rootSecret + dedicated, words: " --allow fallback=csi-driver,fallback=cloud-controller,fallback=diagnostics", want: []string{"csi-driver ok vsphere-creds (root)"}},
		"a stale copy":           {dump: rootSecret + dedicated + stale, words: " --allow fallback=csi-driver,fallback=cloud-controller,fallback=diagnostics", code: 2, want: []string{"machine-api FAIL secret-stale"}},
		"a failing request":      {dump: rootSecret + failing, code: 2, want: []string{"machine-api FAIL request-failing", "requests FAIL request-failing", "MissingTargetNamespace=True"}},
		"a degraded operator":    {dump: rootSecret + degraded, code: 2, want: []string{"operator FAIL operator-degraded"}},
		"upgrades held back":     {dump: rootSecret + held, want: []string{"operator ok not degraded; operator-holds"}},
		"a value of bad base64":  {dump: rootSecret + broken, code: 2, want: []string{"other secrets FAIL secret-malformed", "machine-api ok", "is not base64"}},
		"not available":          {dump: rootSecret + strings.ReplaceAll(degraded, "Degraded, status: 'True'", "Available, status: 'False'"), code: 2, want: []string{"operator FAIL operator-degraded"}},
		"not served":             {dump: rootSecret + unserved + copies, code: 2, want: []string{"machine-api FAIL request-failing", "mode ok cloud-credential-operator copies secrets"}},
		"not served, Manual":     {dump: rootSecret + unserved + strings.ReplaceAll(copies, "Default", "Manual"), want: []string{"mode ok Manual: nobody copies secrets", "requests ok"}},
		"nobody says the mode":   {dump: rootSecret + unserved, want: []string{"mode - not in the dump", "requests ok"}},
		"a vCenter without keys": {dump: rootSecret + infrastructure, code: 2, want: []string{"machine-api FAIL secret-missing", "no account for vc2"}},
		"a copy that is gone":    {dump: rootSecret + beside, code: 2, want: []string{"machine-api FAIL secret-missing", "csi-driver ok"}},
		"on purpose, of a release": {
			dump: rootSecret + dedicated + released, words: " --allow fallback=machine-api,fallback=csi-driver,fallback=cloud-controller,fallback=diagnostics",
			want: []string{"machine-api ok vsphere-creds (root)"},
		},
		"a file that all read": {dump: rootSecret, mode: 0o644, code: 2, want: []string{"credentials file FAIL file-unread", "chmod 600"}},
	} {
		dir := filepath.Join(t.TempDir(), ".vsphere")
		path := filepath.Join(dir, "credentials")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(clitest.TwoVCenters), max(tt.mode, 0o600)); err != nil {
			t.Fatal(err)
		}
		dump := clitest.WriteFile(t, "dump.yaml", tt.dump, 0o600)
		code, stdout, stderr := program.Run(t, termtest.NewFake(), strings.Fields("doctor --credentials-file "+path+" --secrets "+dump+tt.words)...)
		if code != tt.code {
			t.Errorf("%s: exit code %d, want %d: %s%s", name, code, tt.code, stdout, stderr)
		}
		clitest.WantText(t, name, strings.ReplaceAll(strings.Join(strings.Fields(stdout), " "), path, "PATH"), tt.want...)
		if strings.Contains(stdout+stderr, "canary") {
			t.Errorf("%s: a password is printed: %s%s", name, stdout, stderr)
		}
	}
}

// Where nobody gave an administrator's login, doctor still says what it found of the cluster, and that the vCenters were left out.
func TestDoctorOfAClusterWithoutAnAdministrator(t *testing.T) {
	t.Parallel()
	dump := clitest.WriteFile(t, "dump.yaml", rootSecret+dedicated, 0o600)
	for _, output := range []string{"table", "json"} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), strings.Fields("doctor --vcenters vc1 --credentials-file none --no-input --secrets "+dump+" -o "+output)...)
		if code != 3 {
			t.Errorf("exit code %d", code)
		}
		clitest.WantText(t, output, stdout, "machine-api", "secret-fallback")
		clitest.WantText(t, output, stderr, "the vCenters were not checked: vc1: the administrator's user is required")
	}
}
