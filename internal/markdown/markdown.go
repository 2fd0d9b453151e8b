// Package markdown writes pages that other people get: names in them may be anybody's, and are never markup.
package markdown

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Page is Markdown as it grows.
type Page struct{ strings.Builder }

// Say writes a paragraph; fmt's verbs are filled in, with names made safe for a terminal.
func (p *Page) Say(format string, args ...any) { term.Fprintf(&p.Builder, format+"\n\n", args...) }

// Block writes lines as they are, below a title if it has one.
func (p *Page) Block(title, language string, lines []string) {
	if title != "" {
		p.Say("%s", title)
	}
	p.WriteString(Fence(language, strings.Join(lines, "\n")) + "\n\n")
}

// Fence is a text as it is, between fences that are longer than any within.
func Fence(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
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
