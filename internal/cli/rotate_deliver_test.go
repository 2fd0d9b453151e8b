package cli

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// Who else may have the accounts is said before the question, and not again after it.
func TestElsewhereIsSaidOnce(t *testing.T) {
	t.Parallel()
	p, _, lab := newLab(t, vcsim.Options{VCenters: 1})
	p.run(t, term.NewFake(), "apply")
	fake := term.NewFake().WithTerminal(100, 40).WithAnswers("y")
	fake.Env["OCP_VSPHERE_ADMIN_CONFIG"], fake.Env["VSPHERE_CREDENTIALS_FILE"] = p.config, p.credentials
	code, _, stderr := runWords(t, fake, "rotate", "--in-place", "-f", lab.spec)
	if code != ExitDone || strings.Count(stderr, "if Hive removes this cluster") != 1 || strings.Count(stderr, "secrets emit --renew") != 2 {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
