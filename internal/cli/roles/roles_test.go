package roles_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

func TestRolesWords(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	lists := func(check func(*roles.ListOptions)) *cobra.Command {
		return roles.NewCmdList(f, func(o *roles.ListOptions) error { check(o); return nil })
	}
	run := func(cmd *cobra.Command, words string) error {
		return program.Parse(t, f, cmd, append([]string{cmd.Name()}, strings.Fields(words)...)...)
	}
	err := run(lists(func(o *roles.ListOptions) {
		if !o.All || !o.Privileges || o.Only != plan.Role || !o.ReadOnly || o.Topology.Folder != command.TopologyCreated {
			t.Errorf("roles list: %+v", o)
		}
	}), "--vcenters a --all --privileges --folder created")
	if err != nil {
		t.Error(err)
	}
	if err := run(roles.NewCmdList(f, nil), "--vcenters a b"); err == nil {
		t.Error("roles list takes a word")
	}
	if err := run(roles.NewCmdDiff(f, func(o *roles.DiffOptions) error { return nil }), "--vcenters a --all"); err != nil {
		t.Error(err)
	}
}
