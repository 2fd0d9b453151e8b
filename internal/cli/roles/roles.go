// Package roles is the commands that create, list, compare and remove roles.
package roles

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// NewCmd is the noun with its verbs.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "roles",
		Short:   "Create, list, compare and remove roles only",
		GroupID: command.GroupParts,
		Long: command.Text(`
			A role holds the privileges that one component needs on one kind of object; its name contains both. These commands
			plan and apply roles only, on many vCenters at once. Roles with other names are never changed.`),
	}
	cmd.AddCommand(newCmdCreate(f, nil), newCmdList(f, nil), newCmdDiff(f, nil), newCmdDelete(f, nil))
	return cmd
}

func newCmdCreate(f *command.Factory, runF func(*job.StepOptions) error) *cobra.Command {
	cmd, o := job.NewCmdStep(f, job.Step{Purpose: job.Purpose{Only: plan.Role}, What: "making these roles", After: "users create"}, &cobra.Command{
		Use:   "create",
		Short: "Create or update the roles to match the matrix",
		Long: command.Text(`
			Does only the roles part of apply. With a provisioning file or an install-config it creates exactly the roles that
			the permissions use; with --vcenters alone, those of the topology that --folder, --pool and --host-groups
			describe. Accounts are not read, so no rights in SSO are needed.`),
		Example: command.Examples(`
			ocp-vsphere-admin roles create --vcenters vcenter1.example.com,vcenter2.example.com
			ocp-vsphere-admin roles create --vcenters vcenter1.example.com --folder created --dry-run
			ocp-vsphere-admin roles create -f provisioning.yaml --components csi-driver`),
	}, runF)
	o.Topology.Register(cmd)
	job.RegisterStrict(cmd, &o.Strict)
	return cmd
}

func newCmdDelete(f *command.Factory, runF func(*job.StepOptions) error) *cobra.Command {
	cmd, _ := job.NewCmdStep(f, job.Step{Purpose: job.Purpose{Only: plan.Role, Undo: true}, What: "removing these roles"}, &cobra.Command{
		Use:   "delete",
		Short: "Remove the roles that nobody uses",
		Long: command.Text(`
			Removes roles that this tool named, if no permission uses them. Roles in use are kept, and their principals are
			listed. Remove the permissions first, with permissions revoke: a role that it gives back to an account of others is
			kept, because the record beside the credentials file names it.`),
		Example: command.Examples(`
			ocp-vsphere-admin roles delete --vcenters vcenter1.example.com --dry-run
			ocp-vsphere-admin roles delete -f provisioning.yaml --components diagnostics`),
	}, runF)
	return cmd
}
