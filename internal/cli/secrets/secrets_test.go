package secrets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/secrets"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

const emitFile = `[vcenter1.example.com]
user = administrator@vsphere.local
password = main
csi-driver.user = csi@vsphere.local
csi-driver.password = csi1
[vcenter2.example.com]
user = administrator@vsphere.local
password = main
csi-driver.user = csi@vsphere.local
csi-driver.password = csi2
`

func TestSecretsEmitWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]*secrets.EmitOptions{
		"": {Format: "openshift", Source: command.SourceFlags{NamesOnly: true}},
		"--components csi-driver --vcenters a --output-dir d --credentials-file c": {
			Format: "openshift", Components: []string{"csi-driver"}, Source: command.SourceFlags{VCenters: []string{"a"}, NamesOnly: true}, OutputDir: "d", File: command.CredentialsFlag{Path: "c"},
		},
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		var got *secrets.EmitOptions
		cmd := secrets.NewCmdEmit(f, func(o *secrets.EmitOptions) error { got = o; return nil })
		if err := program.Parse(t, f, cmd, append([]string{"emit"}, strings.Fields(words)...)...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, clitest.WordsOf(secrets.EmitOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
}

func TestSecretsRenewWords(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	var got *secrets.EmitOptions
	cmd := secrets.NewCmdRenew(f, func(o *secrets.EmitOptions) error { got = o; return nil })
	words := "renew --against dump --switch csi-driver --no-verify --components machine-api --vcenters a --output-dir d --credentials-file c --profile manual --recipient r"
	if err := program.Parse(t, f, cmd, strings.Fields(words)...); err != nil {
		t.Fatal(err)
	}
	want := &secrets.EmitOptions{
		Renew: true, Format: "openshift", Against: command.SecretsFlags{Dump: "dump"}, Switch: []string{"csi-driver"}, NoVerify: true,
		Components: []string{"machine-api"}, Source: command.SourceFlags{VCenters: []string{"a"}, NamesOnly: true}, OutputDir: "d",
		File: command.CredentialsFlag{Path: "c"}, Profile: "manual", Recipients: command.RecipientFlags{Keys: []string{"r"}},
	}
	if diff := cmp.Diff(want, got, clitest.WordsOf(secrets.EmitOptions{})); diff != "" {
		t.Error(diff)
	}
	for _, without := range []string{"format", "name", "credentials-requests", "assign", "enable-tech-preview", "vcenter-ids", "explain", "renew"} {
		if cmd.Flags().Lookup(without) != nil {
			t.Errorf("secrets renew has --%s, which it does not use", without)
		}
	}
}

func TestSecretsEmit(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "credentials", emitFile, 0o600)
	file := clitest.WriteFile(t, "spec.yaml", clitest.SmallSpec+"components: {csi-driver: {}, installer: {}}\n", 0o600)
	for _, c := range []struct {
		words   string
		secrets []string
		keys    int
		stderr  string
	}{
		{"--main-account-for machine-api,cloud-controller,diagnostics", []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics"}, 4, "the main account"},
		{"--components csi-driver", []string{"csi-driver"}, 4, ""},
		{"--components csi-driver --vcenters vcenter2.example.com", []string{"csi-driver"}, 2, ""},
		{"-f " + file, []string{"csi-driver"}, 4, ""},
	} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), append([]string{"secrets", "emit", "--credentials-file", path}, strings.Fields(c.words)...)...)
		secrets, err := objects.ParseSecrets("stdout", []byte(stdout))
		if code != 0 || err != nil {
			t.Errorf("%s: exit code %d, %v: %s", c.words, code, err, stderr)
		}
		var names []string
		for _, s := range secrets {
			names = append(names, strings.TrimPrefix(s.Name, "vsphere-creds-"))
			if len(s.Data) != c.keys {
				t.Errorf("%s: %s has %d keys, want %d", c.words, s.Name, len(s.Data), c.keys)
			}
		}
		if diff := cmp.Diff(c.secrets, names); diff != "" {
			t.Errorf("%s: %s", c.words, diff)
		}
		clitest.WantText(t, c.words, stderr, c.stderr)
	}
}

