// Package cli is the command line of the laboratory: simulated vCenters, and what holds them against real ones.
package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/frame"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/demo"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/explain"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/export"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/serve"
)

// Run executes the words of a command line, as that of ocp-vsphere-admin does, and returns the exit code.
func Run(ctx context.Context, streams *term.Streams, args []string) int {
	return frame.Run(ctx, streams, args, NewCmdRoot)
}

// NewCmdRoot assembles all commands.
func NewCmdRoot(f *command.Factory) *cobra.Command {
	return frame.New(f, frame.Program{
		Root: &cobra.Command{
			Use:   "vcenter-lab",
			Short: "Simulated vCenters that refuse what a vCenter refuses",
			Long: command.Text(`
				Serves simulated vCenters with the roles, permissions, accounts and errors of real ones, for tests of
				anything that logs in to a vCenter: least-privilege accounts, lockouts, faults, expired sessions. Each rule of the
				simulation names its evidence, and can be checked against your own vCenters.

				The commands that read real vCenters take the variables and the settings file of ocp-vsphere-admin.`),
			Example: command.Examples(`
				# two vCenters, until Ctrl-C
				vcenter-lab serve --vcenters 2

				# see ocp-vsphere-admin at work on them
				vcenter-lab demo`),
		},
		Groups: []*cobra.Group{{ID: group, Title: "Commands:"}},
		Commands: grouped(
			serve.NewCmd(f, nil),
			demo.NewCmd(f, nil),
			export.NewCmd(f, nil),
			contract.NewCmd(f, nil),
			explain.NewCmd(f, nil),
		),
	})
}

const group = "lab"

func grouped(commands ...*cobra.Command) []*cobra.Command {
	for _, cmd := range commands {
		cmd.GroupID = group
	}
	return commands
}
