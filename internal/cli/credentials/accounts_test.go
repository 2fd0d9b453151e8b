package credentials_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/credentials"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

func TestKindsOfAccounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"INI":               {"# x\n[vc.example]\nuser = a\n", command.KindCredentials},
		"INI of an address": {"[10.0.0.1] # lab\n", command.KindCredentials},
		"config":            {clitest.SmallConfig, command.KindInstallConfig},
		"config with lists": {"a:\n  [x]\n" + "apiVersion: v1\nplatform:\n  vsphere: {}\n", command.KindInstallConfig},
		"JSON config":       {`{"platform": {"vsphere": {}}}`, command.KindInstallConfig},
		"secrets":           {"apiVersion: v1\nkind: Secret\nmetadata: {}\n", command.KindSecrets},
		"list":              {"apiVersion: v1\nitems: []\nkind: List\n", command.KindSecrets},
		"JSON list":         {"{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"List\"\n}", command.KindSecrets},
		"one line":          {`{"apiVersion":"v1","kind":"Secret"}`, command.KindSecrets},
	} {
		if got := credentials.KindOf([]byte(c.text)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
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

// utf16LE is what Windows PowerShell writes.
func utf16LE(text string) string {
	out := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

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
		from := clitest.WriteFile(t, "from", text, 0o600)
		code, stdout, stderr := program.Run(t, termtest.NewFake(), "credentials", "import", from, "--dry-run", "--credentials-file", t.TempDir()+"/c")
		if code != 0 || !strings.Contains(stdout, "ocp-csi@vsphere.local  added") {
			t.Errorf("%s: exit code %d, %s%s", name, code, stdout, stderr)
		}
	}
}

func TestResolveFollowsTheProfile(t *testing.T) {
	t.Parallel()
	credentials := clitest.WriteFile(t, "credentials", "[vc]\ncsi-driver.user = c@d\ncsi-driver.password = p\n", 0o600)
	for _, profile := range []string{openshift.ProfileComponentScoped, openshift.ProfilePassthrough, openshift.ProfileManual} {
		file := clitest.WriteFile(t, "p.yaml", "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c\nprofile: "+profile+"\nvcenters:\n- server: vc\n", 0o600)
		code, stdout, stderr := program.Run(t, termtest.NewFake(), "credentials", "resolve", "-f", file, "--credentials-file", credentials, "--components", "csi-driver")
		if code != 0 || !strings.Contains(stdout, "not read a credentials file") {
			t.Errorf("%s: exit code %d, %s%s", profile, code, stdout, stderr)
		}
	}
}

func TestImportHintsAtReplaceOnlyWhereItHelps(t *testing.T) {
	t.Parallel()
	from := clitest.WriteFile(t, "from", strings.Replace(oneSecret, "password: pw", `password: "p\tw"`, 1), 0o600)
	code, _, stderr := program.Run(t, termtest.NewFake(), "credentials", "import", from, "--credentials-file", t.TempDir()+"/c")
	if code != command.ExitFailed || !strings.Contains(stderr, "holds a control character") || strings.Contains(stderr, "--replace") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// A section that cannot be asked is one problem among others.
func TestValidateLoginReportsOddSections(t *testing.T) {
	t.Parallel()
	credentials := clitest.WriteFile(t, "credentials", "[ vc3 ]\ncsi-driver.user = c@d\ncsi-driver.password = p\n[https://vc4/sdk]\ncsi-driver.user = c\ncsi-driver.password = p\n", 0o600)
	code, stdout, stderr := program.Run(t, termtest.NewFake(), "credentials", "validate", "--login", "--credentials-file", credentials)
	if code != command.ExitDifferent || !strings.Contains(stdout, "blanks in the brackets") || !strings.Contains(stdout, "has no domain") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// What is nearly right is named with what was meant, and a line that cannot be read does not stop the rest.
func TestResolveNamesWhatWasMeant(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	fake.Env["VSPHERE_CREDENTIALS_FILE"] = clitest.WriteFile(t, "credentials", "[VCENTER1.example.com]\ncsi-drivr.user = a@b\ncsi-driver.password = pw-canary\npw-canary\n"+
		"[vcenter2.exmaple.com]\nuser = a@b\npassword = x\n", 0o600)
	code, stdout, stderr := program.Run(t, fake, "credentials", "resolve", "--install-config", clitest.WriteFile(t, "c.yaml", clitest.SmallConfig, 0o600))
	if code != command.ExitDifferent || strings.Contains(stdout+stderr, "pw-canary") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	clitest.WantText(t, "stdout", stdout, "vcenter1.example.com", "csi-driver")
	clitest.WantText(t, "stderr", stderr, "csi-drivr.user is not read: the key is csi-driver.user", "line 4: neither a section", "reject the credentials file: 1 problem",
		`section [VCENTER1.example.com]`, `did you mean "vcenter1.example.com"?`)
}

func TestResolveSaysThatTheFileIsNotThere(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	fake.Env["VSPHERE_CREDENTIALS_FILE"] = t.TempDir() + "/mistyped"
	code, _, stderr := program.Run(t, fake, "credentials", "resolve", "--install-config", clitest.WriteFile(t, "c.yaml", clitest.SmallConfig, 0o600))
	if code != 0 || !strings.Contains(stderr, "/mistyped does not exist") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
