package cli

import "github.com/spf13/cobra"

func newCmdSecrets(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "secrets",
		Short:   "Write, compare and explain the secrets that the operators read",
		GroupID: groupOutput,
		Long: text(`
			These commands change no vCenter and no cluster: emit writes YAML for oc or kubectl, diff compares it with what
			they print, and explain reads what they print.`),
	}
	cmd.AddCommand(newCmdSecretsEmit(f, nil), newCmdSecretsDiff(f, nil), newCmdSecretsExplain(f, nil))
	return cmd
}
