package privileges

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

const (
	neverSent    = "(on no vCenter: never sent)"
	tableAtLeast = 160 // columns of a terminal that a table of privileges takes
	indent       = 2   // columns, of what continues a line
)

// showMatrix shows each component by rows; sources are numbered and listed below.
func showMatrix(w io.Writer, colors term.Palette, width int, v *matrixView, rows func(componentView, *footnotes) error) error {
	var notes footnotes
	for i, c := range v.Components {
		if i > 0 {
			term.Fprintf(w, "\n")
		}
		term.Fprintf(w, "%s\n", colors.Bold(componentTitle(v, c)))
		if err := rows(c, &notes); err != nil {
			return err
		}
	}
	showAncestors(w, width, v, &notes)
	notes.print(w, width)
	return nil
}

func showWide(w io.Writer, width int) func(componentView, *footnotes) error {
	return func(c componentView, notes *footnotes) error {
		t := term.NewTable("scope", "privilege", "vsphere client", "propagates", "when", "why", "source")
		last := privileges.Scope("")
		for _, r := range c.Rows {
			scope, id := string(r.Scope), r.Privilege
			if r.Scope == last {
				scope = ""
			}
			last = r.Scope
			if r.Unknown {
				id += " " + neverSent
			}
			t.Row(scope, id, r.VSphereClient, command.Yes(r.Propagate), when(r), r.Why, notes.mark(r.Source))
		}
		return t.Render(w, width)
	}
}

// showNarrow is a block per privilege, for terminals too narrow for a table.
func showNarrow(w io.Writer, width int) func(componentView, *footnotes) error {
	return func(c componentView, notes *footnotes) error {
		for _, r := range c.Rows {
			term.Fprintf(w, "\n%s\n", r.Privilege)
			lines := [][2]string{
				{"named", r.VSphereClient},
				{"on", string(r.Scope) + ", " + map[bool]string{true: "propagates", false: "does not propagate"}[r.Propagate]},
				{"when", when(r)},
				{"why", r.Why},
				{"source", notes.mark(r.Source)},
			}
			if r.Unknown {
				lines = append(lines, [2]string{"note", neverSent})
			}
			if err := block(lines).Render(w, width); err != nil {
				return err
			}
		}
		return nil
	}
}

func block(lines [][2]string) *term.Table {
	t := term.NewTable()
	for _, line := range lines {
		if line[1] != "" {
			t.Row("  "+line[0], line[1])
		}
	}
	return t
}

func componentTitle(v *matrixView, c componentView) string {
	of := "matrix " + v.Name
	if c.Upstream != "" && c.Upstream != string(c.Component) {
		of += ", there " + c.Upstream
	}
	if v.Releases != "" {
		of += ", for OpenShift " + v.Releases
	}
	title := fmt.Sprintf("%s (%s)", c.Component, of)
	if len(c.Rows) == 0 {
		title += ": nothing"
	}
	return title
}

func showAncestors(w io.Writer, width int, v *matrixView, notes *footnotes) {
	if v.Ancestors == nil || !slices.ContainsFunc(v.Components, func(c componentView) bool {
		return slices.Contains(v.Ancestors.Components, c.Component)
	}) {
		return
	}
	term.Fprintf(w, "\n%s\n",
		lines(width, "on the containers above each granted object: %s, not propagating: %s %s",
			strings.Join(v.Ancestors.Privileges, ", "), v.Ancestors.Why, notes.mark(v.Ancestors.Source)))
}

// lines wraps a sentence between its words.
func lines(width int, format string, args ...any) term.Lines {
	return strings.Split(term.Prose(fmt.Sprintf(format, args...), width, indent), "\n")
}

func when(r rowView) string { return strings.Join(component.Words(r.Conditions), ", ") }

// footnotes numbers long texts that many rows share.
type footnotes struct{ texts []string }

func (f *footnotes) mark(text string) string {
	if text == "" {
		return ""
	}
	i := slices.Index(f.texts, text)
	if i < 0 {
		i = len(f.texts)
		f.texts = append(f.texts, text)
	}
	return fmt.Sprintf("[%d]", i+1)
}

// print lists the texts, wrapped to width, even within a long path; 0 = no wrapping.
func (f *footnotes) print(w io.Writer, width int) {
	for i, text := range f.texts {
		if i == 0 {
			term.Fprintf(w, "\nsources\n")
		}
		mark := fmt.Sprintf("[%d] ", i+1)
		if width > 0 {
			text = strings.ReplaceAll(term.Wrap(text, width-len(mark)), "\n", "\n"+strings.Repeat(" ", len(mark)))
		}
		term.Fprintf(w, "%s%s\n", mark, term.Lines(strings.Split(text, "\n")))
	}
}
