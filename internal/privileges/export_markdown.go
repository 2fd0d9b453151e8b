package privileges

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// section holds what one component needs on one kind of object.
type section struct {
	Component component.Name
	First     bool   // of the component
	Upstream  string // what the component is called there, where that is another name
	Scope     Scope
	Rows      []Row
}

// markdown writes the tables for people: a section per component, a table per scope, the sources numbered at the end.
func (e *export) markdown() (string, error) {
	var tables []section
	var conditions []Condition
	for _, r := range e.kept() {
		last := len(tables) - 1
		first := last < 0 || tables[last].Component != r.Component
		if first || tables[last].Scope != r.Scope {
			tables = append(tables, section{Component: r.Component, First: first, Scope: r.Scope})
			last++
			if up := e.m.Upstream[r.Component]; up != string(r.Component) {
				tables[last].Upstream = up
			}
		}
		tables[last].Rows = append(tables[last].Rows, r)
		conditions = append(conditions, r.Conditions...)
	}
	return fill("markdown.md.tmpl", struct {
		*Matrix
		Tables     []section
		Roles      []RoleDef
		Assumed    string
		Gaps       []GapRow
		Conditions []Condition // that the tables name
	}{e.m, tables, e.o.Roles, e.assumed(), GapRows(e.o.Gaps), slices.DeleteFunc(Conditions(), func(c Condition) bool { return !slices.Contains(conditions, c) })})
}

// sources numbers texts that many rows share.
type sources []string

func (s *sources) mark(text string) int {
	if !slices.Contains(*s, text) {
		*s = append(*s, text)
	}
	return slices.Index(*s, text) + 1
}

// md keeps a text from being Markdown or HTML, and a table's cell on its line.
func md(text any) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`, "#", `\#`,
	).Replace(oneLine(fmt.Sprint(text)))
}
