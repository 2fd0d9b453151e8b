// Package markdown writes pages that other people get: names in them may be anybody's, and are never markup.
package markdown

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Page is Markdown as it grows.
type Page struct{ strings.Builder }

// Say writes a paragraph; fmt's verbs are filled in, with names made safe for a terminal.
func (p *Page) Say(format string, args ...any) { term.Fprintf(&p.Builder, format+"\n\n", args...) }

// Table writes rows of finished cells below their heads.
func (p *Page) Table(heads []string, rows [][]string) {
	line := func(cells []string) { p.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(heads)
	line(slices.Repeat([]string{"---"}, len(heads)))
	for _, r := range rows {
		line(r)
	}
	p.WriteString("\n")
}

// Block writes lines as they are, below a title if it has one; the fence is longer than any within.
func (p *Page) Block(title, language string, lines []string) {
	text := strings.TrimSuffix(strings.Join(lines, "\n"), "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if title != "" {
		p.Say("%s", title)
	}
	p.WriteString(fence + language + "\n" + text + "\n" + fence + "\n\n")
}

// Code is a name within a sentence or a table, whatever is in it.
func Code(s string) string {
	s = strings.ReplaceAll(term.Line(s), "|", `\|`)
	ticks := "`"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	if len(ticks) > 1 {
		return ticks + " " + s + " " + ticks
	}
	return ticks + s + ticks
}

// Cell is text in a table: what Markdown would take for markup stands for itself.
func Cell(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "[", `\[`).Replace(term.Line(s))
}
