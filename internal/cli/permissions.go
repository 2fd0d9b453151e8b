package cli

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

func newCmdPermissions(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "permissions",
		Short:   "The permissions alone: grant, list, explain, revoke",
		GroupID: groupParts,
		Long: text(`
			A permission gives one account or group one role on one object, and below it where it propagates. Each command is
			plan and apply for permissions alone; those of others are listed and explained, and never changed.`),
	}
	cmd.AddCommand(newCmdPermissionsGrant(f, nil), newCmdPermissionsList(f, nil), newCmdPermissionsCheck(f, nil), newCmdPermissionsRevoke(f, nil))
	return cmd
}

func newCmdPermissionsGrant(f *Factory, runF func(*PartOptions) error) *cobra.Command {
	cmd, o := newCmdPart(f, part{duty: duty{only: plan.Permission}, what: "granting this", after: "verify"}, &cobra.Command{
		Use:   "grant",
		Short: "Give the accounts their roles on the objects of the failure domains",
		Long: text(`
			What apply does to the permissions, and nothing else. Roles and accounts have to be there: roles create and
			users create make them. Without rights in SSO the accounts are taken for granted, and the vCenter refuses those
			that do not exist.`),
		Example: examples(`
			ocp-vsphere-admin permissions grant -f provisioning.yaml --dry-run
			ocp-vsphere-admin permissions grant --install-config install-config.yaml --create-folders`),
	}, runF)
	registerCreateFolders(cmd, &o.CreateFolders)
	return cmd
}

func newCmdPermissionsRevoke(f *Factory, runF func(*PartOptions) error) *cobra.Command {
	cmd, _ := newCmdPart(f, part{duty: duty{only: plan.Permission, undo: true}, what: "revoking this", after: "users delete"}, &cobra.Command{
		Use:   "revoke",
		Short: "Take the permissions of the cluster's accounts away",
		Long: text(`
			Removes every permission of the cluster's accounts, wherever it stands, and of accounts that belong to somebody
			else those that this tool gave. Accounts and roles stay.`),
		Example: examples(`
			ocp-vsphere-admin permissions revoke -f provisioning.yaml --dry-run
			ocp-vsphere-admin permissions revoke --vcenters vcenter1.example.com --cluster cluster1`),
	}, runF)
	return cmd
}
