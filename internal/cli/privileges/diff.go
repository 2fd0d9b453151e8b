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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// DiffOptions are the flags of `privileges diff`.
type DiffOptions struct {
	*command.Factory
	A, B       string   // names or paths
	Components []string // empty = all
}

type diffView struct {
	command.Header
	A           string                  `json:"a"`
	B           string                  `json:"b"`
	Differences []differenceView        `json:"differences"`
	Ancestors   *ancestorDifferenceView `json:"ancestors,omitempty"`
	Summary     map[differenceKind]int  `json:"summary"`

	raw []privileges.Difference // of Differences
}

type differenceKind string

// The kinds of differences.
const (
	onlyInA differenceKind = "onlyInA"
	onlyInB differenceKind = "onlyInB"
	differs differenceKind = "differs"
)

type differenceView struct {
	Component     component.Name   `json:"component"`
	Scope         privileges.Scope `json:"scope"`
	Privilege     string           `json:"privilege"`
	VSphereClient string           `json:"vsphereClient"`
	Difference    differenceKind   `json:"difference"`
	Fields        []string         `json:"fields,omitempty"` // propagate, conditions, grant-conditions, unknown
	A             *sideView        `json:"a,omitempty"`
	B             *sideView        `json:"b,omitempty"`
}

type sideView struct {
	Propagate       bool                   `json:"propagate"`
	Conditions      []privileges.Condition `json:"conditions"`
	GrantConditions []privileges.Condition `json:"grantConditions,omitempty"`
	Unknown         bool                   `json:"unknown,omitempty"`
	Evidence        string                 `json:"evidence"`
	Why             string                 `json:"why"`
	Source          string                 `json:"source"`
}

type ancestorDifferenceView struct {
	A *privileges.AncestorRule `json:"a"` // null: nothing on the containers above
	B *privileges.AncestorRule `json:"b"`
}

func newCmdDiff(f *command.Factory, runF func(*DiffOptions) error) *cobra.Command {
	o := &DiffOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "diff <matrix> <matrix>",
		Short: "Compare what two matrices grant, with reasons and sources",
		Long: command.Text(`
			Compares two matrices, each the name of an embedded one or the path of a file. Lists every privilege that only one
			of them has, or that they grant with different propagation or under different conditions, by component. Reason and
			source are those of the second matrix, or of the first if only the first has the privilege; they are printed once
			for neighbors that share them, and with each privilege in -o json.

			Exit code 2 means that they differ. A different source alone is not a difference. Groups of the installer's
			preflight are not compared: they are checked but never granted.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges diff enhancement default
			ocp-vsphere-admin privileges diff default ./my-matrix.yaml --components csi-driver
			ocp-vsphere-admin privileges diff enhancement default -o json`),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return hint.Errorf(command.SeeHelp(cmd), "%s: needs two matrices, names or files, got %d",
					command.Spoken(cmd), len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return slices.DeleteFunc(privileges.Names(), func(n string) bool {
				return slices.Contains(args, n)
			}), cobra.ShellCompDirectiveDefault
		},
		RunE: command.Action(o, runF, diffRun, command.KnownComponents(&o.Components), func(_ *cobra.Command, args []string) error {
			o.A, o.B = args[0], args[1]
			return nil
		}),
	}
	command.RegisterComponents(cmd, &o.Components)
	return cmd
}

