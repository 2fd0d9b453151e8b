package wizard

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/AlecAivazis/survey/v2/terminal"
)

// Keys that mean the same in every question.
const (
	keyInterrupt = 0x03 // Ctrl-C, which survey knows
	keyEnd       = 0x04 // Ctrl-D
	keyEscape    = 0x1b
)

// askPosition is what survey sends to learn where the cursor is; the answer comes as if it were typed.
var askPosition = []byte("\x1b[6n")

// position is that answer, beginning what may become one at the end of what was read.
var (
	position  = regexp.MustCompile(`\x1b\[\d+;\d+R`)
	beginning = regexp.MustCompile(`(\x1b(\[(\d+(;\d*)?)?)?)?$`)
)

// keyboard is the terminal's input for survey. It hands out one key at a time: each question reads ahead with a buffer
// of its own, and what was typed ahead for the next one would be lost with it. Escape alone goes back; survey hears an
// interrupt then, and back tells why.
type keyboard struct {
	in terminal.FileReader

	mu       sync.Mutex
	expected int // answers to askPosition that are on their way

	pending []byte
	back    bool // the last interrupt was the escape key
}

// Fd implements terminal.FileReader.
func (k *keyboard) Fd() uintptr { return k.in.Fd() }

// Read implements io.Reader: one key, or what there is of a report.
func (k *keyboard) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if len(k.pending) > 0 {
			if key := k.next(); len(key) > 0 {
				return copy(p, key), nil
			}
			if len(k.pending) > 0 && !k.reporting() {
				continue
			}
		}
		buf := make([]byte, 4096)
		n, err := k.in.Read(buf)
		if n == 0 {
			return 0, err
		}
		k.pending = append(k.pending, buf[:n]...)
	}
}

// next takes a key off what is pending; none when what was there means nothing, or is only the beginning of a report.
func (k *keyboard) next() []byte {
	take := func(n int) []byte {
		n = min(n, len(k.pending))
		key := k.pending[:n]
		k.pending = k.pending[n:]
		return key
	}
	switch first := k.pending[0]; {
	case k.reporting():
		// The position is expected: nothing in it is a key. What was typed before it passes as it is; a report that has
		// come in part is waited for.
		if at := position.FindIndex(k.pending); at != nil {
			k.reported()
			return take(at[1])
		}
		return take(beginning.FindIndex(k.pending)[0])
	case first == keyEnd:
		take(1)
		return []byte{keyInterrupt}
	case first == keyInterrupt:
		k.back = false
		return take(1)
	case first == keyEscape && (len(k.pending) == 1 || k.pending[1] == keyEscape):
		take(1)
		k.back = true
		return []byte{keyInterrupt}
	case first == keyEscape && (k.pending[1] == '[' || k.pending[1] == 'O'):
		return take(sequence(k.pending))
	case first == keyEscape: // a key with Alt
		take(2)
		return nil
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

// wentBack tells whether the interrupt that survey reported was the escape key, once.
func (k *keyboard) wentBack() bool {
	back := k.back
	k.back = false
	return back
}

func (k *keyboard) reporting() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.expected > 0
}

func (k *keyboard) reported() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expected--
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
	s.count(p)
	return s.out.Write(p)
}

// count makes the keyboard expect the reports that p asks for.
func (s *screen) count(p []byte) {
	if n := bytes.Count(p, askPosition); n > 0 {
		s.keys.mu.Lock()
		s.keys.expected += n
		s.keys.mu.Unlock()
	}
}

var (
	_ io.Reader = (*keyboard)(nil)
	_ io.Writer = (*screen)(nil)
)
