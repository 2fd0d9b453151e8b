// Package term knows terminals: streams, colours, tables, progress, prompts and error output. It
// alone touches the process's streams and environment.
package term

import (
	"cmp"
	"io"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	xterm "golang.org/x/term"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// Streams is what a command reads and writes. Out and In carry data only, Err everything else;
// questions go to [Streams.Console]. Except our own colours, no sign that steers a terminal gets
// through Err, nor through Out to a terminal. Text is also made safe before, by [Fprintf], a Table
// or a Palette, because a foreign newline looks like ours here.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// Getenv reads the environment.
	Getenv func(string) string
	// Environ is the environment, NAME=value each; nil = it is not known.
	Environ func() []string
	// Home is the user's home directory, empty if there is none.
	Home string
	// Console asks a person; nil if there is no terminal to ask on.
	Console Console
	// NoInput forbids every question (--no-input).
	NoInput bool
	// Quiet leaves out talk of what was done (--quiet), not of what is left to do.
	Quiet bool
	// Invoked is the name or path by which the program was run; empty = not known.
	Invoked string
	// Spoken says text for people with the program's name as they type it; nil = as it is.
	Spoken func(string) string

	device   *Device
	document *document // that waits to be written; nil = none does
	noColor  bool
	progress *atomic.Pointer[Progress] // the newest live lines; nil = there were none
}

// Device is what Out and Err of [Streams] lead to.
type Device struct {
	Out, Err       io.Writer
	OutTTY, ErrTTY bool                       // it is a terminal
	OneFile        bool                       // Out and Err are the same pipe or file
	OutShared      bool                       // Out is a file that other users may read
	Size           func() (width, height int) // of the terminal, 0 = not known; nil = never known

	// Printing is for tests, and gets what [Streams.Print] is given before it is written; nil = none.
	Printing func(v any, table func(io.Writer) error)
}

// On returns streams whose Out and Err filter into d; later changes of d count. The caller sets
// what they read: Getenv in any case.
func On(d *Device) *Streams {
	s := &Streams{device: d, progress: &atomic.Pointer[Progress]{}}
	s.Out = &filter{to: d.Out, on: func() bool { return d.OutTTY }}
	s.Err = &aboveLive{shown(d.Err), s.progress}
	return s
}

// System returns the streams of this process. It turns off the log package, to which net/http
// writes unsafe text of servers.
func System() *Streams {
	log.SetOutput(io.Discard)
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	d := &Device{
		Out:    os.Stdout,
		Err:    os.Stderr,
		OutTTY: xterm.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY: xterm.IsTerminal(int(os.Stderr.Fd())),
		Size: func() (int, int) {
			for _, f := range []*os.File{os.Stdout, os.Stderr} {
				if w, h, err := xterm.GetSize(int(f.Fd())); err == nil && w > 0 {
					return w, h
				}
			}
			return 0, 0
		},
	}
	out, outErr := os.Stdout.Stat()
	if err, errErr := os.Stderr.Stat(); outErr == nil && errErr == nil {
		d.OneFile = os.SameFile(out, err)
	}
	d.OutShared = outErr == nil && runtime.GOOS != "windows" && out.Mode().IsRegular() && out.Mode().Perm()&0o044 != 0
	s := On(d)
	steer(os.Stdout)
	steer(os.Stderr)
	s.In, s.Getenv, s.Environ, s.Home, s.Console = os.Stdin, os.Getenv, os.Environ, home, &tty{consoleIn, consoleOut}
	s.Invoked = os.Args[0]
	return s
}

// Unfiltered are the streams behind Out and Err, for a program that makes its own text safe.
func (s *Streams) Unfiltered() (out, err io.Writer) { return s.device.Out, s.device.Err }

// OutIsShared reports whether Out is a file that other users may read.
func (s *Streams) OutIsShared() bool { return s.device.OutShared }

// OutIsTerminal reports whether a person reads Out.
func (s *Streams) OutIsTerminal() bool { return s.device.OutTTY }

// OneReader reports whether Out and Err go to the same terminal, pipe or file, so that Err need not
// repeat what Out said.
func (s *Streams) OneReader() bool {
	return s.device.OutTTY && s.device.ErrTTY || s.device.OneFile
}

