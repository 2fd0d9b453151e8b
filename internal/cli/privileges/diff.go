package privileges

import (
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
	Fields        []string         `json:"fields,omitempty"` // what differs: propagate, conditions, grant-conditions, unknown
	A             *sideView        `json:"a,omitempty"`
	B             *sideView        `json:"b,omitempty"`
}

// sideView is what one of the two has there.
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
	A *ancestorsView `json:"a"` // null: nothing on the containers above
	B *ancestorsView `json:"b"`
}

func newCmdDiff(f *command.Factory, runF func(*DiffOptions) error) *cobra.Command {
	o := &DiffOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "diff <matrix> <matrix>",
		Short: "Compare what two matrices grant, with reasons and sources",
		Long: command.Text(`
			Compares two matrices, each the name of an embedded one or the path of a file. Lists every privilege that only one
			of them has, or that they grant with different propagation or under different conditions. Reason and source are
			those of the second matrix, or of the first if only the first has the privilege.

			Exit code 2 means that they differ. A different source alone is not a difference. Groups of the installer's
			preflight are not compared: they are checked but never granted.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges diff enhancement default
			ocp-vsphere-admin privileges diff default ./my-matrix.yaml --components csi-driver
			ocp-vsphere-admin privileges diff enhancement default -o json`),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return hint.Errorf(command.SeeHelp(cmd), "%s: needs two matrices, names or files, got %d", command.Spoken(cmd), len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return slices.DeleteFunc(privileges.Names(), func(n string) bool { return slices.Contains(args, n) }), cobra.ShellCompDirectiveDefault
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
		if width := o.Width(); width > 0 && width < 120 {
			return view.narrow(w, o.OutColors(), width)
		}
		return view.wide(w, o.OutColors(), o.Width())
	})
	if err != nil {
		return err
	}
	o.Infof("%d only in %s, %d only in %s, %d in both but different", view.Summary[onlyInA], view.A, view.Summary[onlyInB], view.B, view.Summary[differs])
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
		v.Ancestors = &ancestorDifferenceView{above(ancestors.A), above(ancestors.B)}
	}
	return v
}

func side(r *privileges.Row) *sideView {
	if r == nil {
		return nil
	}
	return &sideView{r.Propagate, r.Conditions, r.GrantConditions, r.Unknown, r.Evidence, r.Why, r.Source}
}

func above(a *privileges.AncestorRule) *ancestorsView {
	if a == nil {
		return nil
	}
	return &ancestorsView{a.Components, a.Privileges, a.Why, a.Source}
}

// explains is the row that gives reason and source.
func (v *diffView) explains(i int) *privileges.Row {
	if v.raw[i].B != nil {
		return v.raw[i].B
	}
	return v.raw[i].A
}

var diffMarks = map[differenceKind]string{onlyInA: "-", onlyInB: "+", differs: "~"}

// title names component and scope where one of them changes, which behind the last difference they do.
func (v *diffView) title(i int) (string, bool) {
	if i == len(v.raw) {
		return "", true
	}
	d := v.raw[i]
	if i > 0 && v.raw[i-1].Component == d.Component && v.raw[i-1].Scope == d.Scope {
		return "", false
	}
	return fmt.Sprintf("%s on %s", d.Component, d.Scope), true
}

// wide is a table per component and scope.
func (v *diffView) wide(w io.Writer, colors term.Palette, width int) error {
	var notes footnotes
	var t *term.Table
	for i, d := range v.raw {
		if title, first := v.title(i); first {
			if i > 0 {
				term.Fprintf(w, "\n")
			}
			term.Fprintf(w, "%s\n", colors.Bold(title))
			t = term.NewTable("", "privilege", "vsphere client", "difference", "why", "source")
		}
		r := v.explains(i)
		t.Row(diffMarks[v.Differences[i].Difference], idOf(r), privileges.UIName(d.Privilege), d.Say(v.A, v.B), r.Why, notes.mark(r.Source))
		if _, next := v.title(i + 1); !next {
			continue
		}
		if err := t.Render(w, width); err != nil {
			return err
		}
	}
	v.aboveObjects(w, &notes)
	notes.print(w)
	return nil
}

// narrow is a block per difference, for terminals that a table would not fit into.
func (v *diffView) narrow(w io.Writer, colors term.Palette, width int) error {
	var notes footnotes
	for i, d := range v.raw {
		if title, first := v.title(i); first {
			if i > 0 {
				term.Fprintf(w, "\n")
			}
			term.Fprintf(w, "%s\n", colors.Bold(title))
		}
		r := v.explains(i)
		term.Fprintf(w, "\n%s %s\n", diffMarks[v.Differences[i].Difference], idOf(r))
		t := block([][2]string{{"named", privileges.UIName(d.Privilege)}, {"", d.Say(v.A, v.B)}, {"why", r.Why}, {"source", notes.mark(r.Source)}})
		if err := t.Render(w, width); err != nil {
			return err
		}
	}
	v.aboveObjects(w, &notes)
	notes.print(w)
	return nil
}

func idOf(r *privileges.Row) string {
	if r.Unknown {
		return r.Privilege + " " + neverSent
	}
	return r.Privilege
}

func (v *diffView) aboveObjects(w io.Writer, notes *footnotes) {
	if v.Ancestors == nil {
		return
	}
	term.Fprintf(w, "\non the containers above each granted object\n")
	for _, s := range []struct {
		name string
		rule *ancestorsView
	}{{v.A, v.Ancestors.A}, {v.B, v.Ancestors.B}} {
		if s.rule == nil {
			term.Fprintf(w, "%s: nothing\n", s.name)
			continue
		}
		term.Fprintf(w, "%s: %s for %s: %s %s\n", s.name, strings.Join(s.rule.Privileges, ", "),
			strings.Join(component.Words(s.rule.Components), ", "), s.rule.Why, notes.mark(s.rule.Source))
	}
}
