package term

import (
	"io"
	"slices"
	"strings"
)

// folded is a table too wide for its lines, in fewer columns or several lines a row, without loss.
type folded struct {
	*Table
	width   int
	need    func(columns []int) int
	heading bool    // the first column is a line above the rows that share it
	same    []int   // columns of one value, which is said once
	lines   [][]int // the columns of each line of a row
}

// fold is the first of these that fits into width: without empty columns; below the values of the
// first one; without constant columns; in several lines a row. nil = none does, and no rows share a
// cell. need is the least width of columns.
func (t *Table) fold(width int, need func(columns []int) int) *folded {
	f := &folded{Table: t, width: width, need: need}
	var columns []int
	for _, row := range t.rows {
		for c, text := range row {
			if text != "" && !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	slices.Sort(columns)
	if f.fits(columns, 1) {
		return f
	}
	if len(t.rows) == 1 {
		return nil
	}
	most := len(columns) / 2 // a paragraph has a line for each
	if f.heading = t.shared() && len(columns) > 1 && columns[0] == 0; f.heading {
		columns = columns[1:]
	}
	same := slices.DeleteFunc(slices.Clone(columns), func(c int) bool { return !t.one(c) })
	different := slices.DeleteFunc(slices.Clone(columns), func(c int) bool { return slices.Contains(same, c) })
	for lines := 1; lines <= most; lines++ {
		if f.same = nil; f.fits(columns, lines) {
			return f
		}
		if f.same = same; f.fits(different, lines) {
			return f
		}
	}
	return nil
}

// fits cuts the columns into at most so many lines, if that will do.
func (f *folded) fits(columns []int, most int) bool {
	f.lines = nil
	for n := len(columns); len(columns) > 0; {
		switch {
		case n == 0, len(f.lines) == most:
			return false
		case f.indent(len(f.lines))+f.need(columns[:n]) > f.width:
			n--
		default:
			f.lines, columns = append(f.lines, columns[:n]), columns[n:]
			n = len(columns)
		}
	}
	return len(f.lines) > 0
}

// indent is where a line of a row begins.
func (f *folded) indent(line int) int {
	if f.heading {
		line++
	}
	return gap * line
}

// shared reports whether neighbouring rows have the same first cell; an empty one counts as equal.
func (t *Table) shared() bool {
	for i := range max(0, len(t.rows)-1) {
		if next := cell(t.rows[i+1], 0); next == "" || next == cell(t.rows[i], 0) {
			return true
		}
	}
	return false
}

// one reports whether a column is constant. Rows with a reason instead of cells do not count.
func (t *Table) one(column int) bool {
	var values []string
	for _, row := range t.rows {
		cells := slices.DeleteFunc(slices.Clone(row), func(text string) bool { return text == "" })
		if len(cells) > 2 || len(row) < 4 {
			values = append(values, cell(row, column))
		}
	}
	return len(values) > 1 && len(slices.Compact(values)) == 1
}

func cell(row []string, column int) string {
	if column < len(row) {
		return row[column]
	}
	return ""
}

func (f *folded) render(w io.Writer) error {
	upper := make([]string, len(f.header))
	for i, h := range f.header {
		upper[i] = strings.ToUpper(h)
	}
	var out strings.Builder
	if len(f.same) > 0 {
		cells := make([]string, len(f.same))
		for i, c := range f.same {
			cells[i] = cell(upper, c) + " " + f.value(c)
		}
		out.WriteString(Prose("in every row: "+strings.Join(cells, ", "), f.width, gap) + "\n")
	}
	widths := make([][]int, len(f.lines))
	for i, columns := range f.lines {
		var part [][]string
		for _, row := range append([][]string{upper}, f.rows...) {
			part = append(part, pick(row, columns))
		}
		widths[i] = fit(part, len(columns), f.width-f.indent(i))
	}
	above := ""
	for _, row := range append([][]string{upper}, f.rows...) {
		if first := cell(row, 0); f.heading && first != "" && first != above {
			out.WriteString(Wrap(first, f.width) + "\n")
			above = first
		}
		for i, columns := range f.lines {
			writeColumns(&out, f.indent(i), pick(row, columns), widths[i])
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// value is what a column of one value says.
func (f *folded) value(column int) string {
	for _, row := range f.rows {
		if text := cell(row, column); text != "" {
			return text
		}
	}
	return ""
}

func pick(row []string, columns []int) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = cell(row, c)
	}
	return out
}

// writeColumns writes cells, maybe of several lines, side by side; nothing if all are empty.
func writeColumns(out *strings.Builder, indent int, cells []string, widths []int) {
	parts, height := make([][]string, len(cells)), 0
	for i, text := range cells {
		if text != "" {
			parts[i] = strings.Split(Wrap(text, widths[i]), "\n")
			height = max(height, len(parts[i]))
		}
	}
	for line := range height {
		text := strings.Repeat(" ", indent)
		for i, part := range parts {
			piece := cell(part, line)
			text += piece + strings.Repeat(" ", max(0, widths[i]-Width(piece))+gap)
		}
		out.WriteString(strings.TrimRight(text, " ") + "\n")
	}
}
