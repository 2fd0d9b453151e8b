package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// PrivilegesSchemaOptions are the flags of `privileges schema`.
type PrivilegesSchemaOptions struct{ *Factory }

func newCmdPrivilegesSchema(f *Factory, runF func(*PrivilegesSchemaOptions) error) *cobra.Command {
	o := &PrivilegesSchemaOptions{f}
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a matrix file",
		Long: text(`
			Prints the JSON Schema (draft-07) of a privilege matrix of your own. An editor with YAML support completes and
			checks the file with it: save the schema beside the file, and make this the first line of the file:

			  # yaml-language-server: $schema=matrix.schema.json

			'privileges export --format matrix' writes a matrix to begin with, 'privileges lint FILE' checks its ids.`),
		Example: examples(`
			ocp-vsphere-admin privileges schema > matrix.schema.json`),
		Args: noWords,
		RunE: action(o, runF, privilegesSchemaRun, func(cmd *cobra.Command, _ []string) error {
			return o.checkOutput(cmd, "a JSON Schema is JSON", term.FormatJSON)
		}),
	}
}

func privilegesSchemaRun(_ context.Context, o *PrivilegesSchemaOptions) error {
	_, err := o.Out.Write(privileges.Schema())
	return err
}
