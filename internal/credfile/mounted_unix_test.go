//go:build !windows

package credfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file is read as a volume, a pipe or a link offers it; saved is only one's own.
func TestOpenToRead(t *testing.T) {
	t.Parallel()
	path := written(t, seedFile)
	link := filepath.Join(filepath.Dir(path), "link")
	if err := errors.Join(os.Chmod(path, 0o440), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	f, err := OpenToRead(link)
	if err != nil || len(f.Servers()) == 0 {
		t.Fatalf("%v, %v", f, err)
	}
	f.Remove(f.Servers()[0], "csi-driver")
	wantError(t, f.Save(), link, "is a symbolic link: it can be read, but")
	f, faults, err := OpenLenient(link) // the installer refuses it
	if err != nil || len(f.Servers()) == 0 || len(faults) != 1 || !errors.Is(faults[0], ErrMounted) {
		t.Errorf("%v, %v, %v", f, faults, err)
	}
	wantError(t, errors.Join(faults...), link+" has insecure permissions 440 (must be 0600 or stricter)")
	_, err = OpenToRead(path)
	wantError(t, err, path+" has insecure permissions 440 (must be 0600 or stricter): run chmod 600 "+path)
	if err := os.Chmod(path, 0o460); err != nil {
		t.Fatal(err)
	}
	_, err = OpenToRead(link)
	wantError(t, err, "insecure permissions 460 (must be 0640 or stricter)")

	pipe := filepath.Join(filepath.Dir(path), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- os.WriteFile(pipe, []byte(seedFile), 0o600) }()
	if f, err := OpenToRead(pipe); err != nil || len(f.Servers()) == 0 {
		t.Errorf("%v, %v", f, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	_, err = Open(pipe)
	wantError(t, err, "is not a regular file: it can be read, but not saved")

	if f, err := OpenToRead(path + "-none"); err != nil || len(f.Servers()) > 0 {
		t.Errorf("%v, %v", f, err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if f, faults, err := OpenLenient(link); err != nil || len(faults) > 0 || len(f.Servers()) == 0 {
		t.Errorf("%v, %v, %v", f, faults, err)
	}
	_, err = OpenToRead(filepath.Dir(path))
	wantError(t, err, "is a directory")
}

// In a mounted Secret no lock is made, nor a file saved: the error says what it is before anything else is done. A file that belongs to
// root and that the group may read, as with subPath, is read and not saved either.
func TestMountedIsNotLocked(t *testing.T) {
	t.Parallel()
	path := written(t, seedFile)
	link := filepath.Join(filepath.Dir(path), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	wantError(t, lockFailed(link+lockSuffix, Elsewhere, syscall.EROFS), link, "is a symbolic link: it can be read, but", "your own copy of a mounted Secret")
	wantError(t, lockFailed(link+lockSuffix, "copy it", syscall.EROFS), "cannot be created: read-only file system: make its directory writable, or copy it")
	wantError(t, lockFailed(path+lockSuffix, "", syscall.EROFS), "cannot be created: read-only file system: make its directory writable")
	if err := errors.Join(os.Chmod(path, 0o440), os.Chown(path, 12345, -1)); err != nil {
		t.Skip("only root gives files away")
	}
	if f, err := OpenToRead(path); err != nil || len(f.Servers()) == 0 {
		t.Errorf("%v, %v", f, err)
	}
	_, err := Open(path)
	wantError(t, err, path+" belongs to another user, as a file of a mounted Secret does: it can be read, but not saved: set --credentials-file to your own copy")
}
