//go:build !windows

package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A device without an end is given up at the limit, and a pipe, as `<(command)` makes one, is read to its end.
func TestDevicesAndPipes(t *testing.T) {
	t.Parallel()
	_, err := Read("/dev/zero", Text)
	wantErr(t, err, "/dev/zero: larger than 4 MiB")
	_, err = Read("/dev/zero", Line, CheckPrivate)
	wantErr(t, err, "/dev/zero: larger than 4 KiB")

	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- os.WriteFile(path, []byte("secret"), 0o600) }()
	if data, err := Read(path, Line, CheckPrivate); err != nil || string(data) != "secret" {
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

// A path that came from data leads to a regular file, and nobody waits for another one.
func TestRegular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(path, 0o600), os.Symlink(put(t, 3, 0o600), link)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{path, "/dev/zero", "/dev/null"} {
		_, err := Read(at, Text, Regular)
		wantErr(t, err, at+" is not a regular file")
		_, err = Read(at, Text, Regular, CheckPrivate)
		wantErr(t, err, at+" is not a regular file")
		wantErr(t, CheckRegular(at), at+" is not a regular file")
	}
	if data, err := Read(link, Text, Regular, CheckPrivate); err != nil || string(data) != "xxx" {
		t.Errorf("%q, %v", data, err)
	}
	_, err := Read(put(t, 3, 0o644), Text, Regular, CheckPrivate)
	wantErr(t, err, "insecure permissions")
}

// A pipe that nobody writes to is given up, and one that somebody writes to late, and slowly, is read to its end.
func TestPipe(t *testing.T) {
	t.Parallel()
	silent := &pipe{strings.NewReader(""), func(time.Duration) {}, patiencePipe}
	_, err := ReadFrom(silent, "pipe", Text)
	wantErr(t, err, "pipe: nothing was written to this pipe")

	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	written := make(chan error, 1)
	late := &pipe{opened, func(time.Duration) {
		writer, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, first := writer.WriteString("first, ")
			_, second := writer.WriteString("second")
			written <- errors.Join(first, second, writer.Close())
		}()
	}, patiencePipe}
	if data, err := ReadFrom(late, path, Text); err != nil || string(data) != "first, second" {
		t.Errorf("%q, %v", data, err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
