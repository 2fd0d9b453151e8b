// Package term knows about terminals: streams, colours, tables, progress, prompts and how an error is shown. It is the
// only package that touches the process's streams and environment.
package term

import (
	"io"
	"log"
	"os"
	"strings"
	"sync/atomic"

	xterm "golang.org/x/term"
)

// Streams is what a command talks through. Out carries data only, Err everything that talks; In is data as well:
// questions go to [Streams.Console], never to In. No sign that steers a terminal gets through Err, nor through Out where
// it is a terminal, but for our own colours; whatever text is written is made safe before, by [Fprintf], a Table or a
// Palette, since a newline cannot be told from ours any more here.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// Getenv reads the environment.
	Getenv func(string) string
	// Home is the user's home directory, empty if there is none.
	Home string
	// Console asks a person; nil if there is no terminal to ask on.
	Console Console
	// NoInput forbids every question (--no-input).
	NoInput bool

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
	Size           func() (width, height int) // of the terminal, 0 = not known; nil = never known

	// Printing is for tests, and gets what [Streams.Print] is given before it is written; nil = none.
	Printing func(v any, table func(io.Writer) error)
}

// On returns streams whose Out and Err lead to d through filters; later changes of d count. The caller
// sets what they read: Getenv in any case.
func On(d *Device) *Streams {
	s := &Streams{device: d, progress: &atomic.Pointer[Progress]{}}
	s.Out = &filter{to: d.Out, on: func() bool { return d.OutTTY }}
	s.Err = &aboveLive{always(d.Err), s.progress}
	return s
}

// System returns the streams of this process. The log of the libraries is turned off: net/http writes there what a server
// says unasked, as it is, whatever it is.
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
	s := On(d)
	s.In, s.Getenv, s.Home, s.Console = os.Stdin, os.Getenv, home, &tty{path: "/dev/tty"}
	return s
}

// Unfiltered is where another program writes to, which makes its own text safe: what is behind Out and Err.
func (s *Streams) Unfiltered() (out, err io.Writer) { return s.device.Out, s.device.Err }

// OutIsTerminal reports whether a person reads Out.
func (s *Streams) OutIsTerminal() bool { return s.device.OutTTY }

// OneReader reports whether whoever reads Err has just read Out, too: both go to the terminal, or to the same pipe or file. What Out
// said need not be repeated then.
func (s *Streams) OneReader() bool {
	return s.device.OutTTY && s.device.ErrTTY || s.device.OneFile
}

// Width is the number of columns that output to Out may use; 0 means that nothing limits it (a pipe, a file).
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

// color decides for one stream: terminals only, and neither NO_COLOR (https://no-color.org: any value but the empty
// one), nor TERM=dumb, nor --no-color.
func (s *Streams) color(isTTY bool) bool {
	return isTTY && !s.noColor && s.Getenv("NO_COLOR") == "" && s.Getenv("TERM") != "dumb"
}

// live reports whether lines of Err can be drawn over.
func (s *Streams) live() bool { return s.device.ErrTTY && s.Getenv("TERM") != "dumb" }

// Apart is for work beside other work: what it says goes to talk, its data nowhere, it draws no live lines, and it asks nobody.
func (s *Streams) Apart(talk io.Writer) *Streams {
	apart := On(&Device{Out: io.Discard, Err: talk, Size: s.device.Size})
	apart.In, apart.Getenv, apart.Home = strings.NewReader(""), s.Getenv, s.Home
	apart.NoInput, apart.noColor = true, true
	return apart
}
