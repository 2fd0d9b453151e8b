// Package users is the commands that create, list, disable and remove accounts.
package users

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// NewCmd is the noun with its verbs.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "users",
		Short:   "Create, list, disable and remove SSO accounts only",
		GroupID: command.GroupParts,
		Long: command.Text(`
			Manages accounts in the vCenters' own SSO domains, one per component. Accounts of other identity sources are
			managed by their owners: name them in the provisioning file (principal:), and plan --work-order writes what their
			owners must do.`),
	}
	cmd.AddCommand(newCmdCreate(f, nil), newCmdList(f, nil), newCmdDisable(f, nil),
		newCmdEnable(f, nil), newCmdDelete(f, nil))
	return cmd
}

func newCmdCreate(f *command.Factory, runF func(*job.StepOptions) error) *cobra.Command {
	cmd, _ := job.NewCmdStep(f, job.Step{Purpose: job.Purpose{Only: plan.User}, What: "making these accounts", After: "permissions grant"}, &cobra.Command{
		Use:   "create",
		Short: "Create the missing accounts",
		Long: command.Text(`
			Does only the accounts part of apply: creates one account per component in the SSO domain of each vCenter.
			Passwords follow the policy of the domain, and each is saved in the credentials file before it is sent to vCenter.
			Accounts that belong to somebody else (principal: in the provisioning file) are only checked for existence.`),
		Example: command.Examples(`
			ocp-vsphere-admin users create -f provisioning.yaml
			ocp-vsphere-admin users create --vcenters vcenter1.example.com --cluster cluster1 --dry-run`),
	}, runF)
	return cmd
}

func newCmdDelete(f *command.Factory, runF func(*job.StepOptions) error) *cobra.Command {
	cmd, _ := job.NewCmdStep(f, job.Step{Purpose: job.Purpose{Only: plan.User, Undo: true}, What: "removing these accounts"}, &cobra.Command{
		Use:   "delete",
		Short: "Remove the cluster's accounts",
		Long: command.Text(`
			Removes the accounts that this tool created for the cluster, and their entries in the credentials file. An account
			that still has permissions is kept: without it, its permissions could not be identified. Accounts that belong to
			somebody else are never removed. --secrets proves that no component of the cluster uses the accounts, --applied
			asserts it. Releases that the provisioning file (-f) records as reconciled are removed from
			it first.`),
		Example: command.Examples(`
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin users delete -f provisioning.yaml --secrets -
			ocp-vsphere-admin users delete --vcenters vcenter1.example.com --cluster cluster1 --dry-run`),
	}, runF)
	return cmd
}
