// Package termtest is a terminal for tests: what goes to it is kept, and a person with prepared answers sits before it.
package termtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Fake is a set of streams for tests: buffers, an environment of its own, and a person with prepared answers.
type Fake struct {
	*term.Streams
	on     *term.Device
	Stdin  *bytes.Buffer
	Stdout *bytes.Buffer
	Stderr *SyncBuffer
	Env    map[string]string
	// Answers are given one by one to questions; a question too many fails like a closed terminal.
	Answers []string
	// Asked are the questions so far; those for a secret end with "(hidden)".
	Asked []string
}

// NewFake returns streams that are not a terminal, with an empty environment, no home and nobody to ask (see
// [Fake.WithAnswers]).
func NewFake() *Fake {
	f := &Fake{Stdin: &bytes.Buffer{}, Stdout: &bytes.Buffer{}, Stderr: &SyncBuffer{}, Env: map[string]string{}}
	f.on = &term.Device{Out: f.Stdout, Err: f.Stderr}
	f.Streams = term.On(f.on)
	f.In, f.Getenv = f.Stdin, func(k string) string { return f.Env[k] }
	f.Environ = func() (all []string) {
		for name, value := range f.Env {
			all = append(all, name+"="+value)
		}
		return all
	}
	return f
}

// WithTerminal makes Out and Err a terminal of this size.
func (f *Fake) WithTerminal(width, height int) *Fake {
	f.on.OutTTY, f.on.ErrTTY = true, true
	f.on.Size = func() (int, int) { return width, height }
	return f
}

// OnPrint has do called with each value that a command prints, and with what renders its table once more: without colours, on a
// terminal of so many columns, or for 0 in a pipe.
func (f *Fake) OnPrint(do func(v any, table func(width int) (string, error))) {
	f.on.Printing = func(v any, table func(io.Writer) error) {
		do(v, func(width int) (string, error) {
			streams, device := *f.Streams, *f.on
			defer func() { *f.Streams, *f.on = streams, device }()
			f.DisableColor()
			f.on.OutTTY, f.on.Size = width > 0, func() (int, int) { return width, 40 }
			var out bytes.Buffer
			on := term.On(&term.Device{Err: &out})
			on.Getenv = f.Getenv
			err := table(on.Err)
			return out.String(), err
		})
	}
}

// WithAnswers puts a person before the terminal who gives these answers.
func (f *Fake) WithAnswers(answers ...string) *Fake {
	f.Answers = answers
	f.Console = (*fakeConsole)(f)
	return f
}

type fakeConsole Fake

func (f *fakeConsole) Line(ctx context.Context, prompt string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	f.Asked = append(f.Asked, strings.TrimRight(prompt, " "))
	if len(f.Answers) == 0 {
		return "", fmt.Errorf("%w: the terminal was closed", term.ErrNoInput)
	}
	answer := f.Answers[0]
	f.Answers = f.Answers[1:]
	return answer, nil
}

func (f *fakeConsole) Ready() error { return nil }

func (f *fakeConsole) Secret(ctx context.Context, prompt string) (string, error) {
	return f.Line(ctx, prompt+"(hidden)")
}

// SyncBuffer is a buffer that several goroutines may write to.
type SyncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *SyncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String is what was written so far.
func (b *SyncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Reset empties the buffer.
func (b *SyncBuffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Reset()
}
