package privileges

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// markdown writes the tables for people: a section per component, a table per scope, the sources numbered at the end.
func (e *export) markdown() {
	e.line("# Privilege matrix %s\n", md(e.m.Name))
	if e.m.Description != "" {
		e.line("It holds %s.\n", md(strings.TrimSuffix(e.m.Description, ".")))
	}
	e.line("Source: %s.", md(strings.TrimSuffix(e.m.Source, ".")))
	if e.m.AsOf != "" {
		e.line("As of %s.", md(e.m.AsOf))
	}
	for i, n := range e.m.Notes {
		if i == 0 {
			e.line("")
		}
		e.line("- %s", md(n))
	}
	var sources sourceList
	rows := e.kept()
	var component component.Name
	var scope Scope
	for _, r := range rows {
		if r.Component != component {
			component, scope = r.Component, ""
			e.line("\n## %s", md(string(r.Component)))
			if up := e.m.Upstream[r.Component]; up != "" && up != string(r.Component) {
				e.line("\nCalled %s there.", md(up))
			}
		}
		if r.Scope != scope {
			scope = r.Scope
			e.line("\n### %s on %s\n", md(string(r.Component)), r.Scope)
			e.line("| privilege | vSphere Client | propagates | when | why | source |\n|---|---|---|---|---|---|")
		}
		e.line("| %s | %s | %s | %s | %s | %s |", mdPrivilege(r), md(UIName(r.Privilege)), yes(r.Propagate), md(strings.Join(names(r.Conditions), ", ")), md(r.Why), sources.mark(r.Source))
	}
	e.markdownAncestors(&sources)
	e.markdownRoles()
	e.markdownConditions(rows)
	e.out.WriteString(sources.section())
}

func (e *export) markdownAncestors(sources *sourceList) {
	if a := e.m.Ancestors; a != nil {
		e.line("\n## On the containers above each object\n\n%s, not propagating, for %s: %s %s", md(strings.Join(a.Privileges, ", ")),
			md(strings.Join(names(a.Components), ", ")), md(a.Why), sources.mark(a.Source))
	}
}

func (e *export) markdownRoles() {
	if len(e.roles) == 0 {
		return
	}
	e.line("\n## Roles\n\nFor this case: %s. Objects that are only read get the system role ReadOnly.\n", md(e.assumed()))
	e.line("| role | component | on | propagates | privileges |\n|---|---|---|---|---|")
	for _, d := range e.roles {
		e.line("| %s | %s | %s | %s | %d |", md(d.Name), md(string(d.Component)), md(strings.Join(names(d.Scopes), ", ")), yes(d.Propagate), len(d.Privileges))
	}
}

func (e *export) markdownConditions(rows []Row) {
	first := true
	for _, c := range Conditions() {
		if !slices.ContainsFunc(rows, func(r Row) bool { return slices.Contains(r.Conditions, c) }) {
			continue
		}
		if first {
			e.line("\n## When\n")
			first = false
		}
		e.line("- %s: %s", c, md(c.Describe()))
	}
}

// DiffMarkdown writes what two matrices differ in, with source and reason, as a page.
func DiffMarkdown(a, b *Matrix) string {
	differences, ancestors := Diff(a, b)
	var sources sourceList
	var out strings.Builder
	fmt.Fprintf(&out, "# From matrix %s to %s\n", md(a.Name), md(b.Name))
	only := map[bool]int{} // whether it is the second
	for _, d := range differences {
		if d.A == nil || d.B == nil {
			only[d.A == nil]++
		}
	}
	fmt.Fprintf(&out, "\nRows that are only in %s: %d, only in %s: %d, in both but different: %d. Reason and source are those of %s, where it has the row.\n",
		md(a.Name), only[false], md(b.Name), only[true], len(differences)-only[false]-only[true], md(b.Name))
	if len(differences) == 0 && ancestors == nil {
		out.WriteString("\nThey grant the same.\n")
	}
	var component component.Name
	var scope Scope
	for _, d := range differences {
		if d.Component != component || d.Scope != scope {
			component, scope = d.Component, d.Scope
			fmt.Fprintf(&out, "\n## %s on %s\n\n| privilege | difference | vSphere Client | why | source |\n|---|---|---|---|---|\n", md(string(d.Component)), d.Scope)
		}
		r := d.B
		if r == nil {
			r = d.A
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", mdPrivilege(*r), md(d.Say(a.Name, b.Name)), md(UIName(d.Privilege)), md(r.Why), sources.mark(r.Source))
	}
	if ancestors != nil {
		out.WriteString("\n## On the containers above each object\n\n")
		for _, side := range []struct {
			name string
			rule *AncestorRule
		}{{a.Name, ancestors.A}, {b.Name, ancestors.B}} {
			if side.rule == nil {
				fmt.Fprintf(&out, "- %s: nothing\n", md(side.name))
				continue
			}
			fmt.Fprintf(&out, "- %s: %s for %s: %s %s\n", md(side.name), md(strings.Join(side.rule.Privileges, ", ")),
				md(strings.Join(names(side.rule.Components), ", ")), md(side.rule.Why), sources.mark(side.rule.Source))
		}
	}
	return out.String() + sources.section()
}

// Say tells in words what differs; a and b are what the matrices are called.
func (d Difference) Say(a, b string) string {
	with := func(r *Row) string {
		text := "does not propagate"
		if r.Propagate {
			text = "propagates"
		}
		if len(r.Conditions) != 1 || r.Conditions[0] != Always {
			text += ", when " + strings.Join(names(r.Conditions), " or ")
		}
		return text
	}
	switch {
	case d.A == nil:
		return "only in " + b + ": " + with(d.B)
	case d.B == nil:
		return "only in " + a + ": " + with(d.A)
	}
	var parts []string
	for _, f := range d.Fields {
		left, right := strconv.FormatBool(d.A.Propagate), strconv.FormatBool(d.B.Propagate)
		switch f {
		case "conditions":
			left, right = strings.Join(names(d.A.Conditions), ","), strings.Join(names(d.B.Conditions), ",")
		case "grant-conditions":
			left, right = strings.Join(names(d.A.GrantConditions), ","), strings.Join(names(d.B.GrantConditions), ",")
		case "unknown":
			left, right = strconv.FormatBool(d.A.Unknown), strconv.FormatBool(d.B.Unknown)
		}
		parts = append(parts, fmt.Sprintf("%s: %s in %s, %s in %s", f, orNone(left), a, orNone(right), b))
	}
	return strings.Join(parts, "; ")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func mdPrivilege(r Row) string {
	if r.Unknown {
		return md(r.Privilege) + " (on no vCenter: never sent)"
	}
	return md(r.Privilege)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// sourceList numbers sources, which many rows share.
type sourceList struct{ texts []string }

func (s *sourceList) mark(text string) string {
	i := slices.Index(s.texts, text)
	if i < 0 {
		i = len(s.texts)
		s.texts = append(s.texts, text)
	}
	return fmt.Sprintf("(%d)", i+1)
}

func (s *sourceList) section() string {
	if len(s.texts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Sources\n\n")
	for i, t := range s.texts {
		fmt.Fprintf(&b, "%d. %s\n", i+1, md(t))
	}
	return b.String()
}

// md keeps a text from being Markdown or HTML, and a table's cell on its line.
func md(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`, "#", `\#`,
	).Replace(oneLine(s))
}