func TestSecretsEmitRefuses(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "credentials", emitFile, 0o600)
	alone := clitest.WriteFile(t, "credentials", "[vc1]\ncsi-driver.user = a@b\ncsi-driver.password = x\n", 0o600)
	other := clitest.WriteFile(t, "spec.yaml", clitest.SmallSpec+"profile: passthrough\n", 0o600)
	for words, want := range map[string][]string{
		"--credentials-file /nowhere":                                         {"/nowhere does not exist", "hint: if the accounts do not exist yet: ocp-vsphere-admin apply"},
		"--credentials-file " + alone:                                         {"vc1: no account for machine-api, cloud-controller, diagnostics in "},
		"--credentials-file " + path:                                          {"vcenter2.example.com: no account for machine-api, cloud-controller, diagnostics", "hint: --main-account-for machine-api,cloud-controller,diagnostics gives"},
		"--credentials-file " + path + " --main-account-for capi":             {`unknown component "capi"`},
		"--credentials-file " + path + " --vcenters vcenter3.example.com":     {"--vcenters", "did you mean"},
		"--credentials-file " + path + " --cco-label maybe":                   {"it is a field of the provisioning file: secrets: {ccoLabel: \"yes\"}", "hint: 'ocp-vsphere-admin spec schema'"},
		"--credentials-file " + path + " -o json":                             {"secrets are YAML"},
		"--credentials-file " + path + " -f " + other + " --with-root-secret": {"it is a field of the provisioning file: secrets: {rootSecret: true}"},
		"--credentials-file " + path + " --profile manual":                    {"needs --credentials-requests", "hint: 'oc adm release extract"},
		"--credentials-file " + path + " --credentials-requests /nowhere":     {"--credentials-requests: open /nowhere"},
		"--credentials-file " + path + " --assign a=b":                        {"--assign and --enable-tech-preview require --credentials-requests"},
		"--credentials-file " + path + " --profile component-scoped":          {"vcenter1.example.com: no account for machine-api, cloud-controller, diagnostics in "},
		"--credentials-file " + path + " --with-extra cluster-api":            {"it is a field of the provisioning file: secrets: {extra: [cluster-api]}"},
	} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), append([]string{"secrets", "emit"}, strings.Fields(words)...)...)
		if code != command.ExitFailed || stdout != "" && !strings.Contains(words, "-o json") {
			t.Errorf("%s: exit code %d, %q", words, code, stdout)
		}
		clitest.WantText(t, words, stderr, want...)
	}
}

func TestSecretsEmitFiles(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "credentials", emitFile, 0o600)
	dir := filepath.Join(t.TempDir(), "manifests")
	code, stdout, stderr := program.Run(t, termtest.NewFake(), "secrets", "emit", "--credentials-file", path, "--output-dir", dir, "--components", "csi-driver")
	want := filepath.Join(dir, "99_vsphere-creds-csi-driver.yaml")
	if code != 0 || stdout != want+"\n" {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	info, err := os.Stat(want)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	text, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if secrets, err := objects.ParseSecrets("text", text); err != nil || len(secrets) != 1 {
		t.Errorf("%d secrets, %v", len(secrets), err)
	}
}

// The password of an account that others made is nothing that rotate could replace: the hint is to take it in.
func TestEmitOfAdoptedAccounts(t *testing.T) {
	t.Parallel()
	specFile := clitest.WriteFile(t, "spec.yaml", `apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: c1
profile: component-scoped
components: {csi-driver: {}, diagnostics: {principal: svc-diag@corp.example.com}, cloud-controller: {principal: svc-ccm@corp.example.com}}
vcenters: [{server: vc1}]
`, 0o600)
	const own = "[vc1]\ncsi-driver.user = ocp-c1-csi-driver@vsphere.local\ncsi-driver.password = p\n"
	for name, c := range map[string]struct {
		credentials string
		rotate      bool // of an account of ours
	}{
		"only theirs are missing": {own, false},
		"ours is missing too":     {"[vc1]\ndiagnostics.user = svc-diag@corp.example.com\ndiagnostics.password = p\n", true},
		"there is no file":        {"", true},
	} {
		for _, words := range [][]string{{"secrets", "emit"}, {"credentials", "validate"}} {
			file := filepath.Join(t.TempDir(), "credentials")
			if c.credentials != "" {
				file = clitest.WriteFile(t, "credentials", c.credentials, 0o600)
			} else if words[0] == "credentials" {
				continue // it has no account to judge
			}
			_, stdout, stderr := program.Run(t, termtest.NewFake(), append(words, "-f", specFile, "--credentials-file", file)...)
			out := stdout + stderr
			if n := strings.Count(out, "credentials import FILE --credentials-file "+file); n != 1 || !strings.Contains(out, "svc-ccm@corp.example.com") {
				t.Errorf("%s, %v: credentials import is named %d times\n%s", name, words, n, out)
			}
			if got := strings.Contains(out, "rotate "); got != c.rotate {
				t.Errorf("%s, %v: rotate is named: %v\n%s", name, words, got, out)
			}
		}
	}
}

