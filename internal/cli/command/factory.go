// Package command is what all commands share: the Factory, flags, connections and logins, settings,
// errors with exit codes, output files, and the next commands.
//
// # Size
//
// Each group of flags is a small type with the same few functions (Register, Check, Given ...), in
// a file of its own. A package for each would be as many imports in every command.
package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Program is the name in messages, in help and in paths.
const Program = "ocp-vsphere-admin"

// APIVersion is carried by every JSON and YAML document that we print.
const APIVersion = "ocp-vsphere-admin/v1"

// Header begins each of them.
type Header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// NewHeader is the header of a document of this kind.
func NewHeader(kind string) Header { return Header{APIVersion: APIVersion, Kind: kind} }

// Factory is what all commands share. The settings of the command line are final once one runs.
type Factory struct {
	*term.Streams
	Build   Build
	Program string // what its commands are typed behind; [Program] but for other programs
	Globals

	log      *slog.Logger       // of calls, with --verbose: methods and durations, never bodies
	exposed  map[string]bool    // files of which a warning said that all users can read them
	settings map[string]setting // of the settings file
	Typed    []string           // the command line
	Misspelt error              // the command does not exist of which help was asked
	Said     Invocation         // what the command line asks for
	// Settings are those of every command, see [CommandSettings], computed on first use; nil = none.
	Settings func() map[string]map[string]string

	Logins *vcenter.Run  // shared by the sessions of several jobs; nil = each job has its own
	Calls  *atomic.Int64 // counts requests to vCenters; nil = not counted
}

// Apart is the Factory of one of several parallel jobs. Its messages go to talk, and it never asks.
func (f *Factory) Apart(inv Invocation, talk io.Writer, parallel int) *Factory {
	apart := *f
	apart.Streams = f.Streams.Apart(talk)
	apart.Said, apart.Parallel, apart.exposed, apart.Calls = inv, parallel, nil, &atomic.Int64{}
	return &apart
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
		Program: Program,
		Globals: Globals{Output: term.FormatTable, Parallel: 32, Timeout: time.Minute},
		log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// Borrows reports whether this is another program, to which the file of [Program] is optional.
func (f *Factory) Borrows() bool { return f.Program != Program }

// Named is a text about [Program] for the program that has the command.
func (f *Factory) Named(text string) string { return strings.ReplaceAll(text, Program, f.Program) }

// Progress starts live lines for names, unless the log of calls would interleave with them.
func (f *Factory) Progress(names []string) *term.Progress {
	if f.Verbose {
		names = nil
	}
	return f.Streams.Progress(names)
}

// Settle makes the parsed flags take effect.
func (f *Factory) Settle() {
	if f.NoColor {
		f.DisableColor()
	}
	if f.Verbose {
		f.log = slog.New(slog.NewTextHandler(f.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
}

// Table prints t to Out with -o table, v with -o json and -o yaml.
func (f *Factory) Table(v any, t func() *term.Table) error {
	return f.Print(f.Output, v, func(w io.Writer) error { return t().RenderWhole(w, f.Width()) })
}

// ForPeople runs say for -o table; documents hold its commands.
func (f *Factory) ForPeople(say func()) {
	if f.Output != term.FormatTable {
		was := f.Err
		defer func() { f.Err = was }()
		f.Err = io.Discard
	}
	say()
}

// Warn prints warnings on stderr.
func (f *Factory) Warn(texts ...string) {
	for _, text := range texts {
		f.Warnf("%s", text)
	}
}

// Hint prints hints below the last message.
func (f *Factory) Hint(hints ...string) {
	for _, h := range hints {
		f.Todof("hint: %s", h)
	}
}

// Records is Table for rows of long names, which narrow columns would break.
func (f *Factory) Records(v any, t func() *term.Table) error {
	return f.Print(f.Output, v, func(w io.Writer) error { return t().RenderRecords(w, f.Width()) })
}

// Yes is yes or no.
func Yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// Some is s, or a dash if it is empty.
func Some(s string) string { return cmp.Or(s, "-") }

// OrEmpty keeps null out of JSON.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Build says what this program was built from.
type Build struct{ Version, Commit, Date string }

// RecordsBelow prints findings and then the table; JSON and YAML hold both.
func (f *Factory) RecordsBelow(v any, findings []*finding.Finding, t func() *term.Table) error {
	return f.Print(f.Output, v, func(w io.Writer) error {
		return errors.Join(plan.Found(w, f.Width(), findings), t().RenderRecords(w, f.Width()))
	})
}

// Action is the run of a command: it checks its arguments, then calls runF in a test, else do.
func Action[O any](o *O, runF func(*O) error, do func(context.Context, *O) error, checks ...func(*cobra.Command, []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		for _, check := range checks {
			if err := check(cmd, args); err != nil {
				return err
			}
		}
		if runF != nil {
			return runF(o)
		}
		return do(cmd.Context(), o)
	}
}

// Groups of commands in the help, in its order.
const (
	GroupJob    = "job"
	GroupParts  = "parts"
	GroupOutput = "output"
	GroupTool   = "tool"
)

// Itself marks a noun that is a command too.
const Itself = "runs itself"

// RunsItself marks such a noun.
func RunsItself(cmd *cobra.Command) { cmd.Annotations = map[string]string{Itself: "true"} }

// IsItself reports whether a noun is marked so.
func IsItself(cmd *cobra.Command) bool { return cmd.Annotations[Itself] != "" }

// EachCommand visits cmd and all commands below it.
func EachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		EachCommand(sub, do)
	}
}

// Text removes the indentation of the source from a help text.
func Text(s string) string { return strings.Join(trimmed(s), "\n") }

// Examples is text, indented as help shows examples.
func Examples(s string) string {
	lines := trimmed(s)
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}

func trimmed(s string) []string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], "\t"))
	for i, l := range lines {
		for n := 0; n < indent && strings.HasPrefix(l, "\t"); n++ {
			l = l[1:]
		}
		lines[i] = strings.TrimRight(l, " \t")
	}
	return lines
}
