package job

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ViewFlags say how a plan is shown.
type ViewFlags struct {
	Full       bool // --full
	Privileges bool // --privileges
}

// Register adds them. Plans of accounts alone have no roles.
func (v *ViewFlags) Register(cmd *cobra.Command, roles bool) {
	cmd.Flags().BoolVar(&v.Full, "full", false, "show one line per change instead of the map")
	if roles {
		cmd.Flags().BoolVar(&v.Privileges, "privileges", false, "show the privileges of each role")
		cmd.MarkFlagsMutuallyExclusive("full", "privileges")
	}
}

// Options are how a plan is shown on lines of this width in these colours.
func (v *ViewFlags) Options(width int, colors term.Palette) overview.Options {
	return overview.Options{Width: width, Paint: colors.Sign, Full: v.Full, Privileges: v.Privileges}
}

// RegisterView adds the flags that say how the plan is shown.
func (o *Options) RegisterView(cmd *cobra.Command) { o.Show.Register(cmd, o.Only != plan.User) }

func (o *Options) view(colors term.Palette) overview.Options {
	return o.Show.Options(o.Width(), colors)
}
