package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == childFlag { // measured runs this program again
		os.Exit(child(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// The peak of a process is its own, however much memory this one holds.
func TestMemoryIsThatOfTheProgram(t *testing.T) {
	const held = 256 << 20
	here := make([]byte, held)
	for i := range here {
		here[i] = 1
	}
	out, u, err := measured(t.Context(), t.TempDir(), os.Environ(), "/bin/echo", "said")
	if err != nil || string(out) != "said\n" {
		t.Fatalf("%q, %v", out, err)
	}
	if u.Memory <= 0 || u.Memory > held/2 {
		t.Errorf("%d bytes for a program that needs next to nothing, begun by one that holds %d", u.Memory, len(here))
	}
	if _, _, err := measured(t.Context(), t.TempDir(), os.Environ(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a program that is not there has run")
	}
}

// What a program cost that failed is told beside its error, whose exit code can be read.
func TestCostOfAFailure(t *testing.T) {
	dir := t.TempDir()
	_, u, err := measured(t.Context(), dir, os.Environ(), "/bin/sh", "-c", "exit 2")
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != found || u.Memory <= 0 {
		t.Errorf("%v, %+v", err, u)
	}
	if _, u, err := measured(t.Context(), dir, os.Environ(), filepath.Join(dir, "none")); err == nil || u != (used{}) {
		t.Errorf("a program that is not there: %v, and it cost %+v", err, u)
	}
}
