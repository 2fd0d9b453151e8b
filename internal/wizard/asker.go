package wizard

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/AlecAivazis/survey/v2/terminal"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Why a question has no answer.
var (
	// ErrInterrupted: Ctrl-C or Ctrl-D.
	ErrInterrupted = errors.New("interrupted")
	errBack        = errors.New("back to the question before")
)

// Asker asks a person one question at a time. It makes names safe for the terminal and answers with
// the raw name. Every method returns [ErrInterrupted] after Ctrl-C, the context's error when that
// ended, and a private error when the person goes back.
type Asker interface {
	// Select returns the index of the chosen entry.
	Select(ctx context.Context, q Choice) (int, error)
	// MultiSelect returns the indexes of the chosen entries, in their order.
	MultiSelect(ctx context.Context, q Choices) ([]int, error)
	// Input returns a line without blanks around it, Default when it is empty.
	Input(ctx context.Context, q Line) (string, error)
	// Password returns a line typed without echo.
	Password(ctx context.Context, q Line) (string, error)
	// Busy shows what is waited for, until done is called.
	Busy(text string) (done func())
	// Say shows lines between the questions, wrapped. Names and faults in them cannot begin a line.
	Say(lines ...string)
}

// Entry is one line of a list.
type Entry struct {
	Label string // what is chosen, and what the filter looks at
	Note  string // what tells it from others
}

// Choice asks for one of a list.
type Choice struct {
	Message, Help string
	Entries       []Entry
	Default       int // index
}

// Choices asks for some of a list.
type Choices struct {
	Message, Help string
	Entries       []Entry
	Default       []int // indexes
	Check         func(chosen []int) error
}

// Line asks for text.
type Line struct {
	Message, Help string
	Default       string
	Check         func(text string) error // of the text that would be returned; nil = anything goes
}

// backEntry is the last line of every list; typing backWord finds it.
const (
	backEntry = "‹ back"
	backWord  = "<"
)

// filter decides which entries of a list match the typed words: all must occur, in any case. It is
// called for each entry several times per key, and caches each answer. Back is shown if nothing is
// typed, if it is asked for, or if nothing else matches, so that the mark never jumps onto it by
// accident.
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

// order puts the default first if the list is longer than the screen, because the filter keeps the
// mark's position. It returns the old index of each entry and the position of the default.
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

// labels are the lines to show, in at most width columns: wrapped lines would be miscounted when
// the list is redrawn. Notes get the remaining columns, or none if too few. more is the number of
// extra lines that a cut entry needs when it is marked: see listNote.
func labels(entries []Entry, width int, p term.Palette) (lines, notes []string, more int) {
	const least = 10
	for _, e := range entries {
		whole, note := term.Line(e.Label), term.Line(e.Note)
		line := clip(whole, width, p)
		if note != "" {
			note = "  (" + note + ")"
		}
		if room := width - terminal.StringWidth(line); line != whole ||
			note != "" && terminal.StringWidth(note) > room {
			below := term.Wrap(whole+note, width-len(indent))
			more = max(more, strings.Count(below, "\n")+1)
			if note = head(note, room, p); room < least {
				note = ""
			}
			note += "\n" + indent + strings.ReplaceAll(below, "\n", "\n"+indent)
		}
		lines, notes = append(lines, line), append(notes, note)
	}
	return append(lines, clip(p.Own(backEntry), width, p)), append(notes, ""), more
}

// listNote stands after the label of an entry; that of a cut one has the whole entry when marked.
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
func clip(s string, width int, p term.Palette) string {
	if terminal.StringWidth(s) <= width || width < 4 {
		return s
	}
	tail := []rune(s)
	for terminal.StringWidth(string(tail)) > (width-1)*2/3 {
		tail = tail[1:]
	}
	return head(s, width-terminal.StringWidth(string(tail)), p) + string(tail)
}

// head is the beginning of a line that is too long, with a sign that there is more.
func head(s string, width int, p term.Palette) string {
	if terminal.StringWidth(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && terminal.StringWidth(string(runes)) > width-1 {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + p.Own("…")
}
