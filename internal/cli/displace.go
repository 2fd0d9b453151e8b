package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// registerDisplace adds the confirmation of what changes others' permissions. It decides nothing about a plan, so a saved one
// does not hold it, and no settings file gives it: it is about one plan that somebody has read.
func (o *JobOptions) registerDisplace(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Displace, "displace", false, "confirm the changes that alter what others gave; without a terminal nothing else does")
	markCommandLineOnly(cmd, "displace")
}

// agreeDisplacing asks for the changes that alter what others gave, apart from all the others: --yes does not confirm them.
func (o *JobOptions) agreeDisplacing(p *plan.Plan) error {
	what := p.Alters()
	if what == "" || o.Displace {
		return nil
	}
	if o.Yes {
		return hint.Errorf("read them in the plan; --displace confirms them", "%s, which --yes does not confirm: nothing was done", what)
	}
	if o.progress != nil {
		o.progress.Pause()
	}
	ok, err := o.Confirm(o.ctx, what+": these too?")
	switch {
	case errors.Is(err, term.ErrNoInput):
		return hint.Errorf("read them in the plan; --displace confirms them", "%s, and %w: nothing was done", what, err)
	case err != nil:
		return err
	case !ok:
		return refused("changing what others gave")
	}
	return nil
}
