package frame

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Failure is the document of a run that failed before it printed one.
var Failure = term.Failure{APIVersion: command.APIVersion, Kind: "Failure"}

// Run executes the words of a command line of the program that newRoot assembles and returns the exit code. When ctx ends with [term.ErrInterrupted] and the
// command fails for it, the code is 130.
func Run(ctx context.Context, streams *term.Streams, args []string, newRoot func(*command.Factory) *cobra.Command) int {
	f := command.NewFactory(streams, stamped())
	root := newRoot(f)
	f.Typed = args
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	streams.Keep()
	code, said := finish(ctx, streams, f.Program, crash.Try(func() error { return cmp.Or(root.ExecuteContext(ctx), f.Misspelt) })) // a panic's own exit code is ExitDifferent
	var lines []term.ErrorLine
	if said != nil {
		lines = term.ErrorLines(said)
	}
	if err := streams.Deliver(f.Output, Failure, lines); err != nil {
		streams.PrintError(f.Program, err)
		code = max(code, command.ExitFailed)
	}
	return code
}

// finish prints err and turns it into an exit code. What it printed comes with it, nil for nothing.
func finish(ctx context.Context, streams *term.Streams, program string, err error) (code int, printed error) {
	if err == nil {
		return command.ExitDone, nil
	}
	err = command.NamedByScripts(exclusive(err), streams.Getenv)
	interrupted := errors.Is(context.Cause(ctx), term.ErrInterrupted)
	said := err
	if interrupted {
		said = command.Uncancelled(err)
	}
	var coded *command.ExitError
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
		return command.ExitInterrupted, errors.Join(term.ErrInterrupted, printed)
	case coded != nil:
		return coded.Code, printed
	}
	return command.ExitFailed, printed
}
