package cli

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// viewFlags say how a plan is shown.
type viewFlags struct {
	Full       bool // --full
	Privileges bool // --privileges
}

// registerView adds them. Plans of accounts alone have no roles.
func (o *JobOptions) registerView(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Show.Full, "full", false, "show one line per change instead of the map")
	if o.only != plan.User {
		cmd.Flags().BoolVar(&o.Show.Privileges, "privileges", false, "show the privileges of each role")
		cmd.MarkFlagsMutuallyExclusive("full", "privileges")
	}
}

// view is how a plan is shown on a stream with these colours.
func (o *JobOptions) view(colors term.Palette) overview.Options {
	return overview.Options{Width: o.Width(), Paint: colors.Sign, Full: o.Show.Full, Privileges: o.Show.Privileges}
}
