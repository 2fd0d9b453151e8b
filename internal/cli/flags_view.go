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

// register adds them. Plans of accounts alone have no roles.
func (v *viewFlags) register(cmd *cobra.Command, roles bool) {
	cmd.Flags().BoolVar(&v.Full, "full", false, "show one line per change instead of the map")
	if roles {
		cmd.Flags().BoolVar(&v.Privileges, "privileges", false, "show the privileges of each role")
		cmd.MarkFlagsMutuallyExclusive("full", "privileges")
	}
}

// options are how a plan is shown on lines of this width in these colours.
func (v *viewFlags) options(width int, colors term.Palette) overview.Options {
	return overview.Options{Width: width, Paint: colors.Sign, Full: v.Full, Privileges: v.Privileges}
}

func (o *JobOptions) registerView(cmd *cobra.Command) { o.Show.register(cmd, o.only != plan.User) }

func (o *JobOptions) view(colors term.Palette) overview.Options {
	return o.Show.options(o.Width(), colors)
}
