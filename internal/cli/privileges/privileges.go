// Package privileges is the commands that show and check the matrices of privileges.
package privileges

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
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
		newCmdList(f),
		NewCmdShow(f, nil),
		newCmdDiff(f, nil),
		NewCmdLint(f, nil),
		NewCmdExport(f, nil),
		newCmdSchema(f),
		newCmdRecord(f),
	)
	return cmd
}

type matrixListView struct {
	command.Header
	Matrices []matrixItem `json:"matrices"`
}

type matrixItem struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	AsOf        string   `json:"asOf"`
	Releases    string   `json:"releases"` // of OpenShift that it holds for, ">=4.18 <5.0"; "" = unknown
	Source      string   `json:"source"`
	Components  []string `json:"components"`
	Privileges  int      `json:"privileges"` // distinct ids that can be sent

	Counts []countItem `json:"counts"`
}

type countItem struct {
	Component  component.Name `json:"component"`
	Rows       int            `json:"rows"`
	Privileges int            `json:"privileges"`        // distinct ids of the rows
	Unknown    []string       `json:"unknown,omitempty"` // those among them that no vCenter has
	Stated     string         `json:"stated,omitempty"`  // their number by its source, such as ~35
}

func newCmdList(f *command.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the matrices that come with this program",
		Long: command.Text(`
			Each matrix holds what one source says. The tool grants default unless --matrix or the provisioning file selects
			another one. Wherever a matrix name is accepted, so is the path of your own file.

			The second table counts the privileges of each component, those under any condition included, each once however
			many kinds of object it is for. STATED is what the text of a source says, which may be a round number.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges list`),
		Args: command.NoWords,
		RunE: func(*cobra.Command, []string) error { return listRun(f) },
	}
}

func listRun(f *command.Factory) error {
	view := matrixListView{Header: command.NewHeader("PrivilegeMatrixList")}
	for _, name := range privileges.Names() {
		m, err := privileges.Load(name)
		if err != nil {
			return err
		}
		view.Matrices = append(view.Matrices, matrixItem{
			Name: m.Name, Description: m.Description, AsOf: m.AsOf, Releases: m.Releases.String(), Source: m.Source,
			Components: component.Words(m.Components()), Privileges: len(privileges.Strip(m.Privileges())), Counts: counts(m),
		})
	}
	return f.Print(f.Output, view, func(w io.Writer) error {
		t := term.NewTable("name", "as of", "releases", "privileges", "description")
		for _, m := range view.Matrices {
			t.Row(m.Name, m.AsOf, m.Releases, m.Privileges, m.Description)
		}
		if err := t.RenderWhole(w, f.Width()); err != nil {
			return err
		}
		term.Fprintf(w, "\n")
		if err := view.perComponent().RenderWhole(w, f.Width()); err != nil {
			return err
		}
		var unknown []string // ids that the second table counts and no vCenter has
		for _, m := range view.Matrices {
			for _, c := range m.Counts {
				unknown = lists.AppendNew(unknown, c.Unknown...)
			}
		}
		if len(unknown) > 0 {
			term.Fprintf(w, "%s\n", lines(f.Width(), "* with %s: no vCenter has them, and they are never sent", strings.Join(unknown, ", ")))
		}
		return nil
	})
}

func counts(m *privileges.Matrix) []countItem {
	var all []countItem
	for _, c := range m.Components() {
		item := countItem{Component: c, Stated: m.Stated[c]}
		var ids []string
		for _, r := range m.Rows {
			if r.Component != c {
				continue
			}
			item.Rows++
			ids = lists.AppendNew(ids, r.Privilege)
			if r.Unknown {
				item.Unknown = lists.AppendNew(item.Unknown, r.Privilege)
			}
		}
		item.Privileges = len(ids)
		all = append(all, item)
	}
	return all
}

// perComponent has a row per component, and a column for each matrix and its source's count.
func (v matrixListView) perComponent() *term.Table {
	head, cells := []string{"component"}, map[component.Name][]any{}
	for _, m := range v.Matrices {
		states := slices.ContainsFunc(m.Counts, func(c countItem) bool { return c.Stated != "" })
		if head = append(head, m.Name); states {
			head = append(head, "stated")
		}
		for _, name := range component.Names() {
			var c countItem
			if i := slices.IndexFunc(m.Counts, func(c countItem) bool { return c.Component == name }); i >= 0 {
				c = m.Counts[i]
			}
			count := ""
			if c.Privileges > 0 {
				count = strconv.Itoa(c.Privileges) + strings.Repeat("*", min(1, len(c.Unknown)))
			}
			if cells[name] = append(cells[name], count); states {
				cells[name] = append(cells[name], c.Stated)
			}
		}
	}
	t := term.NewTable(head...)
	for _, name := range component.Names() {
		t.Row(append([]any{name}, cells[name]...)...)
	}
	return t
}
