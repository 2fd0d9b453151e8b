package overview

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// mostColumns is for how many vCenters there is a column each.
const mostColumns = 4

// drawTables draws all with the same columns: by vCenter, else by number of vCenters, else words.
func drawTables(c *canvas, n *names, all []table) {
	if len(all) == 0 {
		return
	}
	columns := n.short
	if len(columns) == 1 { // the title names it
		columns = nil
	}
	switch fit := fitColumns(c, all, columns); {
	case len(columns) > mostColumns, !fit && columns == nil:
		drawWorded(c, n, all)
		return
	case !fit:
		columns = make([]string, len(n.short))
		var legend []string
		for i := range columns {
			columns[i] = strconv.Itoa(i + 1)
			legend = append(legend, columns[i]+" "+n.servers[i])
		}
		if !fitColumns(c, all, columns) {
			drawWorded(c, n, all)
			return
		}
		c.fill(0, 2, append([]string{"vCenters:"}, listed(legend)...)...)
		c.text("\n")
	}
	for _, t := range all {
		t.draw(c, n, columns)
	}
}

func (t *table) nameWidth() int {
	most := term.Width(t.title)
	for _, r := range t.rows {
		most = max(most, 2+term.Width(r.name))
	}
	return most
}

func fitColumns(c *canvas, all []table, columns []string) bool {
	for _, t := range all {
		width := t.nameWidth()
		for _, head := range columns {
			width += gap + term.Width(head)
		}
		for _, r := range t.rows {
			if detail := term.Width(r.brief); !c.fits(width) || detail > 0 && r.parts == nil && !c.fits(width+gap+detail) {
				return false
			}
		}
	}
	return true
}

// draw draws a table with a column for each vCenter, none if there is only one.
func (t *table) draw(c *canvas, n *names, columns []string) {
	widths, head := []int{t.nameWidth()}, []span{{"", t.title}}
	used := widths[0]
	for _, name := range columns {
		widths, head = append(widths, term.Width(name)), append(head, span{"", name})
		used += gap + term.Width(name)
	}
	c.cells(widths, head...)
	for _, r := range t.rows {
		cells := []span{{r.sign, c.uses(r.sign) + " " + r.name}}
		for i := range columns {
			switch {
			case slices.Contains(r.on, i):
				cells = append(cells, span{r.sign, r.sign})
			case slices.Contains(n.read, i):
				cells = append(cells, span{"", n.own(c.uses(nothing))})
			default:
				cells = append(cells, span{"", c.uses("?")})
			}
		}
		if r.parts != nil && !c.fits(used+gap+term.Width(r.brief)) {
			c.cells(widths, cells...)
			c.fill(4, 4, r.parts...)
			continue
		}
		c.cells(append(widths, 0), append(cells, span{"", r.detail(c, used+gap)})...)
		if !r.fitsBeside(c, used+gap) && r.sign == "~" {
			c.fill(4, 4, r.few()...) // lost privileges are named
		}
		c.fill(4, 4, r.below...)
		r.drawSwaps(c)
	}
	c.text("\n")
}

// fitsBeside reports whether there is room for the ids, at a column of the line.
func (r *row) fitsBeside(c *canvas, at int) bool {
	return len(r.ids) > 0 && c.fits(at+term.Width(strings.Join(r.ids, " ")))
}

// detail is what is beside a name: ids if there is room for them.
func (r *row) detail(c *canvas, at int) string {
	if r.fitsBeside(c, at) {
		return strings.Join(r.ids, " ")
	}
	return r.brief
}

// drawWorded draws tables without columns for vCenters: words say where.
func drawWorded(c *canvas, n *names, all []table) {
	for _, t := range all {
		t.worded(c, n)
	}
}

func (t *table) worded(c *canvas, n *names) {
	widths, most := []int{t.nameWidth(), 0, 0}, 0
	for _, r := range t.rows {
		widths[1] = max(widths[1], term.Width(r.brief), term.Width(strings.Join(r.few(), " ")))
		most = max(most, term.Width(strings.Join(n.where(r.on), " ")))
	}
	ids := c.fits(widths[0] + gap + widths[1] + gap + most)
	if !ids {
		widths[1] = 0
		for _, r := range t.rows {
			widths[1] = max(widths[1], term.Width(r.brief))
		}
	}
	c.text(t.title + "\n")
	for _, r := range t.rows {
		t.wordedRow(c, r, widths, n.where(r.on), ids)
		if !ids && r.sign == "~" {
			c.fill(4, 4, r.few()...)
		}
		c.fill(4, 4, r.below...)
		r.drawSwaps(c)
	}
	c.text("\n")
}

func (t *table) wordedRow(c *canvas, r *row, widths []int, where []string, ids bool) {
	name, detail, line := span{r.sign, c.uses(r.sign) + " " + r.name}, r.brief, strings.Join(where, " ")
	if ids && len(r.few()) > 0 {
		detail = strings.Join(r.few(), " ")
	}
	cells, used := []span{name}, widths[0]
	if widths[1] > 0 {
		cells, used = append(cells, span{"", detail}), used+gap+widths[1]
	} else {
		widths = []int{widths[0], 0}
	}
	if line != "" {
		cells, used = append(cells, span{"", line}), used+gap+term.Width(line)
	}
	if c.fits(used) {
		c.cells(widths, cells...)
		return
	}
	c.cells(widths, name)
	parts := slices.Clone(r.parts)
	if parts == nil && r.brief != "" {
		parts = []string{r.brief}
	}
	if len(parts) > 0 && len(where) > 0 {
		parts[len(parts)-1] += ";"
	}
	c.fill(4, 4, append(parts, where...)...)
}
