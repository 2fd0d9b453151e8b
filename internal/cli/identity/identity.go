// Package identity is the commands that write and check the cluster identities of Cluster API.
package identity

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// NewCmd is the command.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "identity",
		Short:   "Write and check the cluster identities of Cluster API",
		GroupID: command.GroupOutput,
		Long: command.Text(`
			A cluster identity (VSphereClusterIdentity of Cluster API's provider for vSphere) is one account that clusters in
			several namespaces share. These commands change no vCenter and no cluster: emit writes YAML for oc or kubectl, and
			check reads what they print.`),
	}
	cmd.AddCommand(newCmdEmit(f, nil), newCmdCheck(f, nil))
	return cmd
}
