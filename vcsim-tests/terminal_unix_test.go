//go:build unix

package vcsimtests

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// patientTerminal ends waiting for a screen that does not come: under the race detector, with other packages beside it, reading the
// large estate takes minutes.
const patientTerminal = 4 * time.Minute

// terminal is the program on a terminal of its own, with the screen that a person would see.
type terminal struct {
	t      *testing.T
	master *os.File
	screen vt10x.Terminal
	cmd    *exec.Cmd

	mu      sync.Mutex
	changed chan struct{} // closed at the next output
	raw     bytes.Buffer  // everything that was printed
	ended   bool
	code    int
}

// openTerminal starts the program in dir. env is the whole environment but PATH.
func openTerminal(t *testing.T, cols, rows int, dir string, env []string, words ...string) *terminal {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*patientTerminal)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, words...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=20", "TERM=xterm"}, env...)
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	c := &terminal{t: t, master: master, cmd: cmd, changed: make(chan struct{})}
	c.screen = vt10x.New(vt10x.WithSize(cols, rows), vt10x.WithWriter(master)) // it answers where the cursor is
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-read
		_ = master.Close()
	})
	return c
}

func (c *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := c.master.Read(buf)
		c.mu.Lock()
		c.raw.Write(buf[:n]) // before the screen: who sees something there finds it in what was printed, too
		c.mu.Unlock()
		if n > 0 {
			_, _ = c.screen.Write(buf[:n])
		}
		c.mu.Lock()
		if err != nil {
			c.ended = true
			c.code = -1
			var exited *exec.ExitError
			switch err := c.cmd.Wait(); {
			case err == nil:
				c.code = 0
			case errors.As(err, &exited):
				c.code = exited.ExitCode()
			}
		}
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// lines are those of the screen, without blanks at their ends.
func (c *terminal) lines() []string {
	lines := strings.Split(c.screen.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

// printed is everything that the program ever wrote to the terminal.
func (c *terminal) printed() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// until waits for a screen.
func (c *terminal) until(what string, shown func(lines []string) bool) {
	c.t.Helper()
	timeout := time.NewTimer(patientTerminal)
	defer timeout.Stop()
	for {
		c.mu.Lock()
		changed, ended := c.changed, c.ended
		c.mu.Unlock()
		if shown(c.lines()) {
			return
		}
		if ended {
			c.t.Fatalf("the program ended while %s was waited for:\n%s", what, strings.Join(c.lines(), "\n"))
		}
		select {
		case <-changed:
		case <-timeout.C:
			c.t.Fatalf("%s does not come:\n%s", what, strings.Join(c.lines(), "\n"))
		}
	}
}

// shows waits for a line that holds text.
func (c *terminal) shows(text string) {
	c.t.Helper()
	c.until("the text "+text, func(lines []string) bool {
		return strings.Contains(strings.Join(lines, "\n"), text)
	})
}

// asks waits for a question: the last one on the screen, and not answered.
func (c *terminal) asks(message string) {
	c.t.Helper()
	c.until("the question "+message, func(lines []string) bool {
		for i := len(lines) - 1; i >= 0; i-- {
			if strings.HasPrefix(lines[i], "? ") {
				return strings.HasPrefix(lines[i], "? "+message)
			}
		}
		return false
	})
}

// marked waits until the mark stands on an entry.
func (c *terminal) marked(label string) {
	c.t.Helper()
	c.until("the mark on "+label, func(lines []string) bool {
		for _, l := range lines {
			if rest, ok := strings.CutPrefix(l, ">"); ok {
				rest = strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(rest, " "), "[ ] "), "[x] ")
				return strings.HasPrefix(rest, label)
			}
		}
		return false
	})
}

const (
	keyEnter  = "\r"
	keyDown   = "\x1b[B"
	keyBack   = "\x1b"
	keyCtrlC  = "\x03"
	keyErase  = "\x18" // of what was typed as a filter
	keySelect = " "
)

// types presses keys.
func (c *terminal) types(keys string) {
	c.t.Helper()
	if _, err := c.master.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// answer waits for a question and types its answer, with enter.
func (c *terminal) answer(message, text string) {
	c.t.Helper()
	c.asks(message)
	c.types(text + keyEnter)
}

// pick waits for a list, types what narrows it down, and takes the entry that it led to.
func (c *terminal) pick(message, typed, label string) {
	c.t.Helper()
	c.asks(message)
	c.types(typed)
	c.marked(label)
	c.types(keyEnter)
}

// some waits for a list and chooses several entries, each by what narrows it down.
func (c *terminal) some(message string, labels ...string) {
	c.t.Helper()
	c.asks(message)
	for _, label := range labels {
		word, _, _ := strings.Cut(label, " ") // a blank chooses
		c.types(word)
		c.marked(label)
		c.types(keySelect)
		c.shows("[x] " + label)
	}
	c.types(keyEnter)
}

// ends waits for the end and gives the exit code.
func (c *terminal) ends(want int) {
	c.t.Helper()
	timeout := time.NewTimer(patientTerminal)
	defer timeout.Stop()
	for {
		c.mu.Lock()
		changed, ended, code := c.changed, c.ended, c.code
		c.mu.Unlock()
		if ended {
			if code != want {
				c.t.Fatalf("exit code %d, want %d:\n%s", code, want, c.printed())
			}
			return
		}
		select {
		case <-changed:
		case <-timeout.C:
			c.t.Fatalf("the program does not end:\n%s", strings.Join(c.lines(), "\n"))
		}
	}
}
