package permissions_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/permissions"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

func TestPermissionsWords(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	run := func(cmd *cobra.Command, words string) error {
		return program.Parse(t, f, cmd, append([]string{cmd.Name()}, strings.Fields(words)...)...)
	}
	for words, want := range map[string]string{
		"--principal a@b --object /DC1 --inherited": "",
		"--all":                             "",
		"--all --object /DC1":               "all",
		"--inherited":                       "--object is required",
		"--principal bob":                   "bob has no domain",
		`--principal CORP\bob --object DC1`: "is not an inventory path",
	} {
		err := run(permissions.NewCmdList(f, func(*permissions.ListOptions) error { return nil }), "--vcenters a "+words)
		if want == "" && err != nil {
			t.Errorf("permissions list %s: %v", words, err)
		} else if want != "" {
			clitest.WantErr(t, err, want)
		}
	}
	for words, want := range map[string]string{
		"--principal a@b --object / --object /DC1":              "",
		"--components csi-driver --scope datastore --object /x": "",
		"--principal a@b": "--object is required",
		"--object /":      "--principal is required",
		"--principal a@b --object / --scope datastore":      "requires --component",
		"--components csi --object /":                       `did you mean "csi-driver"`,
		"--components csi-driver --scope dstore --object /": "--scope",
		"--components csi-driver --group --object /":        "requires --principal",
		"--principal a --object /":                          "has no domain",
	} {
		err := run(permissions.NewCmdCheck(f, func(*permissions.CheckOptions) error { return nil }), "--vcenters a "+words)
		if want == "" && err != nil {
			t.Errorf("permissions check %s: %v", words, err)
		} else if want != "" {
			if err == nil {
				t.Errorf("permissions check %s: no error", words)
				continue
			}
			fake := termtest.NewFake()
			fake.PrintError(command.Program, err)
			clitest.WantText(t, words, fake.Stderr.String(), want)
		}
	}
}
