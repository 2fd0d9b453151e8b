package rotate_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

// applied runs the program on a lab whose accounts are made, by its provisioning file.
func applied(t *testing.T) (run func(fake *termtest.Fake, words ...string) (code int, stdout, stderr string), spec string) {
	t.Helper()
	lab, err := vcsim.Start(vcsim.Options{VCenters: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	dir := t.TempDir()
	files, err := kit.Write(lab, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	run = func(fake *termtest.Fake, words ...string) (code int, stdout, stderr string) {
		fake.Env["OCP_VSPHERE_ADMIN_CONFIG"], fake.Env["VSPHERE_CREDENTIALS_FILE"] = files.Settings, filepath.Join(dir, "credentials")
		return program.Run(t, fake, words...)
	}
	if code, _, stderr := run(termtest.NewFake(), "apply", "-f", files.Spec, "--yes"); code != command.ExitDone {
		t.Fatal(stderr)
	}
	return run, files.Spec
}

// A hub has the account of the installer alone: it gets a command of its own, whoever else is rotated.
func TestHubHasACommandOfItsOwn(t *testing.T) {
	t.Parallel()
	run, spec := applied(t)
	for _, words := range []string{
		"--components installer --in-place --dry-run",
		"--components csi-driver,installer --vcenters vcenter1.example.com --yes", // also where only some are rotated
	} {
		_, _, stderr := run(termtest.NewFake(), append(strings.Fields("rotate -f "+spec), strings.Fields(words)...)...)
		clitest.WantText(t, words, stderr, "if Hive removes this cluster, run this on its hub: oc get secrets,infrastructures -A -o yaml | "+
			command.Program+" secrets renew --against - -f "+spec+" --components installer --verify | oc apply -f -\n")
	}
}

// Who else may have the accounts is said before the question, and not again after it.
func TestElsewhereIsSaidOnce(t *testing.T) {
	t.Parallel()
	run, spec := applied(t)
	code, _, stderr := run(termtest.NewFake().WithTerminal(100, 40).WithAnswers("y"), "rotate", "--in-place", "-f", spec)
	if code != command.ExitDone || strings.Count(stderr, "if Hive removes this cluster") != 1 || strings.Count(stderr, "secrets renew") != 3 {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