// Nobody gets what is not theirs: an account that the specification names and that has no password here is an error of whatever hands
// out accounts, until the main one is chosen in its place.
func TestNamedAccountWithoutPassword(t *testing.T) {
	t.Parallel()
	const principal = "bob@corp.example.com"
	credentials := clitest.WriteFile(t, "credentials", "[vcenter1.example.com]\nuser = ocp-c1-installer@vsphere.local\npassword = main-pw\n", 0o600)
	head := "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\ncomponents: {csi-driver: {principal: " + principal + "}, installer: {}}\nvcenters: [{server: vcenter1.example.com}]\n"
	file := clitest.WriteFile(t, "spec.yaml", head, 0o600)
	manual := clitest.WriteFile(t, "manual.yaml", head+"profile: manual\n", 0o600)
	config := clitest.WriteFile(t, "c.yaml", clitest.SmallConfig, 0o600)
	dump := clitest.WriteFile(t, "dump.yaml", objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "",
		"vcenter1.example.com.username=ocp-c1-installer@vsphere.local", "vcenter1.example.com.password=older"), 0o600)
	requests := t.TempDir()
	if err := os.WriteFile(filepath.Join(requests, "csi.yaml"), []byte(csiRequest), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{
		"secrets emit -f " + file,
		"secrets renew --against " + dump + " --no-verify -f " + file,
		"secrets renew --components csi-driver --against " + dump + " --no-verify -f " + file,
		"secrets emit --against " + dump + " --no-verify -f " + file,
		"secrets diff --against " + dump + " -f " + file,
		"secrets emit --credentials-requests " + requests + " -f " + manual,
		"secrets manifests --requests " + requests + " --dir " + filepath.Join(t.TempDir(), "manifests") + " -f " + manual,
		"install-config render " + config + " -f " + file,
		"credentials validate -f " + file,
	} {
		run := append(strings.Fields(words), "--credentials-file", credentials)
		code, stdout, stderr := program.Run(t, termtest.NewFake(), run...)
		if code == command.ExitDone || strings.Contains(stdout, "data:") || strings.Contains(stdout, "main-pw") {
			t.Errorf("%s: exit code %d, %s%s", words, code, stdout, stderr)
		}
		clitest.WantText(t, words, stdout+stderr, "vcenter1.example.com", "csi-driver", "no account", principal+") from its owner", "--main-account-for")
		if run[0] == "credentials" {
			continue // it has nothing to give
		}
		code, stdout, stderr = program.Run(t, termtest.NewFake(), append(run, "--main-account-for", "csi-driver")...)
		if code == command.ExitFailed {
			t.Errorf("%s: the main account is chosen: exit code %d, %s%s", words, code, stdout, stderr)
		}
	}
}

const csiRequest = `apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata: {name: openshift-vmware-vsphere-csi-driver-operator, namespace: openshift-cloud-credential-operator}
spec:
  secretRef: {name: vmware-vsphere-cloud-credentials, namespace: openshift-cluster-csi-drivers}
  providerSpec: {apiVersion: cloudcredential.openshift.io/v1, kind: VSphereProviderSpec}
`

func TestSecretsFollowCredentialType(t *testing.T) {
	t.Parallel()
	credentials := clitest.WriteFile(t, "credentials", "[vc]\nmachine-api.user = m@d\nmachine-api.password = p\n", 0o600)
	config := clitest.WriteFile(t, "c.yaml", "metadata:\n  name: c\nplatform:\n  vsphere:\n    credentialType: component-scoped\n    vcenters:\n    - server: vc\n"+
		"    failureDomains:\n    - {name: z, server: vc, topology: {datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/d, networks: [n]}}\n", 0o600)
	words := []string{"secrets", "emit", "--credentials-file", credentials, "--install-config", config, "--components", "machine-api"}
	code, stdout, stderr := program.Run(t, termtest.NewFake(), words...)
	if code != 0 || !strings.Contains(stdout, "namespace: openshift-machine-api\n") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = program.Run(t, termtest.NewFake(), append(words, "--profile", "kube-system")...)
	if code != 0 || !strings.Contains(stdout, "namespace: kube-system\n") || !strings.Contains(stderr, "but the specification has component-scoped") {
		t.Errorf("another profile: exit code %d, %s%s", code, stdout, stderr)
	}
}

func TestSecretsOfAnotherProfileThanTheAccounts(t *testing.T) {
	t.Parallel()
	section := "[vc]\n"
	for _, c := range []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics"} {
		section += c + ".user = x@d\n" + c + ".password = p\n"
	}
	credentials := clitest.WriteFile(t, "credentials", section, 0o600)
	file := clitest.WriteFile(t, "p.yaml", "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c\nvcenters:\n- server: vc\n", 0o600)
	for profile, warned := range map[string]bool{openshift.ProfileKubeSystem: false, openshift.ProfileComponentScoped: true} {
		code, _, stderr := program.Run(t, termtest.NewFake(), "secrets", "emit", "--credentials-file", credentials, "-f", file, "--profile", profile)
		if code != 0 || strings.Contains(stderr, "but the specification has kube-system") != warned {
			t.Errorf("%s: exit code %d, %s", profile, code, stderr)
		}
	}
}

func TestExplainRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{dir: " is a directory", dir + "/none": " does not exist", clitest.WriteFile(t, "empty", "\n", 0o600): " is empty"} {
		code, _, stderr := program.Run(t, termtest.NewFake(), "secrets", "explain", "-f", path)
		if code != command.ExitFailed || !strings.Contains(stderr, path+want) {
			t.Errorf("exit code %d, %s", code, stderr)
		}
	}
}

func TestEmitWarnsOfATruncatedPassword(t *testing.T) {
	t.Parallel()
	credentials := clitest.WriteFile(t, "credentials", "[vc]\ncsi-driver.user = c@d\ncsi-driver.password = hunter#2\n", 0o600)
	code, _, stderr := program.Run(t, termtest.NewFake(), "secrets", "emit", "--credentials-file", credentials, "--components", "csi-driver")
	if code != 0 || !strings.Contains(stderr, credentials+`:3: [vc] csi-driver.password is cut off at "#"`) || strings.Contains(stderr, "hunter") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