func diffRun(_ context.Context, o *DiffOptions) error {
	a, err := privileges.Load(o.A)
	if err != nil {
		return err
	}
	b, err := privileges.Load(o.B)
	if err != nil {
		return err
	}
	view := o.view(a, b)
	err = o.Print(o.Output, view, func(w io.Writer) error {
		width := o.Width()
		if width > 0 && width < tableAtLeast {
			return view.print(w, o.OutColors(), width, view.narrow(w, width))
		}
		return view.print(w, o.OutColors(), width, view.wide(w, width))
	})
	if err != nil {
		return err
	}
	o.Infof("%d only in %s, %d only in %s, %d in both but different", view.Summary[onlyInA], view.A,
		view.Summary[onlyInB], view.B, view.Summary[differs])
	if len(view.Differences) > 0 || view.Ancestors != nil {
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

func (o *DiffOptions) view(a, b *privileges.Matrix) *diffView {
	v := &diffView{
		Header: command.NewHeader("PrivilegeDiff"), A: a.Name, B: b.Name, Differences: []differenceView{},
		Summary: map[differenceKind]int{onlyInA: 0, onlyInB: 0, differs: 0},
	}
	if v.A == v.B { // two files may have one name
		v.A, v.B = o.A, o.B
	}
	all, ancestors := privileges.Diff(a, b)
	for _, d := range all {
		if len(o.Components) > 0 && !slices.Contains(o.Components, string(d.Component)) {
			continue
		}
		kind := differs
		switch {
		case d.A == nil:
			kind = onlyInB
		case d.B == nil:
			kind = onlyInA
		}
		v.Summary[kind]++
		v.raw = append(v.raw, d)
		v.Differences = append(v.Differences, differenceView{
			d.Component, d.Scope, d.Privilege, privileges.UIName(d.Privilege), kind, d.Fields, side(d.A), side(d.B),
		})
	}
	if ancestors != nil {
		v.Ancestors = &ancestorDifferenceView{ancestors.A, ancestors.B}
	}
	return v
}

func side(r *privileges.Row) *sideView {
	if r == nil {
		return nil
	}
	return &sideView{r.Propagate, r.Conditions, r.GrantConditions, r.Unknown, r.Evidence, r.Why, r.Source}
}

var diffMarks = map[differenceKind]string{onlyInA: "-", onlyInB: "+", differs: "~"}

// folded are differences of one component and scope that are equal except for the id.
type folded struct {
	mark, on, text string
	row            *privileges.Row // it gives reason and source
	ids            []string
}

// folds gives the differences of one component, from i on, and the index of the next component.
func (v *diffView) folds(i int) (all []folded, next int) {
	for next = i; next < len(v.raw) && v.raw[next].Component == v.raw[i].Component; next++ {
		d := v.raw[next]
		f := folded{diffMarks[v.Differences[next].Difference], string(d.Scope), d.Say(v.A, v.B), cmp.Or(d.B, d.A), nil}
		at := slices.IndexFunc(all, func(o folded) bool {
			return o.on == f.on && o.text == f.text && o.row.Why == f.row.Why &&
				o.row.Source == f.row.Source && o.row.Unknown == f.row.Unknown
		})
		if at < 0 {
			at, all = len(all), append(all, f)
		}
		all[at].ids = append(all[at].ids, d.Privilege)
	}
	return all, next
}

// counted counts the differences from i up to next by kind, without zeros.
func (v *diffView) counted(i, next int) string {
	count := map[differenceKind]int{}
	for _, d := range v.Differences[i:next] {
		count[d.Difference]++
	}
	var parts []string
	for _, c := range []struct {
		kind differenceKind
		text string
	}{{onlyInA, "only in " + v.A}, {onlyInB, "only in " + v.B}, {differs, "in both but different"}} {
		if n := count[c.kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, c.text))
		}
	}
	return strings.Join(parts, ", ")
}

// print writes a paragraph for each component, with its differences by rows.
func (v *diffView) print(w io.Writer, colors term.Palette, width int, rows func([]folded, *footnotes) error) error {
	var notes footnotes
	for i := 0; i < len(v.raw); {
		all, next := v.folds(i)
		if i > 0 {
			term.Fprintf(w, "\n")
		}
		for _, line := range lines(width, "%s: %s", v.raw[i].Component, v.counted(i, next)) {
			term.Fprintf(w, "%s\n", colors.Bold(line))
		}
		if err := rows(all, &notes); err != nil {
			return err
		}
		i = next
	}
	v.aboveObjects(w, width, &notes)
	notes.print(w, width)
	return nil
}

// wide is a table that leaves out what a row repeats of the one above.
func (v *diffView) wide(w io.Writer, width int) func([]folded, *footnotes) error {
	return func(all []folded, notes *footnotes) error {
		t := term.NewTable("", "on", "privilege", "vsphere client", "difference", "why", "source")
		on := ""
		for _, f := range all {
			for i, id := range f.ids {
				cells := []any{f.mark, f.on, idOf(id, f.row), privileges.UIName(id), f.text, f.row.Why, notes.mark(f.row.Source)}
				if f.on == on {
					cells[1] = ""
				}
				if i > 0 {
					cells[4], cells[5], cells[6] = "", "", ""
				}
				on = f.on
				t.Row(cells...)
			}
		}
		return t.Render(w, width)
	}
}

// narrow is a block of equal differences, for terminals too narrow for a table.
func (v *diffView) narrow(w io.Writer, width int) func([]folded, *footnotes) error {
	return func(all []folded, notes *footnotes) error {
		for _, f := range all {
			term.Fprintf(w, "\n")
			for _, id := range f.ids {
				term.Fprintf(w, "%s %s\n", f.mark, idOf(id, f.row))
			}
			t := block([][2]string{{"on", f.on}, {"", f.text}, {"why", f.row.Why}, {"source", notes.mark(f.row.Source)}})
			if err := t.Render(w, width); err != nil {
				return err
			}
		}
		return nil
	}
}

func idOf(id string, r *privileges.Row) string {
	if r.Unknown {
		return id + " " + neverSent
	}
	return id
}

func (v *diffView) aboveObjects(w io.Writer, width int, notes *footnotes) {
	if v.Ancestors == nil {
		return
	}
	if len(v.raw) > 0 {
		term.Fprintf(w, "\n")
	}
	term.Fprintf(w, "on the containers above each granted object\n")
	for _, s := range []struct {
		name string
		rule *privileges.AncestorRule
	}{{v.A, v.Ancestors.A}, {v.B, v.Ancestors.B}} {
		if s.rule == nil {
			term.Fprintf(w, "%s: nothing\n", s.name)
			continue
		}
		term.Fprintf(w, "%s\n", lines(width, "%s: %s for %s: %s %s", s.name, strings.Join(s.rule.Privileges, ", "),
			strings.Join(component.Words(s.rule.Components), ", "), s.rule.Why, notes.mark(s.rule.Source)))
	}
}
