package spec

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// ValidateOptions are the flags of `spec validate`.
type ValidateOptions struct {
	*command.Factory
	File string // --file
}

func newCmdValidate(f *command.Factory, runF func(*ValidateOptions) error) *cobra.Command {
	o := &ValidateOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check a provisioning file without a vCenter",
		Long: command.Text(`
			Reads the provisioning file, its state file and its matrix as 'plan' does, and names each error with its line. No
			vCenter is asked: 'plan' finds what it does not have. 'spec diff' compares with a running cluster. Exit code 2 if
			there are errors, 1 if the file cannot be read.`),
		Example: command.Examples(`
			ocp-vsphere-admin spec validate -f provisioning.yaml`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, validateRun),
	}
	command.RegisterFile(cmd, &o.File, "provisioning file")
	return cmd
}

func validateRun(_ context.Context, o *ValidateOptions) error {
	if o.File == "" {
		return hint.Errorf("add -f FILE", "-f is required: the provisioning file")
	}
	if err := command.CheckKind(o.File, "file"); err != nil {
		return err
	}
	s, err := spec.Load(o.File)
	if err == nil {
		_, err = privileges.Load(s.Privileges.Matrix)
	}
	if err != nil {
		return command.Found(o.File, err)
	}
	if s.OfCluster() {
		var errs []error
		for _, v := range s.VCenters {
			errs = append(errs, openshift.CheckServer(v.Server))
		}
		if err := errors.Join(errs...); err != nil {
			return command.Found(o.File, err)
		}
	}
	return o.PrintValid("SpecValidation", o.File, s)
}
