package files

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func put(t *testing.T, size int, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := errors.Join(os.WriteFile(path, bytes.Repeat([]byte("x"), size), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantErr(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%v: does not say %q", err, p)
		}
	}
}

// A file of just the limit is read, one byte more is not, and the error names file and limit.
func TestLimits(t *testing.T) {
	t.Parallel()
	for limit, name := range map[Limit]string{Line: "4 KiB", Text: "4 MiB", Dump: "16 MiB", Plan: "64 MiB"} {
		if limit.String() != name {
			t.Errorf("%d is called %s", limit, limit)
		}
	}
	path := put(t, int(Line), 0o600)
	if data, err := Read(path, Line); err != nil || len(data) != int(Line) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	path = put(t, int(Line)+1, 0o600)
	_, err := Read(path, Line)
	wantErr(t, err, path, "larger than 4 KiB")
	_, err = Read(path, Line, CheckPrivate)
	wantErr(t, err, path, "larger than 4 KiB")
	_, err = ReadFrom(strings.NewReader(strings.Repeat("x", int(Line)+1)), "stdin", Line)
	wantErr(t, err, "stdin: larger than 4 KiB")
	_, err = ReadFrom(iotest.ErrReader(errors.New("torn")), "stdin", Line)
	wantErr(t, err, "stdin: torn")
}

func TestWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Read(dir, Text)
	wantErr(t, err, dir+" is a directory")
	if _, err = Read(filepath.Join(dir, "none"), Text); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err = Read(filepath.Join(dir, "none"), Text, CheckPrivate); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	if !Posix {
		t.Skip("no modes here")
	}
	for mode, want := range map[fs.FileMode]struct{ private, trusted bool }{
		0o600: {true, true}, 0o400: {true, true}, 0o640: {false, true}, 0o604: {false, true}, 0o644: {false, true},
		0o660: {false, false}, 0o620: {false, false}, 0o602: {false, false}, 0o601: {false, true},
	} {
		path := put(t, 3, mode)
		data, err := Read(path, Line, CheckPrivate)
		if want.private != (err == nil) || want.private != (string(data) == "xxx") {
			t.Errorf("%o: %q, %v", mode, data, err)
		}
		if err != nil {
			wantErr(t, err, path+" has insecure permissions", "chmod 600 "+path)
		}
		if err := Check(path, OthersWrite); want.trusted != (err == nil) {
			t.Errorf("%o: %v", mode, err)
		} else if err != nil {
			wantErr(t, err, "others can change it", "chmod go-w "+path)
		}
		if data, err := Read(path, Line); err != nil || string(data) != "xxx" {
			t.Errorf("%o: %q, %v", mode, data, err)
		}
	}
}

// Whoever owns a file can change it, whatever its mode is now.
func TestCheckOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := CheckOwner(path); err != nil {
		t.Error(err)
	}
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Skip("only root gives files away")
	}
	if err := CheckOwner(path); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Error(err)
	}
}
