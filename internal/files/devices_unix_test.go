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

// Another account reads the file, whatever the umask of ours is. Not parallel: the umask is the process's.
func TestWriteShared(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	path := filepath.Join(t.TempDir(), "fleet.prom")
	for _, content := range []string{"first", "second"} {
		if err := WriteShared(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		info, stated := os.Stat(path)
		if err != nil || stated != nil || string(got) != content || info.Mode() != 0o644 {
			t.Errorf("%q, mode %v, %v, %v", got, info.Mode(), err, stated)
		}
	}
}
