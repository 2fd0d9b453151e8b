package overview

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// canvas is lines of at most width columns, 0 = any. Its input is safe for a terminal.
type canvas struct {
	strings.Builder
	width int
	paint plan.Paint
	used  map[string]bool // signs of tables, to be explained
}

// span is a piece of a line; sign selects its colour, "" = none.
type span struct{ sign, text string }

// uses returns a sign and adds it to the legend.
func (c *canvas) uses(sign string) string {
	if c.used == nil {
		c.used = map[string]bool{}
	}
	c.used[sign] = true
	return sign
}

func (c *canvas) text(s string) { c.WriteString(s) }

func (c *canvas) fits(columns int) bool { return c.width <= 0 || columns <= c.width }

func (c *canvas) painted(s span) string {
	if c.paint == nil || s.sign == "" || s.text == "" {
		return s.text
	}
	return c.paint(s.sign, s.text)
}

// cells draws columns with the given widths, two blanks between them and none at the end.
func (c *canvas) cells(widths []int, cells ...span) {
	last := len(cells) - 1
	for last > 0 && cells[last].text == "" {
		last--
	}
	for i, s := range cells[:last+1] {
		c.text(c.painted(s))
		if i < last {
			c.text(strings.Repeat(" ", max(0, widths[i]-term.Width(s.text))+gap))
		}
	}
	c.text("\n")
}

const gap = 2

// fill draws unbroken words on as many lines as needed: the first line and the others indented.
func (c *canvas) fill(first, next int, words ...string) {
	c.filled("", first, next, words...)
}

// filled is fill with every line painted by a sign.
func (c *canvas) filled(sign string, first, next int, words ...string) {
	indent, line := first, ""
	flush := func() {
		c.text(strings.Repeat(" ", indent) + c.painted(span{sign, line}) + "\n")
		indent, line = next, ""
	}
	for _, word := range words {
		switch {
		case word == "":
		case line == "":
			line = word
		case c.fits(indent + term.Width(line) + 1 + term.Width(word)):
			line += " " + word
		default:
			flush()
			line = word
		}
	}
	if line != "" {
		flush()
	}
}

// words are those of a sentence of ours.
func words(s string) []string { return strings.Fields(s) }

func listed(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n
		if i < len(names)-1 {
			out[i] += ","
		}
	}
	return out
}

// label is a name as a cell or a word, quoted if it looks like two cells or an indented one.
func label(name string) string {
	name = term.Line(name)
	if name == "" || strings.Contains(name, "  ") || strings.TrimSpace(name) != name {
		return `"` + name + `"`
	}
	return name
}

// legend explains the signs of the tables and sheets; + and - only with permissions.
func legend(c *canvas, sheets []*sheet, n *names) {
	used := maps.Clone(c.used)
	if used == nil {
		used = map[string]bool{}
	}
	if len(sheets) == 0 && !used["~"] && !used["?"] {
		return
	}
	for _, s := range sheets {
		for _, b := range s.blocks {
			for _, o := range b.objects {
				used[nothing] = used[nothing] || len(o.change) < len(s.columns)
				for _, m := range o.marks(s.columns) {
					used[m.sign] = true
					used[down] = used[down] || m.below != "" || m.reached
					used[readShort] = used[readShort] || n.plain() && slices.Contains(strings.Fields(m.role), readShort)
				}
			}
		}
	}
	var all []string
	for _, e := range []struct{ sign, says string }{
		{"+", "+ create"},
		{"~", "~ update"},
		{"-", "- delete"},
		{nothing, n.own(nothing) + " nothing"},
		{"?", "? not known"},
		{down, n.own(down) + " reaches everything below"},
		{readShort, readShort + ": role " + privileges.ReadOnly},
	} {
		if used[e.sign] {
			all = append(all, e.says+" ")
		}
	}
	all[len(all)-1] = strings.TrimSpace(all[len(all)-1])
	c.fill(0, 0, all...)
	c.text("\n")
}

// full draws a line for every change, vCenter by vCenter, without findings.
func full(c *canvas, p *plan.Plan, a *attention) {
	for i, v := range p.VCenters {
		c.fill(0, 0, a.names.servers[i])
		for _, change := range v.Changes {
			c.filled(change.Sign(), 2, 6, append([]string{change.Sign()}, a.split(change.Line())...)...)
		}
		switch {
		case len(v.Changes) > 0:
		case v.Error != "":
			c.text("  could not be read\n")
		case p.Concerns(v.Server):
			c.text("  nothing else to change\n")
		default:
			c.text("  nothing to change\n")
		}
		c.text("\n")
	}
}
