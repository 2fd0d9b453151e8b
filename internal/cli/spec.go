package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func newCmdSpec(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "spec",
		Short:   "Describe the provisioning file",
		GroupID: groupTool,
		Long: text(`
			The provisioning file says which accounts, roles and permissions one cluster gets on which vCenters. 'init' writes
			one; 'plan', 'apply' and 'verify' read it with -f.`),
		Example: examples(`
			ocp-vsphere-admin spec schema > provisioning.schema.json`),
	}
	cmd.AddCommand(newCmdSpecSchema(f, nil))
	return cmd
}

// SpecSchemaOptions are the flags of `spec schema`.
type SpecSchemaOptions struct{ *Factory }

func newCmdSpecSchema(f *Factory, runF func(*SpecSchemaOptions) error) *cobra.Command {
	o := &SpecSchemaOptions{f}
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the provisioning file",
		Long: text(`
			Prints the JSON Schema (draft-07) of the provisioning file: every field with its type, its default, the values
			that it takes and what it means. An editor with YAML support completes and checks the file with it: save the
			schema beside the file, and make this the first line of the file:

			  # yaml-language-server: $schema=provisioning.schema.json`),
		Example: examples(`
			ocp-vsphere-admin spec schema > provisioning.schema.json`),
		Args: noWords,
		RunE: action(o, runF, specSchemaRun, func(cmd *cobra.Command, _ []string) error {
			return o.checkOutput(cmd, "a JSON Schema is JSON", term.FormatJSON)
		}),
	}
}

func specSchemaRun(_ context.Context, o *SpecSchemaOptions) error {
	_, err := o.Out.Write(spec.Schema())
	return err
}
