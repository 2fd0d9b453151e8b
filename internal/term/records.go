package term

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// RenderRecords is Render where the columns fit into width. Where they do not, every row becomes a paragraph, a line for
// each heading with its cell: names of accounts and objects are long, and in narrow columns nobody can read or copy them.
// Empty cells are left out there.
func (t *Table) RenderRecords(w io.Writer, width int) error {
	if width == 0 || t.natural() <= width || len(t.header) == 0 {
		return t.Render(w, width)
	}
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
	least := longestWords(append([][]string{t.header}, t.rows...))
	if n := len(least); n > 0 {
		least[n-1] = min(least[n-1], lastAtLeast)
	}
	if width == 0 || sum(least)+gap*(len(least)-1) <= width {
		return t.Render(w, width)
	}
	return t.RenderRecords(w, width)
}

// longestWords is the width of each column's longest word.
func longestWords(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			for _, word := range strings.Fields(cell) {
				widths[i] = max(widths[i], twwidth.Width(word))
			}
		}
	}
	return widths
}

// natural is how wide the table is when no cell is wrapped.
func (t *Table) natural() int {
	var widths []int
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			for line := range strings.SplitSeq(cell, "\n") {
				widths[i] = max(widths[i], twwidth.Width(line))
			}
		}
	}
	return sum(widths) + gap*max(0, len(widths)-1)
}
