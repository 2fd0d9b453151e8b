package credentials_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

const templateHead = "# vSphere accounts for OpenShift, to be filled in: replace each ... and keep the backticks around it.\n" +
	"# Remove both lines of an account that nobody gives you.\n\n"

// The accounts of a template are those of the specification and its profile, in a section per vCenter.
func TestCredentialsTemplate(t *testing.T) {
	t.Parallel()
	adopting := clitest.SmallSpec + "components:\n  csi-driver: {principal: svc-csi@corp.example.com}\n  diagnostics: {principal: CORP\\readers, group: true}\n"
	for name, c := range map[string]struct{ spec, words, want string }{
		"two vCenters": {
			adopting, "", templateHead +
				"[vcenter1.example.com]\ncsi-driver.user = svc-csi@corp.example.com\ncsi-driver.password = `...`\ndiagnostics.user = `...`\ndiagnostics.password = `...`\n\n" +
				"[vcenter2.example.com]\ncsi-driver.user = svc-csi@corp.example.com\ncsi-driver.password = `...`\ndiagnostics.user = `...`\ndiagnostics.password = `...`\n",
		},
		"narrowed":     {adopting, "--vcenters vcenter2.example.com --components csi-driver", templateHead + "[vcenter2.example.com]\ncsi-driver.user = svc-csi@corp.example.com\ncsi-driver.password = `...`\n"},
		"the main one": {clitest.SmallSpec, "--vcenters vcenter1.example.com --profile passthrough", templateHead + "[vcenter1.example.com]\nuser = `...`\npassword = `...`\n"},
		"all":          {clitest.SmallSpec, "--vcenters vcenter1.example.com --components installer,machine-api", templateHead + "[vcenter1.example.com]\nuser = `...`\npassword = `...`\nmachine-api.user = `...`\nmachine-api.password = `...`\n"},
	} {
		words := append([]string{"credentials", "template", "-f", clitest.WriteFile(t, "spec.yaml", c.spec, 0o600)}, strings.Fields(c.words)...)
		code, stdout, stderr := program.Run(t, termtest.NewFake(), words...)
		if diff := cmp.Diff(c.want, stdout); diff != "" || code != 0 {
			t.Errorf("%s: exit code %d, %s%s", name, code, stderr, diff)
		}
	}
}

// A template is refused until it is filled in, and never takes the place of a file. Filled in, it is a credentials file.
func TestCredentialsTemplateIsFilledIn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ".vsphere", "credentials")
	words := []string{"credentials", "template", "--vcenters", "vc1.example.com", "--components", "csi-driver", "--out", path}
	code, stdout, stderr := program.Run(t, termtest.NewFake(), words...)
	info, err := os.Stat(path)
	if err != nil || code != 0 || stdout != "" || info.Mode().Perm() != 0o600 {
		t.Fatalf("exit code %d, %v, %s%s", code, err, stdout, stderr)
	}
	clitest.WantText(t, "written", stderr, "fill in 1 account of 1 vCenter", "credentials validate --credentials-file "+path+" --login --vcenters vc1.example.com --components csi-driver")
	if dir, err := os.Stat(filepath.Dir(path)); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", dir.Mode(), err)
	}
	code, _, stderr = program.Run(t, termtest.NewFake(), "credentials", "validate", "--credentials-file", path, "--components", "csi-driver")
	if code != command.ExitDifferent || !strings.Contains(stderr, "2 problems") {
		t.Errorf("validate of what is not filled in: exit code %d, %s", code, stderr)
	}
	code, stdout, stderr = program.Run(t, termtest.NewFake(), "secrets", "emit", "--credentials-file", path)
	if clitest.WantText(t, "emit", stderr, ":5: [vc1.example.com] csi-driver.user is a placeholder", ":6: [vc1.example.com] csi-driver.password"); code != command.ExitFailed || stdout != "" {
		t.Errorf("emit of what is not filled in: exit code %d, %s", code, stdout)
	}

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	filled := strings.Replace(strings.Replace(string(text), "user = `...`", "user = `csi@corp`", 1), "password = `...`", "password = `x#y ;z`", 1)
	if err := os.WriteFile(path, []byte(filled), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr = program.Run(t, termtest.NewFake(), "credentials", "validate", "--credentials-file", path, "--components", "csi-driver"); code != 0 {
		t.Errorf("validate of what is filled in: exit code %d, %s", code, stderr)
	}
	code, _, stderr = program.Run(t, termtest.NewFake(), words...)
	if clitest.WantText(t, "again", stderr, "exists: it is not overwritten"); code != command.ExitFailed || strings.Contains(stderr, "--force") {
		t.Errorf("a second template: exit code %d, %s", code, stderr)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != filled {
		t.Errorf("the file was overwritten: %v", err)
	}
}
