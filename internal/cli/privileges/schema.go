package privileges

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func newCmdSchema(f *command.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a matrix file",
		Long: command.Text(`
			Prints the JSON Schema (draft-07) of a privilege matrix of your own. An editor with YAML support completes and
			checks the file with it: save the schema beside the file, and make this the first line of the file:

			  # yaml-language-server: $schema=matrix.schema.json

			'privileges export --format matrix' writes a matrix to begin with, 'privileges lint FILE' checks its ids.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges schema > matrix.schema.json`),
		Args: command.NoWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.CheckOutput(cmd, "a JSON Schema is JSON", term.FormatJSON); err != nil {
				return err
			}
			_, err := f.Out.Write(privileges.Schema())
			return err
		},
	}
}
