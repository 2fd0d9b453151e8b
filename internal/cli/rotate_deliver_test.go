package cli

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// A hub has the account of the installer alone: it gets a command of its own, whoever else is rotated.
func TestHubHasACommandOfItsOwn(t *testing.T) {
	t.Parallel()
	p, _, lab := newLab(t, vcsim.Options{VCenters: 1})
	p.run(t, term.NewFake(), "apply")
	for _, c := range []struct{ words, verify string }{
		{"--components installer --in-place --dry-run", ""},
		{"--components csi-driver,installer --vcenters vcenter1.example.com --yes", " --verify"}, // also where only some are rotated
	} {
		fake := term.NewFake()
		fake.Env["OCP_VSPHERE_ADMIN_CONFIG"], fake.Env["VSPHERE_CREDENTIALS_FILE"] = p.config, p.credentials
		_, _, stderr := program.Run(t, fake, append(strings.Fields("rotate -f "+lab.Spec), strings.Fields(c.words)...)...)
		clitest.WantText(t, c.words, stderr, "if Hive removes this cluster, run this on its hub: oc get secrets -A -o yaml | "+
			command.Program+" secrets emit --renew --against - -f "+lab.Spec+" --components installer"+c.verify+" | oc apply -f -\n")
	}
}

// Who else may have the accounts is said before the question, and not again after it.
func TestElsewhereIsSaidOnce(t *testing.T) {
	t.Parallel()
	p, _, lab := newLab(t, vcsim.Options{VCenters: 1})
	p.run(t, term.NewFake(), "apply")
	fake := term.NewFake().WithTerminal(100, 40).WithAnswers("y")
	fake.Env["OCP_VSPHERE_ADMIN_CONFIG"], fake.Env["VSPHERE_CREDENTIALS_FILE"] = p.config, p.credentials
	code, _, stderr := program.Run(t, fake, "rotate", "--in-place", "-f", lab.Spec)
	if code != command.ExitDone || strings.Count(stderr, "if Hive removes this cluster") != 1 || strings.Count(stderr, "secrets emit --renew") != 3 {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
