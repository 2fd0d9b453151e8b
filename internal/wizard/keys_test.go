package wizard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/AlecAivazis/survey/v2/terminal"
	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// typed is a terminal on which each chunk arrives in one piece.
type typed struct{ chunks [][]byte }

func (t *typed) Fd() uintptr { return 0 }

func (t *typed) Read(p []byte) (int, error) {
	if len(t.chunks) == 0 {
		return 0, io.EOF
	}
	n := copy(p, t.chunks[0])
	if t.chunks[0] = t.chunks[0][n:]; len(t.chunks[0]) == 0 {
		t.chunks = t.chunks[1:]
	}
	return n, nil
}

// read gives the keys one by one; an interrupt that means back is "back".
func read(k *keyboard) []string {
	var keys []string
	for {
		buf := make([]byte, 4096)
		n, err := k.Read(buf)
		if err != nil {
			return keys
		}
		key := string(buf[:n])
		if key == "\x03" && k.wentBack() {
			key = "back"
		}
		keys = append(keys, key)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chunks  []string
		reports int
		want    []string
	}{
		{[]string{"ab", "c"}, 0, []string{"a", "b", "c"}},
		{[]string{"é‹x"}, 0, []string{"é", "‹", "x"}},
		{[]string{"\x1b"}, 0, []string{"back"}},
		{[]string{"\x1b\x1b"}, 0, []string{"back", "back"}},
		{[]string{"\x1b[A\x1b[B"}, 0, []string{"\x1b[A", "\x1b[B"}},
		{[]string{"\x1bOA", "\x1b[3~x", "\x1b[1;5Dy", "\x15", "\x17"}, 0, []string{"\x1bOA", "x", "y", "\x18", "\x18"}},
		{[]string{"\x1bb", "c"}, 0, []string{"c"}}, // Alt-b is no key of ours
		{[]string{"\x03"}, 0, []string{"\x03"}},
		{[]string{"\x04"}, 0, []string{"\x03"}},
		{[]string{"\x1b\x03"}, 0, []string{"back", "\x03"}}, // pressed one after the other, read at once
		{[]string{"\x1b\x04x"}, 0, []string{"back", "\x03", "x"}},
		{[]string{"\x1b[12;1R", "x"}, 1, []string{"\x1b[12;1R", "x"}},
		{[]string{"Rab\x1b[12;1Rx\x1b"}, 1, []string{"\x1b[12;1R", "R", "a", "b", "x", "back"}},
		{[]string{"a\x1b", "[12;1R", "\x1b"}, 1, []string{"\x1b[12;1R", "a", "back"}},
		{[]string{"\xc3", "\xa9x"}, 0, []string{"é", "x"}},
	} {
		k := &keyboard{in: &typed{}}
		k.expected.Store(int32(c.reports))
		for _, chunk := range c.chunks {
			k.in.(*typed).chunks = append(k.in.(*typed).chunks, []byte(chunk))
		}
		if diff := cmp.Diff(c.want, read(k)); diff != "" {
			t.Errorf("%q (- want): %s", c.chunks, diff)
		}
	}
}

// FuzzKeys: whatever is typed, every read ends with a key or with the end, and what is no control sequence comes through.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("plain \x1b[A text"), 3, 0)
	f.Add([]byte("\x1b[6;1R\x1b\x1b["), 2, 1)
	f.Add([]byte("\xff\x1bO\x04"), 1, 2)
	f.Fuzz(func(t *testing.T, text []byte, size, reports int) {
		k := &keyboard{in: &typed{chunks: slices.Collect(slices.Chunk(slices.Clone(text), max(1, min(size, 100))))}}
		k.expected.Store(int32(max(0, min(reports, 3))))
		total := 0
		for _, key := range read(k) {
			if key == "" {
				t.Fatal("a key of nothing")
			}
			total += len(key)
		}
		if !bytes.ContainsAny(text, "\x1b\x04") && total != len(text) {
			t.Errorf("%d of %d bytes came through", total, len(text))
		}
	})
}

