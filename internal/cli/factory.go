// Package cli is the command line: it parses words into Options, calls one function below and prints the result.
package cli

import (
	"io"
	"log/slog"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// program is the name in messages, in help and in paths.
const program = "ocp-vsphere-admin"

// apiVersion is carried by every JSON and YAML document that we print.
const apiVersion = "ocp-vsphere-admin/v1"

// header begins each of them.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func newHeader(kind string) header { return header{APIVersion: apiVersion, Kind: kind} }

// Factory is what all commands share: the streams, which commands there are, and what the command line says to all of
// them, which is final once a command runs.
type Factory struct {
	*term.Streams
	Build Build
	Globals

	log      *slog.Logger
	typed    []string                     // the command line
	misspelt error                        // the command does not exist of which help was asked
	said     invocation                   // what the command line asks for
	settings map[string]map[string]string // which command has which settings, of what type
	altered  func(*change)                // what a test does to a change before it is made; nil = nothing
}

// Globals are the values of the persistent flags.
type Globals struct {
	Output   term.Format   // -o; table
	NoColor  bool          // --no-color
	Yes      bool          // --yes answers confirmations
	Verbose  bool          // --verbose, -v
	Parallel int           // vCenters at once; 32
	Timeout  time.Duration // of one call to a vCenter; a minute
	Config   string        // --config; empty = the usual place
}

// NewFactory returns a Factory on these streams.
func NewFactory(streams *term.Streams, build Build) *Factory {
	return &Factory{
		Streams: streams,
		Build:   build,
		Globals: Globals{Output: term.FormatTable, Parallel: 32, Timeout: time.Minute},
		log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// Log is the log of calls: to stderr with --verbose, nowhere without. It gets names of methods and durations, never bodies.
func (f *Factory) Log() *slog.Logger { return f.log }

// Progress starts live lines for names, unless the log of calls would run through them.
func (f *Factory) Progress(names []string) *term.Progress {
	if f.Verbose {
		names = nil
	}
	return f.Streams.Progress(names)
}

// settle makes the parsed flags take effect.
func (f *Factory) settle() {
	if f.NoColor {
		f.DisableColor()
	}
	if f.Verbose {
		f.log = slog.New(slog.NewTextHandler(f.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
}

// table prints t to Out for -o table, v for -o json and -o yaml.
func (f *Factory) table(v any, t func() *term.Table) error {
	return f.Print(f.Output, v, func(w io.Writer) error { return t().RenderWhole(w, f.Width()) })
}

// forPeople says what only people read: programs get the commands that it names, in the document.
func (f *Factory) forPeople(say func()) {
	if f.Output != term.FormatTable {
		was := f.Err
		defer func() { f.Err = was }()
		f.Err = io.Discard
	}
	say()
}

// warn says each of these on stderr.
func (f *Factory) warn(texts ...string) {
	for _, text := range texts {
		f.Warnf("%s", text)
	}
}
