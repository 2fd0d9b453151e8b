// Package credentials is the noun credentials: it reads, checks and fills the credentials file.
package credentials

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// NewCmd is the noun with its verbs.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "credentials",
		Short:   "Read, check and fill the credentials file",
		GroupID: command.GroupOutput,
		Long: command.Text(`
			The credentials file is an INI file with a section per vCenter, and in it a user and a password per component. Its
			path is
			$` + credfile.Variable + ` or ~/.vsphere/credentials, as for openshift-install. A provisioning file can name
			another path (credentialsFile), which the variable overrides; openshift-install does not read that path unless you
			set the
			variable.`),
	}
	cmd.AddCommand(
		newCmdShow(f, nil),
		newCmdValidate(f, nil),
		newCmdImport(f, nil),
		newCmdRename(f, nil),
		newCmdExport(f, nil),
		newCmdResolve(f, nil),
		newCmdTemplate(f, nil),
	)
	return cmd
}
