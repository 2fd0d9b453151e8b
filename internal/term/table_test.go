package term

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"pgregory.net/rapid"
)

func render(t *testing.T, table *Table, width int) string {
	t.Helper()
	var buf bytes.Buffer
	if err := table.Render(&buf, width); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestTableIsPlain(t *testing.T) {
	t.Parallel()
	table := NewTable("name", "as of")
	table.Row("default", 2)
	table.Row("naïve 日本", "")
	want := "NAME        AS OF\ndefault     2\nnaïve 日本\n"
	if diff := cmp.Diff(want, render(t, table, 0)); diff != "" {
		t.Error(diff)
	}
	if got := render(t, NewTable(), 0); got != "" {
		t.Errorf("an empty table prints %q", got)
	}
}

func TestTableSteersNoTerminal(t *testing.T) {
	t.Parallel()
	table := NewTable()
	table.Row("a\x1b[31mb\u009bc\nd", 1)
	table.Row(Lines{"two\x1b", "lines"}, "x")
	want := "a\\x1b[31mb\\u009bc\\x0ad  1\ntwo\\x1b                 x\nlines\n"
	if diff := cmp.Diff(want, render(t, table, 0)); diff != "" {
		t.Error(diff)
	}
	colors := Palette{on: true}
	for _, paint := range []func(string) Painted{colors.Good, colors.Bad, colors.Warn, colors.Bold, colors.Dim} {
		table = NewTable()
		table.Row(paint("o\x1b[5mk"), "x")
		table.Row("pass for "+paint("painted").String(), "x")
		got := render(t, table, 0)
		if want := paint("o").code + `o\x1b[5mk` + unpainted; !strings.HasPrefix(got, want) {
			t.Errorf("%q, want first %q", got, want)
		}
		if !strings.Contains(got, `\x1b[0m`) {
			t.Errorf("a text with a colour of its own keeps it: %q", got)
		}
	}
}

func TestTableWrapsBetweenWords(t *testing.T) {
	t.Parallel()
	table := NewTable("privilege", "why")
	table.Row("Datastore.FileManagement", "the driver moves and deletes volumes")
	want := "" +
		"PRIVILEGE                 WHY\n" +
		"Datastore.FileManagement  the driver\n" +
		"                          moves and\n" +
		"                          deletes\n" +
		"                          volumes\n"
	if diff := cmp.Diff(want, render(t, table, 38)); diff != "" {
		t.Error(diff)
	}
}

func TestTableBreaksIdsOnlyWhereNothingElseIsLeft(t *testing.T) {
	t.Parallel()
	table := NewTable("", "")
	table.Row("InventoryService.Tagging.AttachTag", "x")
	got := render(t, table, 24)
	if !strings.Contains(got, "InventoryService.\n") && !strings.Contains(got, "InventoryService.  x") {
		t.Errorf("broken elsewhere:\n%s", got)
	}
}

// Whatever the cells and the width: no line is wider than asked (where a column per character is left), and no
// character of a cell is lost.
func TestTableFitsAndLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		columns := rapid.IntRange(1, 5).Draw(rt, "columns")
		width := rapid.IntRange(20, 120).Draw(rt, "width")
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`([a-zA-Z.]{1,30} ?){0,6}`), columns, columns), 1, 6).Draw(rt, "rows")
		table := NewTable()
		letters := map[rune]int{}
		for _, row := range rows {
			cells := make([]any, len(row))
			for i, c := range row {
				cells[i] = c
				for _, r := range c {
					letters[r]++
				}
			}
			table.Row(cells...)
		}
		var buf bytes.Buffer
		if err := table.Render(&buf, width); err != nil {
			rt.Fatal(err)
		}
		for line := range strings.Lines(buf.String()) {
			line = strings.TrimSuffix(line, "\n")
			if twwidth.Width(line) > width {
				rt.Fatalf("a line is %d wide, more than %d:\n%s", twwidth.Width(line), width, buf.String())
			}
			if strings.HasSuffix(line, " ") {
				rt.Fatalf("blanks at a line's end: %q", line)
			}
			for _, r := range line {
				letters[r]--
			}
		}
		for r, n := range letters {
			if r != ' ' && n != 0 {
				rt.Fatalf("%d × %q lost in\n%s", n, r, buf.String())
			}
		}
	})
}

// A thumbprint is copied: it reaches beyond a narrow table in one piece.
func TestTableKeepsThumbprints(t *testing.T) {
	t.Parallel()
	thumbprint := strings.Repeat("AB:", 31) + "CD"
	table := NewTable("vcenter", "check", "found")
	table.Row("vcenter1.example.com", "certificate trusted", "SHA-256 "+thumbprint+", valid until 2035-11-23")
	for _, width := range []int{40, 80} {
		if got := render(t, table, width); !strings.Contains(got, thumbprint) {
			t.Errorf("%d columns:\n%s", width, got)
		}
	}
}
