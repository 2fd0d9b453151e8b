package secrets_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
)

// Passwords reach a terminal only after an answer, or --yes; pipes get them as before, and -q leaves
// out what is only talk.
func TestEmitAsksBeforeItPrintsOnATerminal(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, "credentials", "[vc1.example.com]\nuser = main@vsphere.local\npassword = Pass-1word\n", 0o600)
	words := []string{"secrets", "emit", "--credentials-file", file, "--components", "installer", "--profile", "passthrough"}
	for name, c := range map[string]struct {
		fake    *termtest.Fake
		more    []string
		code    int
		printed bool
		says    string
	}{
		"nobody to ask": {termtest.NewFake().WithTerminal(100, 40), nil, 1, false, "redirect the output, write it with --output-dir DIR, or confirm"},
		"no":            {termtest.NewFake().WithTerminal(100, 40).WithAnswers("n"), nil, 1, false, "was not confirmed"},
		"yes":           {termtest.NewFake().WithTerminal(100, 40).WithAnswers("y"), nil, 0, true, ""},
		"--yes":         {termtest.NewFake().WithTerminal(100, 40), []string{"--yes"}, 0, true, "nobody logged in"},
		"-q":            {termtest.NewFake().WithTerminal(100, 40), []string{"-yq"}, 0, true, ""},
		"a pipe":        {termtest.NewFake(), nil, 0, true, ""},
	} {
		code, stdout, stderr := program.Run(t, c.fake, append(words, c.more...)...)
		if code != c.code || strings.Contains(stdout, "kind: Secret") != c.printed || !strings.Contains(stderr, c.says) || name == "-q" && strings.Contains(stderr, "nobody logged in") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
		}
	}
}
