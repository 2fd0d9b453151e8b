package cli

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// utf16LE is what Windows PowerShell writes.
func utf16LE(text string) string {
	out := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

const oneSecret = `apiVersion: v1
kind: Secret
metadata:
  name: vsphere-creds-csi-driver
  namespace: kube-system
stringData:
  vcenter1.example.com.username: ocp-csi@vsphere.local
  vcenter1.example.com.password: pw
`

func TestImportKnowsEachForm(t *testing.T) {
	t.Parallel()
	const oneSection = "[vcenter1.example.com]\ncsi-driver.user = ocp-csi@vsphere.local\ncsi-driver.password = pw\n"
	for name, text := range map[string]string{
		"credentials file with a byte order mark": "\uFEFF" + oneSection,
		"credentials file in UTF-16":              utf16LE(oneSection),
		"secrets in UTF-16":                       utf16LE(oneSecret),
		"JSON in a line":                          `{"apiVersion": "v1", "items": [{"kind": "Secret", "metadata": {"name": "vsphere-creds-csi-driver", "namespace": "kube-system"}, "stringData": {"vc.username": "ocp-csi@vsphere.local", "vc.password": "pw"}}], "kind": "List"}`,
		"secrets with CRLF":                       strings.ReplaceAll(oneSecret, "\n", "\r\n"),
	} {
		from := writeFile(t, "from", text, 0o600)
		code, stdout, stderr := runWords(t, term.NewFake(), "credentials", "import", from, "--dry-run", "--credentials-file", t.TempDir()+"/c")
		if code != 0 || !strings.Contains(stdout, "ocp-csi@vsphere.local  added") {
			t.Errorf("%s: exit code %d, %s%s", name, code, stdout, stderr)
		}
	}
}

// A setting for all commands is no wish for JSON from those whose output is YAML.
func TestSettledOutputStopsNoYAML(t *testing.T) {
	t.Parallel()
	credentials := writeFile(t, "credentials", twoVCenters, 0o600)
	config := writeFile(t, "c.yaml", smallConfig, 0o600)
	for _, words := range []string{
		"secrets emit --vcenters vcenter1.example.com --components csi-driver",
		"install-config render " + config,
		"install-config extract " + config + " --strip --credentials-file " + t.TempDir() + "/c",
		"privileges export --format csv", "completion bash",
		"credentials export --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
	} {
		fake := term.NewFake()
		fake.Env["OCP_VSPHERE_ADMIN_OUTPUT"] = "json"
		fake.Env["VSPHERE_CREDENTIALS_FILE"] = credentials
		code, stdout, stderr := runWords(t, fake, strings.Fields(words)...)
		if code != 0 || stdout == "" || strings.HasPrefix(stdout, "{") {
			t.Errorf("%s: exit code %d, %s%s", words, code, stdout, stderr)
		}
	}
}

func TestSecretsFollowCredentialType(t *testing.T) {
	t.Parallel()
	credentials := writeFile(t, "credentials", "[vc]\nmachine-api.user = m@d\nmachine-api.password = p\n", 0o600)
	config := writeFile(t, "c.yaml", "metadata:\n  name: c\nplatform:\n  vsphere:\n    credentialType: component-scoped\n    vcenters:\n    - server: vc\n"+
		"    failureDomains:\n    - {name: z, server: vc, topology: {datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/d, networks: [n]}}\n", 0o600)
	words := []string{"secrets", "emit", "--credentials-file", credentials, "--install-config", config, "--components", "machine-api"}
	code, stdout, stderr := runWords(t, term.NewFake(), words...)
	if code != 0 || !strings.Contains(stdout, "namespace: openshift-machine-api\n") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = runWords(t, term.NewFake(), append(words, "--profile", "kube-system")...)
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
	credentials := writeFile(t, "credentials", section, 0o600)
	file := writeFile(t, "p.yaml", "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c\nvcenters:\n- server: vc\n", 0o600)
	for profile, warned := range map[string]bool{openshift.ProfileKubeSystem: false, openshift.ProfileComponentScoped: true} {
		code, _, stderr := runWords(t, term.NewFake(), "secrets", "emit", "--credentials-file", credentials, "-f", file, "--profile", profile)
		if code != 0 || strings.Contains(stderr, "but the specification has kube-system") != warned {
			t.Errorf("%s: exit code %d, %s", profile, code, stderr)
		}
	}
}

func TestResolveFollowsTheProfile(t *testing.T) {
	t.Parallel()
	credentials := writeFile(t, "credentials", "[vc]\ncsi-driver.user = c@d\ncsi-driver.password = p\n", 0o600)
	for _, profile := range []string{openshift.ProfileComponentScoped, openshift.ProfilePassthrough, openshift.ProfileManual} {
		file := writeFile(t, "p.yaml", "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c\nprofile: "+profile+"\nvcenters:\n- server: vc\n", 0o600)
		code, stdout, stderr := runWords(t, term.NewFake(), "credentials", "resolve", "-f", file, "--credentials-file", credentials, "--components", "csi-driver")
		if code != 0 || !strings.Contains(stdout, "not read a credentials file") {
			t.Errorf("%s: exit code %d, %s%s", profile, code, stdout, stderr)
		}
	}
}

func TestExplainRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{dir: " is a directory", dir + "/none": " does not exist", writeFile(t, "empty", "\n", 0o600): " is empty"} {
		code, _, stderr := runWords(t, term.NewFake(), "secrets", "explain", "-f", path)
		if code != ExitFailed || !strings.Contains(stderr, path+want) {
			t.Errorf("exit code %d, %s", code, stderr)
		}
	}
}

