package wizard

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// backEntry is the last line of every list; typing backWord finds it.
const (
	backEntry = "‹ back"
	backWord  = "<"
)

// filter decides which entries of a list match what was typed. It is asked entry by entry, several times per key, so
// that it works out each answer once. The words typed must all occur, whatever their case. Back is shown where nothing
// is typed, where it is asked for, and where nothing else is left: the mark then never jumps onto it by accident.
type filter struct {
	lower   []string
	typed   string
	matches []bool
}

func newFilter(entries []Entry) *filter {
	f := &filter{}
	for _, e := range entries {
		f.lower = append(f.lower, strings.ToLower(e.Label+" "+e.Note))
	}
	return f
}

// match is the function that survey wants; the index of back is one behind the entries.
func (f *filter) match(typed, _ string, index int) bool {
	if f.matches == nil || typed != f.typed {
		f.typed, f.matches = typed, f.all(typed)
	}
	return f.matches[index]
}

func (f *filter) all(typed string) []bool {
	matches := make([]bool, len(f.lower)+1)
	back := &matches[len(f.lower)]
	if *back = strings.TrimSpace(typed) == backWord; *back {
		return matches
	}
	words := strings.Fields(strings.ToLower(typed))
	for i, text := range f.lower {
		matches[i] = !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	}
	*back = len(words) == 0 || !slices.Contains(matches[:len(f.lower)], true)
	return matches
}

// order puts the default first where the list is longer than the screen: the filter keeps the mark's position, and
// a mark far down would stay far down. It returns the old index of each entry and the position of the default.
func order(n, chosen, page int) (index []int, at int) {
	for i := range n {
		index = append(index, i)
	}
	if chosen < 0 || chosen >= n {
		return index, 0
	}
	if n < page {
		return index, chosen
	}
	return append([]int{chosen}, slices.Delete(index, chosen, chosen+1)...), 0
}

// labels are the lines as they are shown, each in at most width columns: a line that wraps would be counted wrong by
// whoever draws the list anew. The notes get what the labels leave, or nothing where that is too little to read.
func labels(entries []Entry, width int) (lines, notes []string) {
	const least = 10
	for _, e := range entries {
		line, note := clip(term.Line(e.Label), width), term.Line(e.Note)
		if room := width - utf8.RuneCountInString(line) - len("  ()"); note == "" || room < least {
			note = ""
		} else if runes := []rune(note); len(runes) > room {
			note = string(runes[:room-1]) + "…"
		}
		lines, notes = append(lines, line), append(notes, note)
	}
	return append(lines, clip(backEntry, width)), append(notes, "")
}

// clip takes out the middle of a line that is too long.
func clip(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width || width < 4 {
		return s
	}
	tail := (width - 1) * 2 / 3
	return string(runes[:width-1-tail]) + "…" + string(runes[len(runes)-tail:])
}
