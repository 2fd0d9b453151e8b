package wizard

import (
	"slices"
	"strings"

	"github.com/AlecAivazis/survey/v2/terminal"

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
// whoever draws the list anew. The notes get what the labels leave, or nothing where that is too little to read. An entry
// that is cut has the whole of it, in lines of its own, for when it is marked: see listNote.
func labels(entries []Entry, width int) (lines, notes []string, more int) {
	const least = 10
	for _, e := range entries {
		whole, note := term.Line(e.Label), term.Line(e.Note)
		line := clip(whole, width)
		if note != "" {
			note = "  (" + note + ")"
		}
		if room := width - terminal.StringWidth(line); line != whole || note != "" && terminal.StringWidth(note) > room {
			below := term.Wrap(whole+note, width-len(indent))
			more = max(more, strings.Count(below, "\n")+1)
			if note = head(note, room); room < least {
				note = ""
			}
			note += "\n" + indent + strings.ReplaceAll(below, "\n", "\n"+indent)
		}
		lines, notes = append(lines, line), append(notes, note)
	}
	return append(lines, clip(backEntry, width)), append(notes, ""), more
}

// listNote is what stands behind the label of an entry; the whole of one that is cut only where it is marked.
func listNote(note string, marked bool) string {
	if marked {
		return note
	}
	line, _, _ := strings.Cut(note, "\n")
	return line
}

// indent is before the lines that show the whole of an entry.
const indent = "   "

// clip takes out the middle of a line that is too long.
func clip(s string, width int) string {
	if terminal.StringWidth(s) <= width || width < 4 {
		return s
	}
	tail := []rune(s)
	for terminal.StringWidth(string(tail)) > (width-1)*2/3 {
		tail = tail[1:]
	}
	return head(s, width-terminal.StringWidth(string(tail))) + string(tail)
}

// head is the beginning of a line that is too long, with a sign that there is more.
func head(s string, width int) string {
	if terminal.StringWidth(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && terminal.StringWidth(string(runes)) > width-1 {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
