package wizard

import (
	"bytes"
	"os"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/AlecAivazis/survey/v2/terminal"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// Keys that mean the same in every question.
const (
	keyInterrupt = 0x03 // Ctrl-C, which survey knows
	keyEnd       = 0x04 // Ctrl-D
	keyEscape    = 0x1b
)

// askPosition asks for the cursor's position; the answer arrives as if typed.
var askPosition = []byte("\x1b[6n")

var position = pattern.Of(`\x1b\[\d+;\d+R`)

// keyboard is the terminal's input for survey, one key at a time: each question has a buffer of its
// own, and would lose what was typed ahead for the next one. Escape alone goes back: survey hears
// an interrupt, and back tells why.
type keyboard struct {
	in terminal.FileReader

	expected atomic.Int32 // answers to askPosition that are on their way

	pending []byte
	queue   [][]byte // keys for survey that one key was put as
	line    *edit    // what survey reads; nil = a list
	back    bool     // the last interrupt was the escape key
}

// Fd implements terminal.FileReader.
func (k *keyboard) Fd() uintptr { return k.in.Fd() }

// begin is for a question: text, or a list.
func (k *keyboard) begin(text bool) {
	k.queue, k.line = nil, nil
	if text {
		k.line = &edit{}
	}
}

// Read implements io.Reader: one key that survey knows, or a report.
func (k *keyboard) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if key := k.next(); len(key) > 0 {
			return copy(p, key), nil
		}
		buf := make([]byte, 4096)
		n, err := k.in.Read(buf)
		if n == 0 && len(k.pending) > 0 { // a part of something of which no more will come
			n = copy(p, k.pending)
			k.pending = k.pending[n:]
			return n, nil
		}
		if n == 0 {
			return 0, err
		}
		k.pending = append(k.pending, buf[:n]...)
	}
}

// next is what survey gets next; none when more has to be read. While the position is expected,
// typed keys wait.
func (k *keyboard) next() []byte {
	if k.expected.Load() > 0 {
		at := position().FindIndex(k.pending)
		if at == nil {
			return nil
		}
		k.expected.Add(-1)
		report := slices.Clone(k.pending[at[0]:at[1]])
		k.pending = slices.Delete(k.pending, at[0], at[1])
		return report
	}
	for len(k.queue) == 0 && utf8.FullRune(k.pending) {
		switch key := k.key(); {
		case len(key) == 1 && key[0] == keyInterrupt:
			return key
		case k.line != nil:
			k.queue = k.line.press(key)
		default:
			k.queue = listKeys(key)
		}
	}
	if len(k.queue) == 0 {
		return nil
	}
	key := k.queue[0]
	k.queue = k.queue[1:]
	return key
}

// key takes a key off what is pending.
func (k *keyboard) key() []byte {
	take := func(n int) []byte {
		n = min(n, len(k.pending))
		key := k.pending[:n]
		k.pending = k.pending[n:]
		return key
	}
	switch first := k.pending[0]; {
	case first == keyEnd, first == keyInterrupt:
		take(1)
		k.back = false
		return []byte{keyInterrupt}
	case first == keyEscape && (len(k.pending) == 1 || bytes.IndexByte([]byte{keyEscape, keyInterrupt, keyEnd}, k.pending[1]) >= 0):
		// After a slow program, keys arrive together; Alt with these is unlikely.
		take(1)
		k.back = true
		return []byte{keyInterrupt}
	case first == keyEscape && (k.pending[1] == '[' || k.pending[1] == 'O'):
		return take(sequence(k.pending))
	case first == keyEscape: // a key with Alt
		_, n := utf8.DecodeRune(k.pending[1:])
		return take(1 + n)
	case first >= utf8.RuneSelf:
		_, n := utf8.DecodeRune(k.pending)
		return take(n)
	}
	return take(1)
}

// sequence is the length of the escape sequence that b begins with.
func sequence(b []byte) int {
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			return i + 1
		}
	}
	return len(b)
}

// wentBack reports whether the interrupt that survey reported was the escape key, once.
func (k *keyboard) wentBack() bool {
	back := k.back
	k.back = false
	return back
}

// screen is the terminal's output for survey. It tells the keyboard when a report is asked for.
type screen struct {
	out  *os.File
	keys *keyboard
}

// Fd implements terminal.FileWriter.
func (s *screen) Fd() uintptr { return s.out.Fd() }

// Write implements io.Writer.
func (s *screen) Write(p []byte) (int, error) {
	s.keys.expected.Add(int32(bytes.Count(p, askPosition)))
	return s.out.Write(p)
}
