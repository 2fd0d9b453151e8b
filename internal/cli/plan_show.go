package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

// PlanShowOptions are the flags and the argument of `plan show`.
type PlanShowOptions struct {
	*Factory
	Show viewFlags
	Path string
}

func newCmdPlanShow(f *Factory, runF func(*PlanShowOptions) error) *cobra.Command {
	o := &PlanShowOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "show FILE|-",
		Short: "Print a saved plan, and check that it is as it was saved",
		Long: text(`
			Prints the plan that plan --out saved as plan printed it, with its digest. No vCenter is reached. The digest is
			computed from everything that the file says and decides: a file in which anything was changed since it was
			saved is refused (exit code 1). This is how to read a plan before you approve it, and to get the digest that
			you approve: the line in the file alone proves nothing.

			What plan says of passwords that are lost or expire is not part of a saved plan.`),
		Example: examples(`
			ocp-vsphere-admin plan show plan.json
			ocp-vsphere-admin plan show plan.json --full
			ocp-vsphere-admin plan show plan.json | grep '^digest: '`),
		Args: oneFile,
		RunE: action(o, runF, planShowRun, func(_ *cobra.Command, args []string) error {
			o.Path = args[0]
			return nil
		}),
	}
	o.Show.register(cmd, true)
	return cmd
}

func planShowRun(_ context.Context, o *PlanShowOptions) error {
	name, read := o.Path, func() ([]byte, error) { return files.Read(o.Path, files.Plan) }
	if o.Path == "-" {
		name, read = "stdin", func() ([]byte, error) { return files.ReadFrom(o.In, "stdin", files.Plan) }
	}
	data, err := read()
	if err != nil {
		return err
	}
	saved, err := savedplan.Parse(name, data)
	if err != nil {
		return err
	}
	p := saved.Plan
	p.Digest = saved.Digest // of which Parse has made sure
	return o.Print(o.Output, p, func(w io.Writer) error {
		return overview.Renderer(p, o.Show.options(o.Width(), o.OutColors()))(w)
	})
}
