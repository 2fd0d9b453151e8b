package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// pty opens a pseudo terminal: what the person's side writes is typed at path.
func pty(t *testing.T) (person *os.File, path string) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	return person, fmt.Sprintf("/dev/pts/%d", n)
}

func echoes(f *os.File) bool {
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err != nil || state.Lflag&unix.ECHO != 0
}

func TestAskOnATerminal(t *testing.T) {
	t.Parallel()
	person, path := pty(t)
	keep, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0) // the terminal outlives a single question
	if err != nil {
		t.Skip(err)
	}
	defer keep.Close()
	console := &tty{path: path}
	if _, err := person.WriteString("first\nsecond\n"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"first", "second"} { // typed ahead, not lost
		if got, err := console.Line(context.Background(), "line: "); got != want || err != nil {
			t.Errorf("line: %q, %v", got, err)
		}
	}
}

func TestInterruptedSecretPutsTheTerminalBack(t *testing.T) {
	t.Parallel()
	person, path := pty(t)
	keep, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer keep.Close()
	if !echoes(keep) {
		t.Fatal("the terminal does not echo to begin with")
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for echoes(keep) { // until the question has begun
			runtime.Gosched()
		}
		cancel()
	}()
	if _, err := (&tty{path: path}).Secret(ctx, "password: "); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if !echoes(keep) {
		t.Error("the terminal stays without echo")
	}
	_, _ = person.WriteString("\n") // ends the abandoned read
}

// Keys that come between two questions are not edited by the terminal: the next question gets each of them.
func TestQuietKeepsKeys(t *testing.T) {
	t.Parallel()
	person, path := pty(t)
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	if err := hush(int(f.Fd())); err != nil {
		t.Fatal(err)
	}
	const keys = "c8\x17\x15\x16c9 z\x1b[D\x0b\x7f\x04\n"
	if _, err := person.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	got, err := readLine(f) // not longer than a line: a terminal that edits gives less than was typed
	if got+"\n" != keys || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if echoes(f) {
		t.Error("they are shown")
	}
}
