package term

import (
	"bytes"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
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
		t.header = append(t.header, Line(h))
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
	columns := len(t.header)
	for _, row := range t.rows {
		columns = max(columns, len(row))
	}
	if columns == 0 {
		return nil
	}
	all := make([][]string, 0, len(t.rows)+1)
	if len(t.header) > 0 {
		upper := make([]string, len(t.header))
		for i, h := range t.header {
			upper[i] = strings.ToUpper(h)
		}
		all = append(all, upper)
	}
	all = append(all, t.rows...)
	widths := fit(all, columns, width)

	var buf bytes.Buffer
	table := tablewriter.NewTable(&buf,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithRowAlignment(tw.AlignLeft),
		tablewriter.WithPadding(tw.Padding{Left: "", Right: strings.Repeat(" ", gap), Overwrite: true}),
		tablewriter.WithTrimSpace(tw.Off),
	)
	for _, row := range all { // the heading is a row: a heading of its own would be reformatted
		cells := make([]string, columns)
		for i, cell := range row {
			cells[i] = Wrap(cell, widths[i])
		}
		if err := table.Append(cells); err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(buf.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
