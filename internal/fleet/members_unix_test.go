//go:build unix

package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pipe in a directory is an error of its own, which nobody waits for; one that somebody typed is read.
func TestLoadPipes(t *testing.T) {
	t.Parallel()
	dir, typed := t.TempDir(), filepath.Join(t.TempDir(), "typed")
	err := errors.Join(os.WriteFile(filepath.Join(dir, "a.yaml"), fmt.Appendf(nil, text, "a", "vc1"), 0o600),
		syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600), syscall.Mkfifo(typed, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(typed, fmt.Appendf(nil, text, "b", "vc2"), 0o600) }()
	all, err := Load([]string{dir, typed})
	if err := errors.Join(err, <-written); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range all {
		got[m.Name] = fmt.Sprint(m.Err)
	}
	want := map[string]string{"a": "<nil>", "b": "<nil>", "pipe.yaml": filepath.Join(dir, "pipe.yaml") + " is not a regular file"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
