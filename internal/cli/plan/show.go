package plan

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// ShowOptions are the flags and the argument of `plan show`.
type ShowOptions struct {
	*command.Factory
	Show job.ViewFlags
	Path string
	Part savedplan.Part // --print; "" = the plan
}

func newCmdShow(f *command.Factory, runF func(*ShowOptions) error) *cobra.Command {
	o := &ShowOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "show FILE|-",
		Short: "Print a saved plan, and check that it is unchanged",
		Long: command.Text(`
			Prints the plan that plan --out saved as plan printed it, with its digest. No vCenter is reached. The digest is
			computed from everything that the file says and decides: a file in which anything was changed since it was
			saved is refused (exit code 1). This is how to read a plan before you approve it, and to get the digest that
			you approve: the line in the file alone proves nothing.

			--full adds why each privilege is needed, and how to take the plan back. What plan says of passwords that are
			lost or expire is not part of a saved plan.`),
		Example: command.Examples(`
			ocp-vsphere-admin plan show plan.json
			ocp-vsphere-admin plan show plan.json --full
			ocp-vsphere-admin plan show plan.json | grep '^digest: '`),
		Args: command.OneFile,
		RunE: command.Action(o, runF, showRun, func(_ *cobra.Command, args []string) error {
			o.Path = args[0]
			return nil
		}),
	}
	o.Show.Register(cmd, true)
	command.RegisterChoice(cmd, &o.Part, "print", "print what it was made from, in place of the plan",
		[]savedplan.Part{savedplan.PartSpec, savedplan.PartMatrix})
	return cmd
}

func showRun(_ context.Context, o *ShowOptions) error {
	name, read := o.Path, func() ([]byte, error) {
		return o.Interruptible(func() ([]byte, error) { return files.UTF8(files.Read(o.Path, files.Plan)) })
	}
	if o.Path == "-" {
		name, read = "stdin", func() ([]byte, error) { return files.UTF8(files.ReadFrom(o.In, "stdin", files.Plan)) }
	}
	data, err := read()
	if err != nil {
		return err
	}
	saved, err := savedplan.Parse(name, data)
	if err != nil {
		return err
	}
	switch {
	case o.Part == savedplan.PartMatrix && saved.Own == nil:
		return command.BadFlag("print", "%s has no matrix of its own: its specification names %s", name,
			saved.Wanted.Privileges.Matrix)
	case o.Part != "":
		_, err := o.Out.Write(map[savedplan.Part][]byte{
			savedplan.PartSpec:   saved.Wanted.Whole().YAML(),
			savedplan.PartMatrix: []byte(saved.Matrix),
		}[o.Part])
		return err
	}
	p := saved.Plan
	p.Digest = saved.Digest // of which Parse has made sure
	var approving []privileges.Row
	if o.Show.Full {
		if approving, err = needs(saved); err != nil {
			return err
		}
	}
	return o.Print(o.Output, p, func(w io.Writer) error {
		view := o.Show.Options(o.Width(), o.OutColors())
		view.Approving = approving
		return overview.Renderer(p, view)(w)
	})
}

// needs are the rows of a saved plan's matrix for its components.
func needs(saved *savedplan.Saved) ([]privileges.Row, error) {
	matrix := saved.Own
	if matrix == nil {
		var err error
		if matrix, err = privileges.Load(saved.Wanted.Privileges.Matrix); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(matrix.Rows), func(r privileges.Row) bool {
		return !saved.Plan.Any(func(c *plan.Change) bool { // the name of a role says what it is for
			role, _ := c.After.(plan.RoleState)
			return slices.Contains(role.Privileges, r.Privilege) && strings.Contains(c.Name, string(r.Component)) &&
				(saved.Wanted.Privileges.RoleLayout == privileges.LayoutComponent || strings.Contains(c.Name, string(r.Scope)))
		})
	}), nil
}
