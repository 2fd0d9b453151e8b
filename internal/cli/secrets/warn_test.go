package secrets_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
)

// What is the same each time is said in full the first time, or with --explain; what this run has is always said.
func TestStandingWarningsOnce(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "credentials", emitFile, 0o600)
	dir := filepath.Join(t.TempDir(), "manifests")
	emit := func(words string) (stdout, stderr string) {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), strings.Fields("secrets emit --main-account-for diagnostics,machine-api --credentials-file "+path+" "+words)...)
		if code != 0 {
			t.Errorf("%s: exit code %d, %s", words, code, stderr)
		}
		return stdout, stderr
	}
	secrets, _ := emit("--components csi-driver")
	root := clitest.WriteFile(t, "root.yaml", clitest.SmallSpec+"secrets: {rootSecret: true}\n", 0o600)
	dump := clitest.WriteFile(t, "dump.yaml", secrets, 0o600)
	for _, c := range []struct {
		words string
		full  bool
	}{
		{"--components csi-driver", true},
		{"--components csi-driver --output-dir " + dir, true},
		{"--components csi-driver --force --output-dir " + dir, false},
		{"--components csi-driver,diagnostics --force --output-dir " + dir, true}, // one of them is new
		{"--components csi-driver --against " + dump, false},
		{"--components csi-driver --explain --against " + dump, true},
		{"--components csi-driver,diagnostics --against " + dump, true},
		{"--components csi-driver --against " + dump + " -f " + root, true},
	} {
		_, stderr := emit(c.words)
		short := strings.Contains(stderr, "warnings about these secrets are those of the first time: --explain shows them")
		if full := strings.Contains(stderr, "only the cloud-credential-operator of the enhancement reads these secrets"); full != c.full || short == c.full {
			t.Errorf("%s:\n%s", c.words, stderr)
		}
		if fallback := strings.Contains(stderr, "the main account"); fallback != (strings.Contains(c.words, "diagnostics") || strings.Contains(c.words, "root")) {
			t.Errorf("%s: what is of this run: %s", c.words, stderr)
		}
	}
}

// Secrets of some of the vCenters say which keys go from those of the cluster.
func TestNarrowedSecretsNameTheKeysThatGo(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "credentials", emitFile, 0o600)
	file := clitest.WriteFile(t, "spec.yaml", strings.ReplaceAll(clitest.SmallSpec, "vcenter2", "vcenter3")+"components: {csi-driver: {}}\n", 0o600)
	const warning = "--vcenters: 'oc apply' removes "
	for words, want := range map[string]string{
		"--components csi-driver": "",
		"--components csi-driver --vcenters vcenter1.example.com,vcenter2.example.com": "",
		"--components csi-driver --vcenters vcenter2.example.com":                      "vcenter1.example.com.username, vcenter1.example.com.password from these secrets",
		"--vcenters vcenter1.example.com -f " + file:                                   "removes vcenter3.example.com.username, vcenter3.example.com.password from", // not vcenter2, which only the file has
	} {
		_, _, stderr := program.Run(t, termtest.NewFake(), strings.Fields("secrets emit --main-account-for diagnostics,machine-api --credentials-file "+path+" "+words)...)
		if strings.Contains(stderr, warning) != (want != "") || !strings.Contains(stderr, want) {
			t.Errorf("%s:\n%s", words, stderr)
		}
	}
}
