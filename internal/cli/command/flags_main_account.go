package command

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// MainAccountForFlag names the components that get the main account on vCenters where they have none of their own.
const MainAccountForFlag = "main-account-for"

// RegisterMainAccountFor adds --main-account-for to cmd. It is handed on to the next command, and typed: no file of settings chooses.
func RegisterMainAccountFor(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringSliceVar(to, MainAccountForFlag, nil, "components that get the main account in place of a missing one")
	MarkSettings(cmd, MainAccountForFlag)
	MarkCommandLineOnly(cmd, MainAccountForFlag)
	CompleteValues(cmd, MainAccountForFlag, component.Words(component.Names()))
}
