package explain_test

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

func TestExplain(t *testing.T) {
	t.Parallel()
	for words, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"one":     {[]string{"explain", "lost-password"}, command.ExitDone, []string{"lost-password (error; plan, apply, ", "credentials import --secrets"}},
		"doctor":  {[]string{"explain", "unable-component"}, command.ExitDone, []string{"unable-component (warning; plan, apply, ", ", doctor)"}},
		"two":     {[]string{"explain", "stays", "identity-shared"}, command.ExitDone, []string{"stays (error", "identity-shared (error; identity check)"}},
		"all":     {[]string{"explain"}, command.ExitDone, []string{"secret-shadowed", "warning", "credentials validate"}},
		"misread": {[]string{"explain", "lost-pasword"}, command.ExitFailed, []string{`"lost-pasword" is no code of a finding`, `did you mean "lost-password"?`}},
		"unknown": {[]string{"explain", "xyzzy"}, command.ExitFailed, []string{"'ocp-vsphere-admin explain' lists all codes"}},
	} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), c.args...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d", words, code, c.code)
		}
		clitest.WantText(t, words, stdout+stderr, c.want...)
	}
	_, stdout, _ := program.Run(t, termtest.NewFake(), "explain", "-o", "json")
	if got := clitest.Document(t, "FindingCodes", stdout)["codes"].([]any); len(got) != len(finding.Codes()) {
		t.Errorf("%d codes, want %d", len(got), len(finding.Codes()))
	}
}
