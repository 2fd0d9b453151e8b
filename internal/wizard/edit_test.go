package wizard

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/AlecAivazis/survey/v2/terminal"
	"pgregory.net/rapid"
)

// answering is a terminal that shows nothing, and says where its cursor is, behind what was typed ahead.
type answering struct {
	typed
	keys *keyboard
}

func (a *answering) Write(p []byte) (int, error) {
	for range bytes.Count(p, askPosition) {
		a.keys.expected.Add(1)
		a.chunks = slices.Insert(a.chunks, min(1, len(a.chunks)), []byte("\x1b[1;1R"))
	}
	return len(p), nil
}

// typedLine is what survey reads when these keys are pressed.
func typedLine(t interface{ Fatal(...any) }, mask rune, keys ...string) string {
	tty := &answering{}
	for _, key := range append(keys, "\r") {
		tty.chunks = append(tty.chunks, []byte(key))
	}
	tty.keys = &keyboard{in: tty}
	tty.keys.begin(true)
	line, err := terminal.NewRuneReader(terminal.Stdio{In: tty.keys, Out: tty, Err: io.Discard}).ReadLine(mask)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// The keys of a shell edit a line that survey reads, shown or not.
func TestEditingKeys(t *testing.T) {
	t.Parallel()
	const (
		u, w, k, a, e     = "\x15", "\x17", "\x0b", "\x01", "\x05"
		left, home, end   = "\x1b[D", "\x1b[H", "\x1b[F"
		altB, altF, ctrlL = "\x1bb", "\x1bf", "\x1b[1;5D"
	)
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"abc", u, "x"}, "x"},
		{[]string{"abc", left, u, "x"}, "xc"},
		{[]string{"abc", left, left, k, "x"}, "ax"},
		{[]string{"abc", a, "x", e, "y"}, "xabcy"},
		{[]string{"abc", home, "x", end, "y"}, "xabcy"},
		{[]string{"abc", "\x1b[1~", "x", "\x1b[4~", "y"}, "xabcy"},
		{[]string{"abc", "\x1bOH", "x", "\x1bOF", "y"}, "xabcy"},
		{[]string{"/DC1/vm/old", w, "new"}, "/DC1/vm/new"},
		{[]string{"two words  ", w, "x"}, "two x"},
		{[]string{"one two", altB, "x"}, "one xtwo"},
		{[]string{"one two", ctrlL, ctrlL, altF, "x"}, "onex two"},
		{[]string{"one two", ctrlL, w}, "two"},
		{[]string{"one two", a, "\x1bd"}, " two"},
		{[]string{"one two", "\x1b\x7f"}, "one "},
		{[]string{"grün ", "wörter", w, "é"}, "grün é"},
		{[]string{"漢字 x", w, w, "y"}, "y"},
		{[]string{"abc", a, "\x1b[3~"}, "bc"},
		{[]string{u, w, k, "a", "\x1b[15~", "\x1b[1;2P", "b"}, "ab"}, // keys that mean nothing type nothing
	} {
		for _, mask := range []rune{0, '*'} {
			if got := typedLine(t, mask, c.keys...); got != c.want {
				t.Errorf("%q: %q, want %q", c.keys, got, c.want)
			}
		}
	}
}

// Whatever is pressed: what survey reads is the line that the keyboard follows.
func TestEditFollowsSurvey(t *testing.T) {
	t.Parallel()
	keys := []string{"a", "/", " ", "ü", "漢", "\x7f", "\b", "\x01", "\x02", "\x05", "\x06", "\x0b", "\x12", "\x15", "\x17", "\x1b[C", "\x1b[D", "\x1b[3~", "\x1bb", "\x1bf", "\x1bd", "\x1b[1;5C", "\t", "\x1b[Z"}
	rapid.Check(t, func(t *rapid.T) {
		pressed := rapid.SliceOfN(rapid.SampledFrom(keys), 0, 40).Draw(t, "keys")
		e := &edit{}
		for _, key := range pressed {
			e.press([]byte(key))
		}
		if got, want := typedLine(t, 0, pressed...), string(e.line); got != want {
			t.Errorf("survey reads %q, the keyboard has %q", got, want)
		}
		if e.at < 0 || e.at > len(e.line) || slices.Contains(e.line, '\t') {
			t.Errorf("%+v", e)
		}
	})
}
