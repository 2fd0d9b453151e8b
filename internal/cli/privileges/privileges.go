// Package privileges is the commands that show and check the matrices of privileges.
package privileges

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// NewCmd is the command.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "privileges",
		Short:   "Show which privileges each component needs, where and why",
		GroupID: command.GroupParts,
		Long: command.Text(`
			A matrix says which privilege each component needs at which scope, under which condition, and the source of that
			fact. The tool grants the matrix "default" unless another one is selected.`),
	}
	cmd.AddCommand(
		newCmdList(f, nil),
		NewCmdShow(f, nil),
		newCmdDiff(f, nil),
		NewCmdLint(f, nil),
		NewCmdExport(f, nil),
		newCmdSchema(f, nil),
	)
	return cmd
}

// ListOptions are the flags of `privileges list`.
type ListOptions struct{ *command.Factory }

type matrixListView struct {
	command.Header
	Matrices []matrixItem `json:"matrices"`
}

type matrixItem struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	AsOf        string   `json:"asOf"`
	Releases    string   `json:"releases"` // of OpenShift that it holds for, ">=4.18 <5.0"; "" = nobody said
	Source      string   `json:"source"`
	Components  []string `json:"components"`
	Privileges  int      `json:"privileges"` // distinct ids that can be sent
}

func newCmdList(f *command.Factory, runF func(*ListOptions) error) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the matrices that come with this program",
		Long: command.Text(`
			Each matrix holds what one source says. The tool grants default unless --matrix or the provisioning file selects
			another one. Wherever a matrix name is accepted, so is the path of your own file.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges list`),
		Args: command.NoWords,
		RunE: command.Action(&ListOptions{f}, runF, listRun),
	}
}

func listRun(_ context.Context, o *ListOptions) error {
	view := matrixListView{Header: command.NewHeader("PrivilegeMatrixList")}
	for _, name := range privileges.Names() {
		m, err := privileges.Load(name)
		if err != nil {
			return err
		}
		view.Matrices = append(view.Matrices, matrixItem{
			Name: m.Name, Description: m.Description, AsOf: m.AsOf, Releases: m.Releases.String(), Source: m.Source,
			Components: component.Words(m.Components()), Privileges: len(privileges.Strip(m.Privileges())),
		})
	}
	return o.Table(view, func() *term.Table {
		t := term.NewTable("name", "as of", "releases", "privileges", "description")
		for _, m := range view.Matrices {
			t.Row(m.Name, m.AsOf, m.Releases, m.Privileges, m.Description)
		}
		return t
	})
}
