package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWritePrivate(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "x", "before", 0o644)
	if err := writePrivate(path, []byte("after")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if text, _ := os.ReadFile(path); string(text) != "after" {
		t.Errorf("%q", text)
	}

	dir := filepath.Join(t.TempDir(), "in the way")
	if err := os.MkdirAll(filepath.Join(dir, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writePrivate(dir, []byte("after")); err == nil {
		t.Error("a directory was replaced")
	}
	left, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
