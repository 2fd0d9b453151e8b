package term

import (
	"io"
	"strings"
)

// Table collects rows and lays them out in plain columns: no borders, left aligned, two blanks between columns, no
// blanks at line ends.
type Table struct {
	header []string
	rows   [][]string
}

// NewTable starts a table. Without headings the table has none.
func NewTable(header ...string) *Table {
	t := &Table{}
	for _, h := range header {
		t.header = append(t.header, strings.ToUpper(Line(h)))
	}
	return t
}

// Row adds a row. Cells are formatted with %v and made safe by [Line]; Lines start a new line in the cell each, and what a
// Palette painted keeps its colour.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Sprintf("%v", c)
	}
	t.rows = append(t.rows, row)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Render writes the table in at most width columns; 0 means that a line may be as long as it needs to be.
func (t *Table) Render(w io.Writer, width int) error {
	all := t.all()
	widths := fit(all, width)
	rows := make([][]string, len(all))
	for i, row := range all {
		for c, text := range row {
			rows[i] = append(rows[i], Wrap(text, widths[c]))
		}
	}
	widths = natural(rows) // no more than their lines take
	var out strings.Builder
	for _, row := range rows {
		writeColumns(&out, 0, row, widths)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// all are the rows, below the heading if there is one.
func (t *Table) all() [][]string {
	if len(t.header) == 0 {
		return t.rows
	}
	return append([][]string{t.header}, t.rows...)
}

// writeColumns writes cells, which may have several lines, beside each other.
func writeColumns(out *strings.Builder, indent int, cells []string, widths []int) {
	parts, height := make([][]string, len(cells)), 1
	for i, text := range cells {
		parts[i] = strings.Split(Wrap(text, widths[i]), "\n")
		height = max(height, len(parts[i]))
	}
	for line := range height {
		var text strings.Builder
		text.WriteString(strings.Repeat(" ", indent))
		for i, part := range parts {
			piece := cell(part, line)
			text.WriteString(piece + strings.Repeat(" ", max(0, widths[i]-Width(piece))+gap))
		}
		out.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
}
