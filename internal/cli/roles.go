package cli

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

func newCmdRoles(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "roles",
		Short:   "The roles alone: make, list, compare, remove",
		GroupID: groupParts,
		Long: text(`
			A role holds what one component needs on one kind of object, and has both in its name. Each command is plan and
			apply for roles alone, on many vCenters at once; roles of other names are never touched.`),
	}
	cmd.AddCommand(newCmdRolesCreate(f, nil), newCmdRolesList(f, nil), newCmdRolesDiff(f, nil), newCmdRolesDelete(f, nil))
	return cmd
}

func newCmdRolesCreate(f *Factory, runF func(*PartOptions) error) *cobra.Command {
	cmd, o := newCmdPart(f, part{duty: duty{only: plan.Role}, what: "making these roles", after: "users create"}, &cobra.Command{
		Use:   "create",
		Short: "Make the roles what the matrix says",
		Long: text(`
			What apply does to the roles, and nothing else. With a provisioning file or an install-config they are exactly
			the roles that its permissions will use; with --vcenters alone they are those of the topology that --folder,
			--pool and --host-groups describe. Accounts are not looked at, so rights in SSO are not needed.`),
		Example: examples(`
			ocp-vsphere-admin roles create --vcenters vcenter1.example.com,vcenter2.example.com
			ocp-vsphere-admin roles create --vcenters vcenter1.example.com --folder created --dry-run
			ocp-vsphere-admin roles create -f provisioning.yaml --components csi-driver`),
	}, runF)
	o.Topology.Register(cmd)
	registerStrict(cmd, &o.Strict)
	return cmd
}

func newCmdRolesDelete(f *Factory, runF func(*PartOptions) error) *cobra.Command {
	cmd, _ := newCmdPart(f, part{duty: duty{only: plan.Role, undo: true}, what: "removing these roles"}, &cobra.Command{
		Use:   "delete",
		Short: "Remove the roles that nobody uses",
		Long: text(`
			Removes the roles with the names that this tool gives, as far as no permission uses them: the others stay, and
			those who hold them are named. Permissions go first, with permissions revoke.`),
		Example: examples(`
			ocp-vsphere-admin roles delete --vcenters vcenter1.example.com --dry-run
			ocp-vsphere-admin roles delete -f provisioning.yaml --components diagnostics`),
	}, runF)
	return cmd
}
