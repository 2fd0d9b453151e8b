// Package permissions is the commands that grant, list, explain and revoke permissions.
package permissions

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// NewCmd is the noun with its verbs.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "permissions",
		Short:   "Grant, list, explain and revoke permissions only",
		GroupID: command.GroupParts,
		Long: command.Text(`
			A permission gives a user or group one role on one object and, if it propagates, on the objects below. These
			commands plan and apply permissions only. They list and explain the permissions of others, and change them only
			after a second confirmation (--displace).`),
	}
	cmd.AddCommand(newCmdGrant(f, nil), newCmdList(f, nil), newCmdCheck(f, nil), newCmdRevoke(f, nil))
	return cmd
}

func newCmdGrant(f *command.Factory, runF func(*job.StepOptions) error) *cobra.Command {
	cmd, o := job.NewCmdStep(f, job.Step{Purpose: job.Purpose{Only: plan.Permission}, What: "granting these permissions", After: "verify"}, &cobra.Command{
		Use:   "grant",
		Short: "Give the accounts their roles on the cluster's objects",
		Long: command.Text(`
			Does only the permissions part of apply. Roles and accounts must exist: create them with roles create and users create.
			If the administrator cannot read SSO, the accounts are assumed to exist, and vCenter refuses those that do not.`),
		Example: command.Examples(`
			ocp-vsphere-admin permissions grant -f provisioning.yaml --dry-run
			ocp-vsphere-admin permissions grant --install-config install-config.yaml --create-folders`),
	}, runF)
	job.RegisterCreateFolders(cmd, &o.CreateFolders)
	return cmd
}

func newCmdRevoke(f *command.Factory, runF func(*job.StepOptions) error) *cobra.Command {
	cmd, _ := job.NewCmdStep(f, job.Step{Purpose: job.Purpose{Only: plan.Permission, Undo: true}, What: "revoking these permissions", After: "users delete"}, &cobra.Command{
		Use:   "revoke",
		Short: "Revoke the permissions of the cluster's accounts",
		Long: command.Text(`
			Removes every permission of the cluster's accounts, on any object. Of accounts that belong to somebody else, it
			removes only the permissions that this tool gave. Accounts and roles are kept. --secrets proves that no component
			of the cluster uses the accounts, --applied asserts it. Releases that the provisioning file
			(-f) records as reconciled are removed from it first.`),
		Example: command.Examples(`
			ocp-vsphere-admin permissions revoke -f provisioning.yaml --dry-run
			ocp-vsphere-admin permissions revoke --vcenters vcenter1.example.com --cluster cluster1`),
	}, runF)
	return cmd
}
