package privileges

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// ShowOptions are the flags of `privileges show`.
type ShowOptions struct {
	*command.Factory
	Components []component.Name // empty = all
	Matrix     string
	Scopes     []string // empty = all
	Conditions []string // empty = every row
}

type matrixView struct {
	command.Header
	Name        string                   `json:"name"`
	Description string                   `json:"description"`
	AsOf        string                   `json:"asOf"`
	Releases    string                   `json:"releases,omitempty"` // of OpenShift that it holds for; "" = unknown
	Source      string                   `json:"source"`
	Notes       []string                 `json:"notes,omitempty"`
	Components  []componentView          `json:"components"`
	Ancestors   *privileges.AncestorRule `json:"ancestors,omitempty"`
}

type componentView struct {
	Component component.Name `json:"component"`
	Upstream  string         `json:"upstream,omitempty"` // what the source calls it
	Rows      []rowView      `json:"rows"`
}

type rowView struct {
	Scope           privileges.Scope       `json:"scope"`
	Privilege       string                 `json:"privilege"`
	VSphereClient   string                 `json:"vsphereClient"` // label there; "" = not recorded
	Propagate       bool                   `json:"propagate"`
	Conditions      []privileges.Condition `json:"conditions"`
	GrantConditions []privileges.Condition `json:"grantConditions,omitempty"`
	Unknown         bool                   `json:"unknown,omitempty"` // no vCenter has it; never sent
	Evidence        string                 `json:"evidence,omitempty"`
	Why             string                 `json:"why"`
	Source          string                 `json:"source"`
}

// NewCmdShow is the command `privileges show`.
func NewCmdShow(f *command.Factory, runF func(*ShowOptions) error) *cobra.Command {
	o := &ShowOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "show [component...]",
		Short: "Show what a component needs, with names, reasons and sources",
		Long: command.Text(`
			Prints every privilege of the components, by default of all: its id, its name in the vSphere Client, whether the
			grant propagates, when it is needed, why, and the source.

			With --conditions only the rows that apply under these conditions are shown. Conditions that follow from the
			topology of a failure domain (` + strings.Join(topology(), ", ") + `) can be named too; if none of them is, their rows are shown.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges show csi-driver
			ocp-vsphere-admin privileges show machine-api --matrix enhancement --scope folder
			ocp-vsphere-admin privileges show --conditions vsan-file,folder-created -o json`),
		ValidArgs: component.Words(component.Names()),
		RunE: command.Action(o, runF, showRun, func(_ *cobra.Command, args []string) error {
			for _, word := range args {
				if err := command.OneOf(word, component.Words(component.Names())); err != nil {
					return fmt.Errorf("component %w", err)
				}
				o.Components = append(o.Components, component.Name(word))
			}
			if err := command.AllOf("scope", o.Scopes, component.Words(privileges.Scopes())); err != nil {
				return err
			}
			o.Matrix = cmp.Or(o.Matrix, "default")
			return nil
		}),
	}
	command.RegisterMatrix(cmd, &o.Matrix, &o.Conditions, append(command.Selectable(), topology()...))
	cmd.Flags().StringSliceVar(&o.Scopes, "scope", nil,
		"only these: "+strings.Join(component.Words(privileges.Scopes()), ", "))
	command.CompleteValues(cmd, "scope", component.Words(privileges.Scopes()))
	return cmd
}

func topology() []string {
	return component.Words(slices.DeleteFunc(privileges.Conditions(), func(c privileges.Condition) bool { return !c.Topology() }))
}

func shownConditions(words []string) (map[privileges.Condition]bool, error) {
	isTopology := func(w string) bool { return privileges.Condition(w).Topology() }
	holds, err := privileges.ParseConditions(slices.DeleteFunc(slices.Clone(words), isTopology))
	if err != nil {
		return nil, command.BadFlag("conditions", "%w", err)
	}
	named := slices.ContainsFunc(words, isTopology)
	for _, c := range topology() {
		holds[privileges.Condition(c)] = !named || slices.Contains(words, c)
	}
	return holds, nil
}

func showRun(_ context.Context, o *ShowOptions) error {
	m, err := privileges.Load(o.Matrix)
	if err != nil {
		return err
	}
	view, err := o.view(m)
	if err != nil {
		return err
	}
	return o.Print(o.Output, view, func(w io.Writer) error {
		width := o.Width()
		if width > 0 && width < tableAtLeast {
			return showMatrix(w, o.OutColors(), width, view, showNarrow(w, width))
		}
		return showMatrix(w, o.OutColors(), width, view, showWide(w, width))
	})
}

func (o *ShowOptions) view(m *privileges.Matrix) (*matrixView, error) {
	var holds map[privileges.Condition]bool
	if len(o.Conditions) > 0 {
		var err error
		if holds, err = shownConditions(o.Conditions); err != nil {
			return nil, err
		}
	}
	v := &matrixView{
		Header: command.NewHeader("PrivilegeMatrix"), Name: m.Name, Description: m.Description, AsOf: m.AsOf,
		Releases: m.Releases.String(), Source: m.Source, Notes: m.Notes,
		Components: []componentView{}, Ancestors: m.Ancestors,
	}
	for _, c := range m.Components() {
		if len(o.Components) > 0 && !slices.Contains(o.Components, c) {
			continue
		}
		cv := componentView{Component: c, Upstream: m.Upstream[c], Rows: []rowView{}}
		for _, r := range m.Rows {
			if r.Component != c || len(o.Scopes) > 0 && !slices.Contains(o.Scopes, string(r.Scope)) ||
				holds != nil && !r.Holds(holds) {
				continue
			}
			cv.Rows = append(cv.Rows, rowView{
				r.Scope, r.Privilege, privileges.UIName(r.Privilege), r.Propagate, r.Conditions, r.GrantConditions, r.Unknown,
				r.Evidence, r.Why, r.Source,
			})
		}
		slices.SortStableFunc(cv.Rows, func(a, b rowView) int {
			return cmp.Or(cmp.Compare(slices.Index(privileges.Scopes(), a.Scope),
				slices.Index(privileges.Scopes(), b.Scope)),
				strings.Compare(a.Privilege, b.Privilege))
		})
		v.Components = append(v.Components, cv)
	}
	return v, nil
}