func TestEmitWarnsOfATruncatedPassword(t *testing.T) {
	t.Parallel()
	credentials := writeFile(t, "credentials", "[vc]\ncsi-driver.user = c@d\ncsi-driver.password = hunter#2\n", 0o600)
	code, _, stderr := runWords(t, term.NewFake(), "secrets", "emit", "--credentials-file", credentials, "--components", "csi-driver")
	if code != 0 || !strings.Contains(stderr, credentials+`:3: [vc] csi-driver.password is cut off at "#"`) || strings.Contains(stderr, "hunter") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// Whose password stands in the install-config alone is not written over.
func TestRenderInPlaceLosesNoPassword(t *testing.T) {
	t.Parallel()
	section := "[vcenter1.example.com]\n"
	for _, c := range []string{"", "machine-api.", "csi-driver.", "cloud-controller.", "diagnostics."} {
		section += c + "user = x@d\n" + c + "password = p\n"
	}
	credentials := writeFile(t, "credentials", section, 0o600)
	for _, profile := range []string{openshift.ProfileKubeSystem, openshift.ProfileComponentScoped, openshift.ProfilePassthrough} {
		config := writeFile(t, "c.yaml", smallConfig, 0o600)
		words := []string{"install-config", "render", config, "--credentials-file", credentials, "--profile", profile}
		for _, over := range [][]string{{"--in-place"}, {"--out=" + config, "--force"}} {
			code, _, stderr := runWords(t, term.NewFake(), append(words, over...)...)
			text, err := os.ReadFile(config)
			if code != ExitFailed || err != nil || string(text) != smallConfig ||
				!strings.Contains(stderr, config+" is not overwritten: it has the only copy of the password of administrator@vsphere.local") {
				t.Errorf("%s %s: exit code %d, %v, %s%s", profile, over, code, err, stderr, text)
			}
		}
		if code, _, stderr := runWords(t, term.NewFake(), append(words, "--out", config+".new")...); code != 0 {
			t.Errorf("%s: exit code %d, %s", profile, code, stderr)
		}
	}
}

func TestImportHintsAtReplaceOnlyWhereItHelps(t *testing.T) {
	t.Parallel()
	from := writeFile(t, "from", strings.Replace(oneSecret, "password: pw", `password: "p\tw"`, 1), 0o600)
	code, _, stderr := runWords(t, term.NewFake(), "credentials", "import", from, "--credentials-file", t.TempDir()+"/c")
	if code != ExitFailed || !strings.Contains(stderr, "holds a control character") || strings.Contains(stderr, "--replace") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// The --out of a plan and the --replace of other commands are no business of what writes passwords.
func TestSettingsDecideNothingAboutPasswords(t *testing.T) {
	t.Parallel()
	credentials := writeFile(t, "credentials", twoVCenters, 0o600)
	config := writeFile(t, "c.yaml", smallConfig, 0o600)
	plan := writeFile(t, "plan.json", "{}", 0o600)
	fake := term.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_OUT"] = plan
	code, stdout, stderr := runWords(t, fake, "install-config", "render", config, "--credentials-file", credentials)
	if text, err := os.ReadFile(plan); code != 0 || err != nil || string(text) != "{}" || !strings.Contains(stdout, "componentCredentials") {
		t.Errorf("render: exit code %d, %v, %s", code, err, stderr)
	}
	fake = term.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_REPLACE"] = "true"
	if code, _, stderr := runWords(t, fake, "install-config", "extract", config, "--credentials-file", credentials); code != ExitFailed {
		t.Errorf("extract: exit code %d, %s", code, stderr)
	}
	fake = term.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_REVEAL"] = "true"
	if code, stdout, stderr := runWords(t, fake, "credentials", "show", "--credentials-file", credentials); code != 0 || strings.Contains(stdout, "m#1") {
		t.Errorf("show: exit code %d, %s", code, stderr)
	}
}

// A section that cannot be asked is one problem among others.
func TestValidateLoginReportsOddSections(t *testing.T) {
	t.Parallel()
	credentials := writeFile(t, "credentials", "[ vc3 ]\ncsi-driver.user = c@d\ncsi-driver.password = p\n[https://vc4/sdk]\ncsi-driver.user = c\ncsi-driver.password = p\n", 0o600)
	code, stdout, stderr := runWords(t, term.NewFake(), "credentials", "validate", "--login", "--credentials-file", credentials)
	if code != ExitDifferent || !strings.Contains(stdout, "blanks in the brackets") || !strings.Contains(stdout, "has no domain") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// What is nearly right is named with what was meant, and a line that cannot be read does not stop the rest.
func TestResolveNamesWhatWasMeant(t *testing.T) {
	t.Parallel()
	fake := term.NewFake()
	fake.Env["VSPHERE_CREDENTIALS_FILE"] = writeFile(t, "credentials", "[VCENTER1.example.com]\ncsi-drivr.user = a@b\ncsi-driver.password = pw-canary\npw-canary\n"+
		"[vcenter2.exmaple.com]\nuser = a@b\npassword = x\n", 0o600)
	code, stdout, stderr := runWords(t, fake, "credentials", "resolve", "--install-config", writeFile(t, "c.yaml", smallConfig, 0o600))
	if code != ExitDifferent || strings.Contains(stdout+stderr, "pw-canary") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	wantText(t, "stdout", stdout, "vcenter1.example.com", "csi-driver")
	wantText(t, "stderr", stderr, "csi-drivr.user is not read: the key is csi-driver.user", "line 4: neither a section", "1 line cannot be read",
		`section [VCENTER1.example.com]`, `did you mean "vcenter1.example.com"?`)
}

func TestResolveSaysThatTheFileIsNotThere(t *testing.T) {
	t.Parallel()
	fake := term.NewFake()
	fake.Env["VSPHERE_CREDENTIALS_FILE"] = t.TempDir() + "/mistyped"
	code, _, stderr := runWords(t, fake, "credentials", "resolve", "--install-config", writeFile(t, "c.yaml", smallConfig, 0o600))
	if code != 0 || !strings.Contains(stderr, "/mistyped does not exist") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
