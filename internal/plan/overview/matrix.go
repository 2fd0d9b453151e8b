package overview

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// title says whose permissions on which vCenter; several vCenters have a heading each.
func (s *sheet) title(c *canvas, n *names) {
	line := words("permissions")
	if s.around != "" {
		line = append(line, "of", s.around)
	}
	if len(s.blocks) > 1 {
		c.fill(0, 2, line...)
		return
	}
	c.fill(0, 2, append(line, s.blocks[0].place(n)...)...)
	s.blocks[0].drawDatacenters(c, n)
}

// heading says on which vCenters a block is, if its sheet has several.
func (s *sheet) heading(c *canvas, n *names, i int) {
	if i > 0 {
		c.text("\n")
	}
	if len(s.blocks) > 1 {
		c.fill(0, 2, s.blocks[i].place(n)...)
		s.blocks[i].drawDatacenters(c, n)
	}
}

func (b *block) place(n *names) []string {
	if len(b.on) > 1 && len(b.on) == len(n.read) {
		return append(words("on all"), term.Count(len(b.on), "vCenter"))
	}
	if b.differ() { // each is named with its datacenter
		return append(words("on"), term.Count(len(b.on), "vCenter"))
	}
	full := make([]string, len(b.on))
	for i, v := range b.on {
		full[i] = n.servers[v]
	}
	return append(words("on"), listed(full)...)
}

func (o object) tree() string { return strings.Repeat("  ", o.depth) + o.label }

func (s *sheet) treeWidth() int {
	most := 0
	for _, b := range s.blocks {
		for _, o := range b.objects {
			most = max(most, term.Width(o.tree()))
		}
	}
	return most
}

func (s *sheet) wideWidths() []int {
	widths := []int{s.treeWidth()}
	for _, a := range s.columns {
		width := term.Width(s.heads[a])
		for _, b := range s.blocks {
			for _, o := range b.objects {
				for _, m := range o.change[a] {
					width = max(width, term.Width(m.String()))
				}
			}
		}
		widths = append(widths, width)
	}
	return widths
}

func (s *sheet) wideFits(c *canvas) bool {
	used := -gap
	for _, w := range s.wideWidths() {
		used += gap + w
	}
	return c.fits(used)
}

// wide draws the tree with a column for each account and roles in the cells.
func (s *sheet) wide(c *canvas, n *names) bool {
	widths, head := s.wideWidths(), []span{{}}
	for _, a := range s.columns {
		head = append(head, span{"", s.heads[a]})
	}
	c.cells(widths, head...)
	for i, b := range s.blocks {
		s.heading(c, n, i)
		for _, o := range b.objects {
			lines := 1
			for _, marks := range o.change {
				lines = max(lines, len(marks))
			}
			for i := range lines {
				c.cells(widths, o.line(n, s.columns, i)...)
			}
		}
	}
	return true
}

// line is the i-th line of an object; it has two only where an account has two changes.
func (o object) line(n *names, columns []account, i int) []span {
	cells := []span{{}}
	if i == 0 {
		cells[0].text = o.tree()
	}
	for _, a := range columns {
		switch marks := o.change[a]; {
		case i < len(marks):
			cells = append(cells, span{marks[i].sign, marks[i].String()})
		case i == 0:
			cells = append(cells, span{"", n.own(nothing)})
		default:
			cells = append(cells, span{})
		}
	}
	return cells
}

// narrow draws the tree with a row for each role on an object: cells hold signs, and heads are on
// lines above each other. It returns false and draws nothing if it does not fit.
func (s *sheet) narrow(c *canvas, n *names) bool {
	cell := 2
	widths := []int{s.treeWidth(), 0}
	for _, b := range s.blocks {
		for _, o := range b.objects {
			for _, role := range o.roles(s.columns) {
				widths[1] = max(widths[1], term.Width(role))
				for _, sign := range o.signs(n, s.columns, role, false)[2:] {
					cell = max(cell, term.Width(sign.text))
				}
			}
		}
	}
	start := widths[0] + gap + widths[1] + gap
	for i, a := range s.columns {
		widths = append(widths, cell)
		if !c.fits(start + i*(cell+gap) + max(cell, term.Width(s.heads[a]))) {
			return false
		}
	}
	for i, a := range s.columns {
		c.text(strings.Repeat(" ", start) + strings.Repeat(n.own("│")+strings.Repeat(" ", cell+gap-1), i) + s.heads[a] + "\n")
	}
	for i, b := range s.blocks {
		s.heading(c, n, i)
		for _, o := range b.objects {
			for i, role := range o.roles(s.columns) {
				c.cells(widths, o.signs(n, s.columns, role, i == 0)...)
			}
		}
	}
	return true
}

func (o object) signs(n *names, columns []account, role string, first bool) []span {
	cells := []span{{}, {"", role}}
	if first {
		cells[0].text = o.tree()
	}
	for _, a := range columns {
		cell := span{}
		for _, m := range o.change[a] {
			if m.role != role {
				continue
			}
			cell.sign = m.sign
			cell.text += m.sign + m.below
		}
		if cell.text == "" {
			cell.text = n.own(nothing)
		}
		cells = append(cells, cell)
	}
	return cells
}

// roles are the roles that marks of an object name, each once, by column.
func (o object) roles(columns []account) []string {
	var all []string
	for _, a := range columns {
		for _, m := range o.change[a] {
			if !slices.Contains(all, m.role) {
				all = append(all, m.role)
			}
		}
	}
	return all
}

// list draws each object with the changes on it below, for what is too wide for a matrix.
func (s *sheet) list(c *canvas, n *names) {
	for i, b := range s.blocks {
		s.heading(c, n, i)
		for _, o := range b.objects {
			c.fill(0, 0, label(o.path))
			for _, m := range o.marks(s.columns) {
				var who []string
				for _, a := range s.columns {
					if slices.Contains(o.change[a], m) {
						who = append(who, s.heads[a])
					}
				}
				role := strings.SplitAfter(m.String()+":", n.own(to))
				for i := range role {
					role[i] = strings.TrimSuffix(role[i], " ")
				}
				c.filled(m.sign, 2, 4, append(role, listed(who)...)...)
			}
		}
	}
}

// marks are the changes on an object, each once, by column.
func (o object) marks(columns []account) []mark {
	var all []mark
	for _, a := range columns {
		for _, m := range o.change[a] {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}
