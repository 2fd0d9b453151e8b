package cli

import "github.com/spf13/cobra"

func newCmdSecrets(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "secrets",
		Short:   "Write the secrets that the operators read, and explain those that are there",
		GroupID: groupOutput,
		Long: text(`
			Between the credentials file and the cluster. No vCenter and no cluster is changed: emit writes YAML for oc or
			kubectl, and explain reads what they print.`),
	}
	cmd.AddCommand(newCmdSecretsEmit(f, nil), newCmdSecretsExplain(f, nil))
	return cmd
}
