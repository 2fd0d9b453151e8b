// Package spec is the commands about the provisioning file.
package spec

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// NewCmd is the command.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "spec",
		Short:   "Describe, compare and update the provisioning file",
		GroupID: command.GroupTool,
		Long: command.Text(`
			The provisioning file says which accounts, roles and permissions one cluster gets on which vCenters. 'init' writes
			one; 'plan', 'apply' and 'verify' read it with -f.`),
		Example: command.Examples(`
			ocp-vsphere-admin spec schema > provisioning.schema.json
			ocp-vsphere-admin spec diff -f provisioning.yaml --infrastructure kubeconfig:kubeconfig`),
	}
	cmd.AddCommand(newCmdSchema(f, nil), newCmdValidate(f, nil), newCmdDiff(f, nil), newCmdUpdate(f, nil))
	return cmd
}

// SchemaOptions are the flags of `spec schema`.
type SchemaOptions struct{ *command.Factory }

func newCmdSchema(f *command.Factory, runF func(*SchemaOptions) error) *cobra.Command {
	o := &SchemaOptions{f}
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the provisioning file",
		Long: command.Text(`
			Prints the JSON Schema (draft-07) of the provisioning file: every field with its type, its default, the values
			that it takes and what it means. An editor with YAML support completes and checks the file with it: save the
			schema beside the file, and make this the first line of the file:

			  # yaml-language-server: $schema=provisioning.schema.json`),
		Example: command.Examples(`
			ocp-vsphere-admin spec schema > provisioning.schema.json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, schemaRun, func(cmd *cobra.Command, _ []string) error {
			return o.CheckOutput(cmd, "a JSON Schema is JSON", term.FormatJSON)
		}),
	}
}

func schemaRun(_ context.Context, o *SchemaOptions) error {
	_, err := o.Out.Write(spec.Schema())
	return err
}
