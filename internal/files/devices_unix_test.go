//go:build !windows

package files

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A device without an end is given up at the limit, and a pipe, as `<(command)` makes one, is read to its end.
func TestDevicesAndPipes(t *testing.T) {
	t.Parallel()
	_, err := Read("/dev/zero", Text)
	wantErr(t, err, "/dev/zero: larger than 4 MiB")
	_, err = ReadPrivate("/dev/zero", Line)
	wantErr(t, err, "/dev/zero: larger than 4 KiB")

	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- os.WriteFile(path, []byte("secret"), 0o600) }()
	if data, err := ReadPrivate(path, Line); err != nil || string(data) != "secret" {
		t.Errorf("%q, %v", data, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