// Width is the number of columns of Out; 0 means no limit (a pipe, a file).
func (s *Streams) Width() int {
	if !s.device.OutTTY {
		return 0
	}
	w, _ := s.size()
	return w
}

// size is the size of the terminal; 0 = not known.
func (s *Streams) size() (width, height int) {
	if s.device.Size == nil {
		return 0, 0
	}
	return s.device.Size()
}

// DisableColor turns colours off for good (--no-color).
func (s *Streams) DisableColor() { s.noColor = true }

// color decides for one stream: a terminal without NO_COLOR (https://no-color.org: any value but
// the empty one), TERM=dumb and --no-color.
func (s *Streams) color(isTTY bool) bool {
	return isTTY && !s.noColor && s.Getenv("NO_COLOR") == "" && s.Getenv("TERM") != "dumb"
}

// live reports whether lines of Err can be drawn over, and are wanted.
func (s *Streams) live() bool { return s.device.ErrTTY && !s.Quiet && s.Getenv("TERM") != "dumb" }

// ascii reports whether this locale shows ASCII: the first of these variables that is set decides.
// If none is, a container may well be read on a terminal of UTF-8.
func (s *Streams) ascii() bool {
	locale := cmp.Or(s.Getenv("LC_ALL"), s.Getenv("LC_CTYPE"), s.Getenv("LANG"))
	return locale == "C" || locale == "POSIX"
}

// Names are the variables of the environment.
func (s *Streams) Names() (names []string) {
	if s.Environ == nil {
		return nil
	}
	for _, pair := range s.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return names
}

// Apart is for parallel work: it talks to talk, drops data, draws no live lines and asks nothing.
func (s *Streams) Apart(talk io.Writer) *Streams {
	apart := On(&Device{Out: io.Discard, Err: talk, Size: s.device.Size})
	apart.In, apart.Getenv, apart.Home = strings.NewReader(""), s.Getenv, s.Home
	apart.NoInput, apart.noColor, apart.Quiet, apart.Spoken = true, true, s.Quiet, s.Spoken
	return apart
}

// filter shows signs that steer the terminal or hide as [Line] does. It keeps lines, tabs and the
// colours of a Palette.
type filter struct {
	to io.Writer
	on func() bool // whether text is filtered now; data goes to files and pipes as it is

	wrote *atomic.Bool // set by the first Write; or nil

	mu   sync.Mutex
	rest []byte // the beginning of a sign whose end comes with the next Write
}

// Write implements io.Writer.
func (f *filter) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wrote != nil {
		f.wrote.Store(true)
	}
	if !f.on() {
		return f.to.Write(p)
	}
	text := slices.Concat(f.rest, p)
	cut := wholeRunes(text)
	f.rest = slices.Clone(text[cut:])
	if _, err := io.WriteString(f.to, harmless(string(text[:cut]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// harmless shows what a terminal would obey, but for ends of lines, tabs and our own colours.
func harmless(text string) string {
	var out strings.Builder
	for text != "" {
		at := strings.Index(text, "\x1b[")
		if at < 0 {
			at = len(text)
		}
		for i, part := range strings.Split(text[:at], "\r\n") { // some files end their lines so
			if i > 0 {
				out.WriteString("\r\n")
			}
			out.WriteString(visible.Replace(part, "\n\t", escape))
		}
		if text = text[at:]; text == "" {
			break
		}
		code := ours(text)
		out.WriteString(code)
		if text = text[len(code):]; code == "" {
			out.WriteString(escape('\x1b', 1, text))
			text = text[1:]
		}
	}
	return out.String()
}

// ours is the colour that text begins with.
func ours(text string) string {
	for _, code := range append(codes(), unpainted) {
		if strings.HasPrefix(text, code) {
			return code
		}
	}
	return ""
}

// wholeRunes is how much of text does not end within a sign.
func wholeRunes(text []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}

// shown filters a stream that only people read.
func shown(to io.Writer) *filter { return &filter{to: to, on: func() bool { return true }} }
