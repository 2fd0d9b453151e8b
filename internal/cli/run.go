package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Exit codes, as scripts know them.
const (
	ExitDone        = 0
	ExitFailed      = 1   // failed, or bad usage
	ExitDifferent   = 2   // differences or problems found
	ExitPartly      = 3   // some vCenters done, others failed
	ExitInterrupted = 130 // the first interrupt was obeyed
)

// ExitError ends the program with Code. Err is printed unless it is nil: a command that has already said what it found
// returns the code alone.
type ExitError struct {
	Code int
	Err  error
}

// Error implements error.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// exit is an ExitError without a message.
func exit(code int) error { return &ExitError{Code: code} }

// partly is an error of some vCenters or all: the exit codes are others.
func partly(some bool, err error) error {
	if some {
		return &ExitError{Code: ExitPartly, Err: err}
	}
	return err
}

// joined is an error with another one behind it; the exit code is that of the first that has one.
func joined(err, more error) error {
	var coded *ExitError
	switch {
	case err == nil:
		return more
	case more == nil:
		return err
	case errors.As(err, &coded), errors.As(more, &coded):
		return &ExitError{Code: coded.Code, Err: errors.Join(plainError(err), plainError(more))}
	}
	return errors.Join(err, more)
}

// plainError is what an error says besides its exit code.
func plainError(err error) error {
	if coded, ok := errors.AsType[*ExitError](err); ok {
		return coded.Err
	}
	return err
}

// failure is the document of a run that failed before it printed one.
var failure = term.Failure{APIVersion: apiVersion, Kind: "Failure"}

// Run executes the words of a command line and returns the exit code. When ctx ends with [term.ErrInterrupted] and the
// command fails for it, the code is 130.
func Run(ctx context.Context, streams *term.Streams, args []string) int {
	f := NewFactory(streams, stamped())
	root := newCmdRoot(f) //nolint:contextcheck // commands take that of their execution
	f.typed = args
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	streams.Keep()
	code, said := finish(ctx, streams, crash.Try(func() error { return cmp.Or(root.ExecuteContext(ctx), f.misspelt) })) // a panic's own exit code is ExitDifferent
	var lines []term.ErrorLine
	if said != nil {
		lines = term.ErrorLines(said)
	}
	if err := streams.Deliver(f.Output, failure, lines); err != nil {
		streams.PrintError(program, err)
		code = max(code, ExitFailed)
	}
	return code
}

// action is what a command does: it checks its words, and takes in those that are no flags, and then does runF where a test
// gives one, else the real thing.
func action[O any](o *O, runF func(*O) error, do func(context.Context, *O) error, checks ...func(*cobra.Command, []string) error,
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

// finish prints err and turns it into an exit code. What it printed comes with it, nil for nothing.
func finish(ctx context.Context, streams *term.Streams, err error) (code int, printed error) {
	if err == nil {
		return ExitDone, nil
	}
	err = exclusive(err)
	interrupted := errors.Is(context.Cause(ctx), term.ErrInterrupted)
	said := err
	if interrupted {
		said = uncancelled(err)
	}
	var coded *ExitError
	switch {
	case errors.As(err, &coded) && coded.Err == nil:
	case said == nil && (err == context.Canceled || err == term.ErrInterrupted): //nolint:errorlint // saying so once is enough
	case said == nil:
		streams.Infof("interrupted: run the same command again")
	case errors.As(said, &coded) && said == error(coded): //nolint:errorlint // the outermost only
		printed = coded.Err
	default:
		printed = said
	}
	streams.PrintError(program, printed)
	switch {
	case interrupted:
		return ExitInterrupted, errors.Join(term.ErrInterrupted, printed)
	case coded != nil:
		return coded.Code, printed
	}
	return ExitFailed, printed
}

// uncancelled is what an error says besides that the run was interrupted, which was said when it happened; nil for nothing.
func uncancelled(err error) error {
	switch e := err.(type) { //nolint:errorlint // one level at a time
	case *ExitError:
		if left := uncancelled(e.Err); left != nil {
			return &ExitError{Code: e.Code, Err: left}
		}
		return nil
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil && uncancelled(inner) != nil {
			return err
		}
	case interface{ Unwrap() []error }:
		if !term.Joined(err) {
			break
		}
		var left []error
		for _, part := range e.Unwrap() {
			left = append(left, uncancelled(part))
		}
		return errors.Join(left...)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, term.ErrInterrupted) {
		return nil
	}
	return err
}
