package term

import (
	"io"
	"strings"
)

// RenderRecords is Render where the columns fit into width. Where they do not, the table is folded; where even that is too wide,
// every row becomes a paragraph, a line for each heading with its cell: names of accounts and objects are long, and in narrow
// columns nobody can read or copy them. Empty cells are left out there.
func (t *Table) RenderRecords(w io.Writer, width int) error {
	natural := widest(append([][]string{t.header}, t.rows...), func(cell string) []string { return strings.Split(cell, "\n") })
	return t.renderAs(w, width, natural)
}

// renderAs is Render where columns of these widths fit into width, else folded, else as paragraphs.
func (t *Table) renderAs(w io.Writer, width int, widths []int) error {
	need := func(columns []int) int {
		total := gap * max(0, len(columns)-1)
		for _, c := range columns {
			total += widths[c]
		}
		return total
	}
	if width == 0 || sum(widths)+gap*max(0, len(widths)-1) <= width || len(t.header) == 0 {
		return t.Render(w, width)
	}
	if f := t.fold(width, need); f != nil {
		return f.render(w)
	}
	return t.paragraphs(w, width)
}

func (t *Table) paragraphs(w io.Writer, width int) error {
	for i, row := range t.rows {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		paragraph := NewTable()
		for n, cell := range row {
			if cell == "" {
				continue
			}
			label := ""
			if n < len(t.header) {
				label = strings.ToUpper(t.header[n])
			}
			paragraph.rows = append(paragraph.rows, []string{label, cell}) // Row has made it safe: its lines and colours stay
		}
		if err := paragraph.Render(w, width); err != nil {
			return err
		}
	}
	return nil
}

// lastAtLeast is how much of the last column's longest word a table keeps in one piece: what stands there is text.
const lastAtLeast = 20

// RenderWhole is Render where it breaks no word but those of the last column, and RenderRecords where it would.
func (t *Table) RenderWhole(w io.Writer, width int) error {
	least := widest(append([][]string{t.header}, t.rows...), strings.Fields)
	if n := len(least); n > 0 {
		least[n-1] = min(least[n-1], lastAtLeast)
	}
	return t.renderAs(w, width, least)
}

// widest is the width of each column's widest part.
func widest(rows [][]string, parts func(cell string) []string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			for _, part := range parts(cell) {
				widths[i] = max(widths[i], Width(part))
			}
		}
	}
	return widths
}
