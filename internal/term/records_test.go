package term

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRenderRecords(t *testing.T) {
	t.Parallel()
	table := NewTable("vcenter", "principal", "role", "state")
	table.Row("vcenter1.example.com", `VSPHERE.LOCAL\ocp-cluster1-csi-driver`, "ReadOnly", "wanted")
	table.Row("vcenter2.example.com", `VSPHERE.LOCAL\backup`, "", "differs, and it takes some words to say how")
	render := func(width int) string {
		var b strings.Builder
		if err := table.RenderRecords(&b, width); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	narrow := `VCENTER    vcenter1.example.com
PRINCIPAL  VSPHERE.LOCAL\ocp-cluster1-csi-driver
ROLE       ReadOnly
STATE      wanted

VCENTER    vcenter2.example.com
PRINCIPAL  VSPHERE.LOCAL\backup
STATE      differs, and it takes some words to say
           how
`
	if diff := cmp.Diff(narrow, render(50)); diff != "" {
		t.Error(diff)
	}
	for _, wide := range []int{0, 200} {
		if got := render(wide); !strings.HasPrefix(got, "VCENTER               PRINCIPAL ") || strings.Count(got, "\n") != 3 {
			t.Errorf("%d columns:\n%s", wide, got)
		}
	}
	for _, line := range strings.Split(render(24), "\n") {
		if len(line) > 24 {
			t.Errorf("longer than the terminal is wide: %q", line)
		}
	}
}

// What a cell of a table keeps, it keeps in a paragraph too.
func TestRecordsKeepLinesAndColours(t *testing.T) {
	t.Parallel()
	red := Palette{on: true}.Bad("expired").String()
	table := NewTable("vcenter", "user", "state")
	table.Row(Lines{"vcenter1.example.com", "vcenter2.example.com"}, "alice\nbob", Palette{on: true}.Bad("expired"))
	var b strings.Builder
	if err := table.RenderRecords(&b, 40); err != nil {
		t.Fatal(err)
	}
	want := "VCENTER  vcenter1.example.com\n" +
		"         vcenter2.example.com\n" +
		"USER     alice\\x0abob\n" +
		"STATE    " + red
	if got := b.String(); !strings.HasPrefix(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

func TestRenderWholeKeepsNamesInOnePiece(t *testing.T) {
	t.Parallel()
	table := NewTable("vcenter", "found")
	table.Row("vcenter1.example.com", "SHA-256 53:98:C9:EA:60:56:C7:E3:71:84:2A:11:85:F0:B9:B6, valid")
	for width, want := range map[int]string{
		0:  "VCENTER               FOUND\n",
		60: "VCENTER               FOUND\n", // the last column is text, and may be broken
		42: "VCENTER               FOUND\n",
		41: "VCENTER  vcenter1.example.com\n",
	} {
		var b strings.Builder
		if err := table.RenderWhole(&b, width); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), want) {
			t.Errorf("%d columns:\n%s", width, b.String())
		}
	}
	var b strings.Builder
	if err := NewTable().RenderWhole(&b, 10); err != nil || b.Len() > 0 {
		t.Errorf("a table of nothing: %v, %q", err, b.String())
	}
}
