package cli_test

import (
	"flag"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/reference"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
)

var update = flag.Bool("update", false, "write docs/lab/reference and man from the commands")

// program is what the tests run.
var program = clitest.Program{Name: "vcenter-lab", Main: cli.Run, NewRoot: cli.NewCmdRoot}

func referenced() reference.Program {
	return reference.Program{NewRoot: cli.NewCmdRoot, Pages: "../../docs/lab/reference", Man: "../../man"}
}

// TestLabReference fails when a command, a flag or a help text is not what docs/lab/reference and man say.
func TestLabReference(t *testing.T) {
	t.Parallel()
	referenced().Check(t, *update)
}

func TestLabReferenceNamesEveryCommandOnce(t *testing.T) {
	t.Parallel()
	referenced().NamesEveryCommandOnce(t)
}

// The settings file of ocp-vsphere-admin serves the laboratory, with settings that only that program has, and may be missing.
func TestLabTakesTheSettingsOfTheTool(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_CONFIG"] = clitest.WriteFile(t, "config.yaml", "credentials-file: x\nproxy: {a: b}\noutput: json\n", 0o600)
	if _, stdout, stderr := program.Run(t, fake, "explain", "R3"); stderr != "" {
		t.Error(stderr)
	} else {
		clitest.Document(t, "SimulationRules", stdout)
	}
	fake = termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_CONFIG"] = "no-such-file"
	if code, _, stderr := program.Run(t, fake, "explain", "R3"); code != command.ExitDone {
		t.Error(stderr)
	}
}
