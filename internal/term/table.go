package term

import (
	"bytes"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Table lays out rows in plain columns: no borders, left aligned, two blanks between columns, none
// at line ends.
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

// Row adds a row; cells that it leaves out are empty. Cells are formatted with %v and made safe by
// [Line]; Lines start a new line each, and painted text keeps its colour.
func (t *Table) Row(cells ...any) {
	row := make([]string, max(len(cells), len(t.header)))
	for i, c := range cells {
		row[i] = Sprintf("%v", c)
	}
	t.rows = append(t.rows, row)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Render writes the table in at most width columns; 0 means no limit.
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

// RenderRecords is Render if the columns fit into width. Else the table is folded; if even that is
// too wide, every row becomes a paragraph with a line for each heading and its cell, because long
// names are unreadable in narrow columns. Empty cells are left out there.
func (t *Table) RenderRecords(w io.Writer, width int) error {
	natural := widest(append([][]string{t.header}, t.rows...),
		func(cell string) []string { return strings.Split(cell, "\n") })
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
			// Row made it safe with lines and colours
			paragraph.rows = append(paragraph.rows, []string{label, cell})
		}
		if err := paragraph.Render(w, width); err != nil {
			return err
		}
	}
	return nil
}

// lastAtLeast is how much of the last column's longest word, which is text, a table does not break.
const lastAtLeast = 20

// RenderWhole is Render if that breaks words of the last column only, else RenderRecords.
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
