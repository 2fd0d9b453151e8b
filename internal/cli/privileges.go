package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func newCmdPrivileges(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "privileges",
		Short:   "Show which privileges each component needs, where and why",
		GroupID: groupParts,
		Long: text(`
			A matrix says which privilege each component needs at which scope, under which condition, and the source of that
			fact. The tool grants the matrix "default" unless another one is selected.`),
	}
	cmd.AddCommand(
		newCmdPrivilegesList(f, nil),
		newCmdPrivilegesShow(f, nil),
		newCmdPrivilegesDiff(f, nil),
		newCmdPrivilegesLint(f, nil),
		newCmdPrivilegesExport(f, nil),
		newCmdPrivilegesSchema(f, nil),
	)
	return cmd
}

// PrivilegesListOptions are the flags of `privileges list`.
type PrivilegesListOptions struct{ *Factory }

type matrixListView struct {
	header
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

func newCmdPrivilegesList(f *Factory, runF func(*PrivilegesListOptions) error) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the matrices that come with this program",
		Long: text(`
			Each matrix holds what one source says. The tool grants default unless --matrix or the provisioning file selects
			another one. Wherever a matrix name is accepted, so is the path of your own file.`),
		Example: examples(`
			ocp-vsphere-admin privileges list`),
		Args: noWords,
		RunE: action(&PrivilegesListOptions{f}, runF, privilegesListRun),
	}
}

func privilegesListRun(_ context.Context, o *PrivilegesListOptions) error {
	view := matrixListView{header: newHeader("PrivilegeMatrixList")}
	for _, name := range privileges.Names() {
		m, err := privileges.Load(name)
		if err != nil {
			return err
		}
		view.Matrices = append(view.Matrices, matrixItem{
			Name: m.Name, Description: m.Description, AsOf: m.AsOf, Releases: m.Releases.String(), Source: m.Source,
			Components: asStrings(m.Components()), Privileges: len(privileges.Strip(m.Privileges())),
		})
	}
	return o.table(view, func() *term.Table {
		t := term.NewTable("name", "as of", "releases", "privileges", "description")
		for _, m := range view.Matrices {
			t.Row(m.Name, m.AsOf, m.Releases, m.Privileges, m.Description)
		}
		return t
	})
}
