package users_test

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/users"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

// The flags of users list.
func TestUsersListWords(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	cmd := users.NewCmdList(f, func(o *users.ListOptions) error {
		if o.Only != plan.User || !o.ReadOnly || o.Cluster != "c1" {
			t.Errorf("users list: %+v", o)
		}
		return nil
	})
	err := program.Parse(t, f, cmd, "list", "--vcenters", "a", "--cluster", "c1")
	if err != nil {
		t.Error(err)
	}
}
