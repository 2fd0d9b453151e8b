// Package hint attaches remedies to an error, which tells what and where.
package hint

import (
	"fmt"
	"slices"
)

// Error is an error with remedies, which the printer writes below its text.
type Error struct {
	err   error
	hints []string
}

// Wrap adds remedies to err, behind those that it has; nil stays nil.
func Wrap(err error, hints ...string) error {
	if err == nil {
		return nil
	}
	if had, ok := err.(*Error); ok { //nolint:errorlint // what wraps it has a text of its own
		err, hints = had.err, slices.Concat(had.hints, hints)
	}
	return &Error{err: err, hints: hints}
}

// Errorf is Wrap(fmt.Errorf(...), hint).
func Errorf(hint, format string, args ...any) error {
	return Wrap(fmt.Errorf(format, args...), hint)
}

// Error implements error.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap gives errors.Is and errors.As the cause.
func (e *Error) Unwrap() error { return e.err }

// Hints are the remedies, one sentence or command each. A command is in quotes, or at the beginning
// or after a colon up to the end, so that a terminal shows it whole.
func (e *Error) Hints() []string { return e.hints }
