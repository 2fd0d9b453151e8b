//go:build unix

package program

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell is a program that does what a script says, with one argument.
func shell(does string, arg string) Command {
	return Command{Path: "/bin/sh", Args: []string{"-c", does, "sh", arg}, Patience: time.Minute, Grace: Grace}
}

// A program gets its words as they are, what is added to its environment, and neither our input nor what is ours in there.
func TestRun(t *testing.T) {
	t.Setenv("OCP_VSPHERE_ADMIN_PASSWORD", "canary")
	t.Setenv("GOVC_PASSWORD", "canary")
	t.Setenv("HTTPS_PROXY", "http://proxy.example.com")
	var out, said bytes.Buffer
	c := shell(`printf '%s\n' "$1"; env; cat; cat </dev/tty; echo talk >&2`, "a $(touch x); b")
	c.Env, c.Out, c.Err = []string{"OCP_VSPHERE_ADMIN_SERVER=vc1"}, &out, &said
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.HasPrefix(text, "a $(touch x); b\n") || strings.Contains(text, "canary") {
		t.Errorf("%s", text)
	}
	for _, want := range []string{"HTTPS_PROXY=http://proxy.example.com\n", "OCP_VSPHERE_ADMIN_SERVER=vc1\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if !strings.HasSuffix(said.String(), "talk\n") || !strings.Contains(said.String(), "/dev/tty") {
		t.Errorf("it has a terminal, or its talk is lost: %s", said.String())
	}
}

// What a program leaves behind ends with it, and does not make a failure of its success.
func TestRunLeavesNobody(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "x")
	var out bytes.Buffer
	c := shell(`sleep 600 & echo $! >"$1.child"; echo done`, mark)
	c.Out, c.Grace = &out, 100*time.Millisecond
	if err := c.Run(t.Context()); err != nil || out.String() != "done\n" {
		t.Errorf("%v: %q", err, out.String())
	}
	pid, err := os.ReadFile(mark + ".child")
	if err != nil {
		t.Fatal(err)
	}
	gone(t, strings.TrimSpace(string(pid)))
}

// What leaves the group of a program ends with it, too.
func TestRunLeavesNobodyElsewhere(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("nobody can leave, or be found")
	}
	mark := filepath.Join(t.TempDir(), "x")
	c := shell(`(setsid sh -c 'echo $$ >"$1"; exec sleep 600' sh "$1.child" &); while [ ! -s "$1.child" ]; do sleep 0.01; done`, mark)
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid, err := os.ReadFile(mark + ".child")
	if err != nil {
		t.Fatal(err)
	}
	gone(t, strings.TrimSpace(string(pid)))
}

// The error has the exit code, and nothing that the program wrote.
func TestRunFails(t *testing.T) {
	t.Parallel()
	err := shell("echo canary; echo canary >&2; exit 3", "").Run(t.Context())
	if err == nil || err.Error() != "/bin/sh: exit status 3" {
		t.Errorf("%v", err)
	}
}

// What does not end is interrupted, and what does not heed that is killed, with what it has started.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]string{
		"it heeds the interrupt": `trap 'exit 1' INT; : >"$1.started"; while :; do sleep 0.01; done`,
		"it does not":            `trap '' INT; (while :; do sleep 0.01; done) & echo $! >"$1.child"; : >"$1.started"; wait`,
	} {
		mark := filepath.Join(t.TempDir(), "x")
		c := shell(does, mark)
		c.Grace = 100 * time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer cancel()
			for {
				if _, err := os.Stat(mark + ".started"); err == nil {
					return
				}
			}
		}()
		if err := c.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if pid, err := os.ReadFile(mark + ".child"); err == nil {
			gone(t, strings.TrimSpace(string(pid)))
		}
		c.Patience = time.Millisecond
		if err := c.Run(t.Context()); err == nil || err.Error() != "/bin/sh did not end within 1ms" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// gone waits until a process has ended; the test's own limit is the only one.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(n, 0) == nil && !zombie(n) {
		if t.Context().Err() != nil {
			return
		}
	}
}

// zombie reports whether a process has ended while nobody has asked how: in a container nobody may.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}
