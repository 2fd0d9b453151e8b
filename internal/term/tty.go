package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	xterm "golang.org/x/term"
)

// tty asks on the controlling terminal, whatever stdin and stdout are.
type tty struct{ path string }

// Line implements [Console].
func (t *tty) Line(ctx context.Context, prompt string) (string, error) {
	return t.ask(ctx, prompt, readLine)
}

// Secret implements [Console].
func (t *tty) Secret(ctx context.Context, prompt string) (string, error) {
	return t.ask(ctx, prompt, func(f *os.File) (string, error) {
		answer, err := xterm.ReadPassword(int(f.Fd()))
		fmt.Fprintln(f) // the person's own newline was not echoed
		return string(answer), err
	})
}

// Ready implements [Console].
func (t *tty) Ready() error {
	f, _, err := t.open()
	if err != nil {
		return err
	}
	return f.Close()
}

func (t *tty) open() (*os.File, *xterm.State, error) {
	f, err := os.OpenFile(t.path, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: there is no terminal", ErrNoInput)
	}
	state, err := xterm.GetState(int(f.Fd()))
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%w: %s is not a terminal", ErrNoInput, t.path)
	}
	return f, state, nil
}

// ask reads in the background, so that an interrupt ends the question at once. The terminal is put back as it was
// before the question; the abandoned read dies with the process.
func (t *tty) ask(ctx context.Context, prompt string, read func(*os.File) (string, error)) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	f, state, err := t.open()
	if err != nil {
		return "", err
	}
	fd := int(f.Fd())
	fmt.Fprint(f, prompt)
	line, err := abandonable(ctx, func() (string, error) {
		defer f.Close()
		return read(f)
	})
	switch {
	case errors.Is(err, io.EOF):
		return "", fmt.Errorf("%w: the terminal was closed", ErrNoInput)
	case err != nil && err == context.Cause(ctx): //nolint:errorlint // the one that abandoned the question
		_ = xterm.Restore(fd, state)
		fmt.Fprintln(f)
		return "", ctx.Err()
	}
	return line, err
}

// readLine reads byte by byte: what was typed ahead belongs to the next question.
func readLine(r *os.File) (string, error) {
	var line strings.Builder
	var b [1]byte
	for {
		n, err := r.Read(b[:])
		if n == 1 {
			if b[0] == '\n' {
				return strings.TrimSuffix(line.String(), "\r"), nil
			}
			line.WriteByte(b[0])
		}
		if err != nil {
			return line.String(), err
		}
	}
}
