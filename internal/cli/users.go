package cli

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

func newCmdUsers(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "users",
		Short:   "The SSO accounts alone: make, list, remove",
		GroupID: groupParts,
		Long: text(`
			Accounts in the vCenters' own SSO domains, one for each component. Those of other identity sources are their
			owners': a provisioning file names them (principal:), and plan --work-order writes what their owners must do.`),
	}
	cmd.AddCommand(newCmdUsersCreate(f, nil), newCmdUsersList(f, nil), newCmdUsersDelete(f, nil))
	return cmd
}

func newCmdUsersCreate(f *Factory, runF func(*PartOptions) error) *cobra.Command {
	cmd, _ := newCmdPart(f, part{duty: duty{only: plan.User}, what: "making these accounts", after: "permissions grant"}, &cobra.Command{
		Use:   "create",
		Short: "Make the accounts that are missing",
		Long: text(`
			What apply does to the accounts, and nothing else: one for each component in the SSO domain of each vCenter.
			Their passwords follow the policy of the domain and stand in the credentials file before the vCenter hears of
			them. Accounts that belong to somebody else (principal in the provisioning file) are only looked for.`),
		Example: examples(`
			ocp-vsphere-admin users create -f provisioning.yaml
			ocp-vsphere-admin users create --vcenters vcenter1.example.com --cluster cluster1 --dry-run`),
	}, runF)
	return cmd
}

func newCmdUsersDelete(f *Factory, runF func(*PartOptions) error) *cobra.Command {
	cmd, _ := newCmdPart(f, part{duty: duty{only: plan.User, undo: true}, what: "removing these accounts"}, &cobra.Command{
		Use:   "delete",
		Short: "Remove the cluster's accounts",
		Long: text(`
			Removes the accounts that this tool made for the cluster, and their entries of the credentials file. An account
			that still has permissions stays: a permission without its account could not be told from anybody's. Accounts
			that belong to somebody else are never removed.`),
		Example: examples(`
			ocp-vsphere-admin users delete -f provisioning.yaml
			ocp-vsphere-admin users delete --vcenters vcenter1.example.com --cluster cluster1 --dry-run`),
	}, runF)
	return cmd
}
