// Package program runs another program on request, without a shell. It gets neither standard input
// nor the terminal, nor this tool's variables for vCenter.
package program

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// withheld are prefixes of variables with vCenter logins, and of this tool's settings.
var withheld = []string{"OCP_VSPHERE_ADMIN_", "GOVC_"}

// Grace is how long a program may take to end once it is interrupted.
const Grace = 5 * time.Second

// ErrPatience says that a program took too long.
var ErrPatience = errors.New("did not end within")

// Command is a program to run.
type Command struct {
	Path     string
	Args     []string
	Dir      string        // where it runs; "" = here
	Env      []string      // NAME=value, beside those that this tool has and does not withhold
	Out, Err io.Writer     // nil = what it writes is dropped
	Patience time.Duration // how long it may take
	Grace    time.Duration // how long it may take to end once it is interrupted, [Grace] for most
}

// Find looks for a program: path is a file, or a name on PATH. Nothing is run.
func Find(path string) (string, error) { return exec.LookPath(path) }

// Limited keeps what a program writes, and fails beyond a limit.
type Limited struct {
	Text []byte
	Most int  // bytes
	Over bool // there was more
}

// Write implements io.Writer.
func (l *Limited) Write(p []byte) (int, error) {
	if len(l.Text)+len(p) > l.Most {
		l.Over = true
		return 0, errors.New("too much output")
	}
	l.Text = append(l.Text, p...)
	return len(p), nil
}

// Run runs the program, and then kills what it started: its process group and, on Linux, processes
// that left the group with its environment and user. The end of ctx, or of its patience, first
// interrupts the group. The error has name and exit code without output, or is that of ctx.
func (c Command) Run(ctx context.Context) error {
	within, stop := context.WithTimeout(ctx, c.Patience)
	defer stop()
	cmd := exec.CommandContext(within, c.Path, c.Args...) //nolint:gosec // somebody asked for this program
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), func(variable string) bool {
		return slices.ContainsFunc(withheld, func(of string) bool { return strings.HasPrefix(variable, of) })
	}), c.Env...)
	mark := "OCP_VSPHERE_STARTED_" + rand.Text() + "=1"
	cmd.Env = append(cmd.Env, mark)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, c.Out, c.Err
	cmd.WaitDelay = c.Grace
	apart(cmd)
	cmd.Cancel = func() error {
		if err := interrupt(cmd.Process); err != nil { // as on Windows
			return cmd.Process.Kill()
		}
		return nil
	}
	runtime.LockOSThread() // Linux kills the program when the thread that started it ends
	err := cmd.Run()
	runtime.UnlockOSThread()
	if cmd.Process != nil {
		killRest(cmd.Process, mark)
	}
	switch {
	// success; a child kept its output open
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && within.Err() == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(within.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s %w %s", c.Path, ErrPatience, c.Patience)
	}
	return fmt.Errorf("%s: %w", c.Path, err)
}
