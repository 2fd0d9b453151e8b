package cli

import "github.com/spf13/cobra"

func newCmdIdentity(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "identity",
		Short:   "Write and check the cluster identities of Cluster API",
		GroupID: groupOutput,
		Long: text(`
			A cluster identity (VSphereClusterIdentity of Cluster API's provider for vSphere) is one account that clusters in
			several namespaces share. These commands change no vCenter and no cluster: emit writes YAML for oc or kubectl, and
			check reads what they print.`),
	}
	cmd.AddCommand(newCmdIdentityEmit(f, nil), newCmdIdentityCheck(f, nil))
	return cmd
}
