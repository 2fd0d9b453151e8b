package cli

import "github.com/spf13/cobra"

func newCmdSecrets(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "secrets",
		Short:   "Write the secrets that the operators read, and explain those that are there",
		GroupID: groupOutput,
	}
	cmd.AddCommand(newCmdSecretsEmit(f, nil), newCmdSecretsExplain(f, nil))
	return cmd
}
