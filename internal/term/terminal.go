package term

import (
	"fmt"
	"os"
	"runtime"

	xterm "golang.org/x/term"
)

// Terminal is the controlling terminal, opened for more than single questions: whatever stdin and stdout are.
type Terminal struct {
	In, Out *os.File
	// Colors is the palette for Out.
	Colors Palette

	restore func()
}

// OpenTerminal opens the controlling terminal. The error wraps [ErrNoInput] if nobody can be asked: --no-input, no
// terminal, or one that cannot move its cursor.
func (s *Streams) OpenTerminal() (*Terminal, error) {
	if _, err := s.console(); err != nil {
		return nil, err
	}
	if s.Getenv("TERM") == "dumb" {
		return nil, fmt.Errorf("%w: the terminal cannot move its cursor (TERM=dumb)", ErrNoInput)
	}
	in, out := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		in, out = "CONIN$", "CONOUT$"
	}
	t := &Terminal{Colors: Palette{s.color(true)}}
	opened, state, err := (&tty{in}).open()
	if err != nil {
		return nil, err
	}
	t.In, t.restore = opened, func() { _ = xterm.Restore(int(opened.Fd()), state) }
	if t.Out, err = os.OpenFile(out, os.O_RDWR, 0); err != nil {
		t.In.Close()
		return nil, fmt.Errorf("%w: there is no terminal", ErrNoInput)
	}
	return t, nil
}

// Size is the number of columns and lines; 80 and 24 where the terminal does not say.
func (t *Terminal) Size() (width, height int) {
	width, height, err := xterm.GetSize(int(t.Out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// Quiet keeps what is typed between questions for the next one, key by key and without showing it: it may be a password.
func (t *Terminal) Quiet() { _ = hush(int(t.In.Fd())) }

// Restore puts the terminal back as it was when it was opened.
func (t *Terminal) Restore() { t.restore() }

// Wrap breaks text into lines that fit.
func (t *Terminal) Wrap(text string) string {
	width, _ := t.Size()
	return Wrap(text, width)
}

// Close puts the terminal back and frees it.
func (t *Terminal) Close() {
	t.restore()
	_ = t.In.Close()
	_ = t.Out.Close()
}
