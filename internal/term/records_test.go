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

// A list of accounts on a terminal: at 120 columns a vCenter is named once, at 80 what all rows say is, or a row has several lines.
func TestFoldedTables(t *testing.T) {
	t.Parallel()
	table := func(state2 string) *Table {
		t := NewTable("vcenter", "component", "cluster", "account", "state", "days left", "password known", "note")
		for _, server := range []string{"vcenter1.example.com", "vcenter2.example.com"} {
			t.Row(server, "machine-api", "cluster1", "ocp-cluster1-machine-api@vsphere.local", "ok", 90, "yes", "")
			t.Row(server, "cloud-controller", "cluster1", "ocp-cluster1-cloud-controller@vsphere.local", state2, 90, "yes", "")
		}
		t.Row("vcenter3.example.com", "not read, see below", "", "", "", "", "", "")
		return t
	}
	for name, c := range map[string]struct {
		state string
		width int
		want  string
	}{
		"wide": {"ok", 120, `VCENTER
  COMPONENT            CLUSTER   ACCOUNT                                      STATE  DAYS LEFT  PASSWORD KNOWN
vcenter1.example.com
  machine-api          cluster1  ocp-cluster1-machine-api@vsphere.local       ok     90         yes
  cloud-controller     cluster1  ocp-cluster1-cloud-controller@vsphere.local  ok     90         yes
vcenter2.example.com
  machine-api          cluster1  ocp-cluster1-machine-api@vsphere.local       ok     90         yes
  cloud-controller     cluster1  ocp-cluster1-cloud-controller@vsphere.local  ok     90         yes
vcenter3.example.com
  not read, see below
`},
		"narrow": {"ok", 80, `in every row: CLUSTER cluster1, STATE ok, DAYS LEFT 90, PASSWORD KNOWN yes
VCENTER
  COMPONENT            ACCOUNT
vcenter1.example.com
  machine-api          ocp-cluster1-machine-api@vsphere.local
  cloud-controller     ocp-cluster1-cloud-controller@vsphere.local
vcenter2.example.com
  machine-api          ocp-cluster1-machine-api@vsphere.local
  cloud-controller     ocp-cluster1-cloud-controller@vsphere.local
vcenter3.example.com
  not read, see below
`},
		"narrow, and they differ": {"disabled, locked", 80, `VCENTER
  COMPONENT            CLUSTER   ACCOUNT
    STATE             DAYS LEFT  PASSWORD KNOWN
vcenter1.example.com
  machine-api          cluster1  ocp-cluster1-machine-api@vsphere.local
    ok                90         yes
  cloud-controller     cluster1  ocp-cluster1-cloud-controller@vsphere.local
    disabled, locked  90         yes
vcenter2.example.com
  machine-api          cluster1  ocp-cluster1-machine-api@vsphere.local
    ok                90         yes
  cloud-controller     cluster1  ocp-cluster1-cloud-controller@vsphere.local
    disabled, locked  90         yes
vcenter3.example.com
  not read, see below
`},
		"too narrow": {"ok", 40, "VCENTER    vcenter1.example.com\nCOMPONENT  machine-api\nCLUSTER    cluster1\n"},
	} {
		var b strings.Builder
		if err := table(c.state).RenderRecords(&b, c.width); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), c.want) || c.width > 40 && b.String() != c.want {
			t.Errorf("%s:\n%s", name, cmp.Diff(c.want, b.String()))
		}
	}
	var b strings.Builder
	remarks := NewTable("vcenter", "component", "account", "state")
	remarks.Row("vcenter1.example.com", "not read, see below", "", "")
	if err := remarks.RenderRecords(&b, 42); err != nil || b.String() != "VCENTER               COMPONENT\nvcenter1.example.com  not read, see below\n" {
		t.Errorf("%v:\n%s", err, b.String())
	}
}