func TestReportsAreCounted(t *testing.T) {
	t.Parallel()
	k := &keyboard{}
	s := &screen{keys: k}
	if _, _ = s.Write([]byte("a\x1b[6nb\x1b[6n")); k.expected.Load() != 2 {
		t.Errorf("%d reports expected", k.expected.Load())
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	entries := []Entry{{"folder/Web One", ""}, {"web-two", "port group"}, {"other", "<odd>"}}
	for typed, want := range map[string]string{
		"": "0123", "web": "01", "WEB one": "0", "one web": "0", "port": "1", "<": "3", " < ": "3", "nothing": "3", "odd": "2", "  ": "0123",
	} {
		f := newFilter(entries)
		var got strings.Builder
		for i := range len(entries) + 1 {
			if f.match(typed, "", i) {
				fmt.Fprint(&got, i)
			}
		}
		if got.String() != want {
			t.Errorf("%q shows %s, want %s", typed, got.String(), want)
		}
	}
}

// A key costs the filter one look at each entry, however often it is asked.
func BenchmarkFilter(b *testing.B) {
	entries := make([]Entry, 5000)
	for i := range entries {
		entries[i].Label = fmt.Sprintf("datacenter/folder %03d/machine-%05d", i/200, i)
	}
	f := newFilter(entries)
	for b.Loop() {
		for _, typed := range []string{"m", "ma", "mac", "mac 49", "mac 499"} {
			for range 3 {
				for i := range len(entries) + 1 {
					f.match(typed, "", i)
				}
			}
		}
	}
}

// Where the locale is C, our own signs are ASCII, and names are as they are.
func TestLabelsOfTheLocale(t *testing.T) {
	t.Parallel()
	f := termtest.NewFake()
	f.Env["LC_ALL"] = "C"
	lines, notes, _ := labels([]Entry{{"Prod→DR", ""}, {strings.Repeat("a→b", 20), ""}}, 20, f.ErrColors())
	want := []string{"Prod→DR", "a→ba→ba~" + strings.Repeat("a→b", 4), "< back"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if whole := strings.NewReplacer("\n", "", " ", "").Replace(notes[1]); whole != strings.Repeat("a→b", 20) {
		t.Errorf("%q", whole)
	}
}

func TestLabelsFit(t *testing.T) {
	t.Parallel()
	entries := []Entry{{"short", "with a note"}, {"short", "with a note that is much too long for the line"}, {strings.Repeat("long/", 20) + "end", "n"}, {"bell\a\x1b[2J", ""}, {strings.Repeat("漢字/", 12) + "終", "wide"}}
	for _, width := range []int{10, 37, 80} {
		lines, notes, more := labels(entries, width, term.Palette{})
		for i, l := range lines {
			shown := l + listNote(notes[i], true)
			for _, l := range append(strings.Split(shown, "\n"), l+listNote(notes[i], false)) {
				if terminal.StringWidth(l) > width || strings.ContainsAny(l, "\a\x1b") {
					t.Errorf("width %d: %q", width, l)
				}
			}
			if n := strings.Count(shown, "\n"); n > more || strings.Contains(listNote(notes[i], false), "\n") {
				t.Errorf("width %d: %d lines more than %d: %q", width, n, more, shown)
			}
			if i == len(entries) {
				continue
			}
			whole := entries[i].Label + entries[i].Note // what is cut is all there once it is marked
			if got := strings.NewReplacer("\n", "", " ", "", "(", "", ")", "").Replace(shown); !strings.HasSuffix(got, strings.ReplaceAll(term.Line(whole), " ", "")) {
				t.Errorf("width %d: %q is not all there: %q", width, whole, shown)
			}
		}
		if !strings.HasSuffix(lines[2], "end") || !strings.HasPrefix(lines[2], "lon") {
			t.Errorf("width %d: %q", width, lines[2])
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, chosen, page, first, at int }{{3, 2, 10, 0, 2}, {30, 20, 10, 20, 0}, {30, 0, 10, 0, 0}, {3, -1, 10, 0, 0}, {0, 0, 10, -1, 0}} {
		index, at := order(c.n, c.chosen, c.page)
		first := -1
		if len(index) > 0 {
			first = index[0]
		}
		sorted := slices.Clone(index)
		slices.Sort(sorted)
		if first != c.first || at != c.at || len(slices.Compact(sorted)) != c.n {
			t.Errorf("%+v: first %d at %d of %v", c, first, at, index)
		}
	}
}

// TestNetworksOfOnePath offers once what NSX makes several times, with the note of what is meant.
func TestNetworksOfOnePath(t *testing.T) {
	t.Parallel()
	const several = "several of this path: OpenShift takes the first that the cluster lists"
	got := distinct([]vcenter.Item{
		{Path: "/DC1/network/a", Note: "distributed port group"},
		{Path: "/DC1/network/a", Note: "opaque network of NSX"},
		{Path: "/DC1/network/b"},
		{Path: "/DC1/network/b", Note: unreached},
		{Path: "/DC1/network/c", Note: unreached},
		{Path: "/DC1/network/c", Note: unreached},
	})
	var notes []string
	for _, it := range got {
		notes = append(notes, it.Path+" "+it.Note)
	}
	if d := cmp.Diff([]string{"/DC1/network/a " + several, "/DC1/network/b ", "/DC1/network/c " + unreached}, notes); d != "" {
		t.Error(d)
	}
}

func TestErrorsAreTold(t *testing.T) {
	t.Parallel()
	e := &StoppedError{Interrupted: true, Draft: "x.draft", err: ErrInterrupted}
	if !errors.Is(e, ErrInterrupted) || !strings.Contains(e.Error(), "x.draft") {
		t.Error(e)
	}
}
