package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

func TestSpecSchema(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{{}, {"-o", "json"}} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), append([]string{"spec", "schema"}, words...)...)
		if diff := cmp.Diff(string(spec.Schema()), stdout); diff != "" || code != command.ExitDone || stderr != "" {
			t.Errorf("%v: exit code %d\n%s\n%s", words, code, stderr, diff)
		}
	}
	code, stdout, stderr := program.Run(t, termtest.NewFake(), "spec", "schema", "-o", "yaml")
	if code != command.ExitFailed || !strings.Contains(stdout, "kind: Failure") || !strings.Contains(stderr, "--output: a JSON Schema is JSON") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
}
