package installconfig

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// ValidateOptions are the words of `install-config validate`.
type ValidateOptions struct {
	*command.Factory
	Config string // - for stdin
}

func newCmdValidate(f *command.Factory, runF func(*ValidateOptions) error) *cobra.Command {
	o := &ValidateOptions{Factory: f}
	return &cobra.Command{
		Use:   "validate FILE|-",
		Short: "Check the vSphere part of an install-config without a vCenter",
		Long: command.Text(`
			Reads vCenters, failure domains and accounts as 'plan' does, and names with its line what is wrong, and what
			openshift-install refuses of them. No vCenter is asked: 'plan' finds what it does not have. Exit code 2 if there are
			errors, 1 if the file cannot be read.`),
		Example: command.Examples(`
			ocp-vsphere-admin install-config validate install-config.yaml`),
		Args: command.OneFile,
		RunE: command.Action(o, runF, validateRun, func(_ *cobra.Command, args []string) error {
			o.Config = args[0]
			return nil
		}),
	}
}

func validateRun(_ context.Context, o *ValidateOptions) error {
	if err := command.CheckKind(o.Config, "install-config"); err != nil {
		return err
	}
	name, data, err := o.ReadText(o.Config)
	if err != nil {
		return err
	}
	s, err := spec.ParseInstallConfig(name, data)
	if err != nil {
		return command.Found(o.Config, err)
	}
	config, err := installconfig.Parse(name, data)
	if err == nil {
		if err = config.Validate(); err != nil && config.CheckTopology() == nil {
			err = hint.Wrap(err, "accounts that are missing are written by 'create-all', or by 'install-config render' after 'apply'")
		}
	}
	if err != nil {
		return command.Found(o.Config, err)
	}
	return o.PrintValid("InstallConfigValidation", name, s)
}
