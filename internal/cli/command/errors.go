package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Exit codes.
const (
	ExitDone        = 0
	ExitFailed      = 1   // failed, or bad usage
	ExitDifferent   = 2   // differences or problems found
	ExitPartly      = 3   // some vCenters done, others failed
	ExitInterrupted = 130 // the first interrupt was obeyed
)

// ExitError ends the program with Code. Err is printed unless it is nil.
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

// Exit is an ExitError without a message.
func Exit(code int) error { return &ExitError{Code: code} }

// Partly is the error of all vCenters, or with some of a part of them, with its own exit code.
func Partly(some bool, err error) error {
	if some {
		return &ExitError{Code: ExitPartly, Err: err}
	}
	return err
}

// Joined joins two errors; the exit code is that of the first with one.
func Joined(err, more error) error {
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

func plainError(err error) error {
	if coded, ok := errors.AsType[*ExitError](err); ok {
		return coded.Err
	}
	return err
}

// ErrorLines are the texts of joined errors; none for nil.
func ErrorLines(err error) []string {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, ErrorLines(e)...)
		}
		return all
	}
	return []string{err.Error()}
}

// Unread reports whether an error is that a file cannot be read, not one about what it says.
func Unread(path string, err error) bool {
	_, unread := errors.AsType[*fs.PathError](err)
	info, lost := os.Stat(path)
	return unread || lost == nil && info.IsDir()
}

// Found gives an error about what a file says the exit code of findings. A file that cannot be read
// is a failure.
func Found(path string, err error) error {
	if err == nil || Unread(path, err) {
		return err
	}
	return &ExitError{Code: ExitDifferent, Err: err}
}

// Uncancelled is an error without its interrupt, which was reported already; nil = nothing else.
func Uncancelled(err error) error {
	switch e := err.(type) { //nolint:errorlint // one level at a time
	case *ExitError:
		if remaining := Uncancelled(e.Err); remaining != nil {
			return &ExitError{Code: e.Code, Err: remaining}
		}
		return nil
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil && Uncancelled(inner) != nil {
			return err
		}
	case interface{ Unwrap() []error }:
		if !term.Joined(err) {
			break
		}
		var remaining []error
		for _, part := range e.Unwrap() {
			remaining = append(remaining, Uncancelled(part))
		}
		return errors.Join(remaining...)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, term.ErrInterrupted) {
		return nil
	}
	return err
}
