package credfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// steps are the system calls of a save, which tests make fail one by one.
type steps struct {
	write   func(path string, data []byte, mode fs.FileMode, check func(pending string) error) error
	reread  func(path string) ([]byte, error)
	remove  func(path string) error
	syncDir func(dir string) error
}

func realSteps() steps { return steps{files.Replace, os.ReadFile, os.Remove, syncDir} }

func syncDir(dir string) error {
	if !files.Posix { // directories cannot be synced
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Save replaces the file by the changed text, if it changed. Call it with the [Lock] held.
//
// The new text goes to a temporary file in the same directory, made 0700 if missing. That file is
// 0600, or as strict as the old one. It is synced, read back, checked by ini.v1 against the changes
// and everything else, and then renamed over the old one; the directory is synced last. A failure
// before the rename leaves the old file and no temporary one. An empty text removes the file. A
// file that changed since it was read is an error.
func (f *File) Save() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.faulty {
		return fmt.Errorf("%s has lines that cannot be read: it is not replaced", called(f.path))
	}
	if f.text == f.saved {
		return nil
	}
	if err := f.check(f.now); err != nil {
		return err
	}
	switch form, found, err := f.stored(); {
	case err != nil:
		return err
	case found && !f.onDisk && f.seal != nil:
		return fmt.Errorf("%s: %w", f.path, ErrSealed)
	case form != f.form || found != f.onDisk:
		return fmt.Errorf("%s was changed by somebody else after it was read; nothing was written: run again", called(f.path))
	}
	dir, form := filepath.Dir(f.path), ""
	if f.text == "" {
		if err := f.steps.remove(f.path); err != nil {
			return f.failed(dir, err)
		}
	} else {
		var err error
		if form, err = f.write(dir); err != nil {
			return err
		}
	}
	f.onDisk = f.text != ""
	f.saved, f.form, f.before, f.changes = f.text, form, f.now, map[ref]change{}
	if err := f.steps.syncDir(dir); err != nil {
		return fmt.Errorf("%s is written, but its directory could not be synced, so a power failure may bring the old one back: %w",
			called(f.path), cause(err))
	}
	return nil
}

// write gives the bytes that it has written.
func (f *File) write(dir string) (form string, err error) {
	if form, err = f.sealed(); err != nil {
		return "", err
	}
	if err := MakeDir(dir); err != nil {
		return "", f.failed(dir, err)
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(f.path); err == nil && info.Mode().Perm()&0o400 != 0 {
		mode = info.Mode().Perm() & 0o700
	}
	var differs error
	err = f.steps.write(f.path, []byte(form), mode, func(pending string) error {
		data, err := f.steps.reread(pending)
		if err != nil {
			return err
		}
		differs = f.readBack(string(data), form)
		return differs
	})
	switch {
	case differs != nil:
		return "", fmt.Errorf("%s is unchanged, because the new one does not read back: %w",
			called(f.path), differs)
	case err != nil:
		return "", f.failed(dir, err)
	}
	return form, nil
}

// readBack refuses what was read of a new file whose bytes should be form.
func (f *File) readBack(text, form string) error {
	if f.seal != nil && text == form {
		text = f.text // as it comes out for those who can open it
	}
	if err := fits(f.path, text); err != nil {
		return err
	}
	again, err := judge(text)
	if err == nil {
		err = f.check(again)
	}
	if err == nil && text != f.text {
		err = errors.New("the text read back differs from the one written")
	}
	return err
}

// CheckReplace says why the file cannot be replaced, as one that is mounted alone: it tries a
// replacement. Call it before a password for the file is set.
func (f *File) CheckReplace() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir := filepath.Dir(f.path)
	if err := f.replaceBySelf(dir); err != nil {
		return f.failed(dir, err)
	}
	return nil
}

func (f *File) replaceBySelf(dir string) error {
	if err := MakeDir(dir); err != nil {
		return err
	}
	var data []byte
	mode := fs.FileMode(0o600)
	info, err := os.Lstat(f.path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err == nil {
		mode = info.Mode().Perm() & 0o700
		data, err = f.steps.reread(f.path)
	}
	if err != nil && !missing {
		return err
	}
	errMade := errors.New("it can be made")
	err = f.steps.write(f.path, data, mode, func(pending string) error {
		if missing {
			return errMade
		}
		again, err := f.steps.reread(pending)
		if err == nil && !bytes.Equal(again, data) {
			err = io.ErrShortWrite
		}
		return err
	})
	if errors.Is(err, errMade) {
		return nil
	}
	return err
}

var errNoDir = errors.New("does not exist")

// MakeDir makes the default directory 0700 and makes it last. Any other has to be there, or a
// mistyped path would be made.
func MakeDir(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if filepath.Base(dir) != defaultDir {
		return hint.Errorf("correct the path, or make it: "+script.Line("mkdir", "-p", dir), "directory %s %w", dir, errNoDir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// failed says what an error of the disk means and what to do.
func (f *File) failed(dir string, err error) error {
	remedy := "run again"
	elsewhere := Elsewhere
	if f.seal != nil {
		elsewhere = "choose a file elsewhere"
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		remedy = "make room and run again"
	case errors.Is(err, syscall.EBUSY), errors.Is(err, syscall.EXDEV):
		remedy = fmt.Sprintf("it is mounted alone, so it cannot be replaced: mount its directory, or %s, in a directory that stays", elsewhere)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		remedy = fmt.Sprintf("make the directory %s writable, or %s", dir, elsewhere)
	}
	return fmt.Errorf("%s cannot be written and is unchanged: %w: %s", called(f.path), cause(err), remedy)
}

// ErrLocked says that another run holds the lock.
var ErrLocked = errors.New("another run is in progress")

// Elsewhere is the way around a directory of credentials files that is not writable.
const Elsewhere = "set --credentials-file to a file elsewhere"

// lockSuffix names the lock behind the path of its credentials file.
const lockSuffix = ".lock"

// Lock takes the lock `<path>.lock` without waiting, so that two runs do not overwrite each other's
// passwords. Hold it from before [Open] until after the last [File.Save]. unlock removes the lock
// file and a directory made for it. The lock of a killed run dies with its process; Lock removes
// what that run left of the file. An error offers elsewhere beside a writable directory; "" = none.
func Lock(path, elsewhere string) (unlock func(), err error) {
	name := path + lockSuffix
	if path == "" {
		_, err := inspect(path)
		return nil, err
	}
	dir := filepath.Dir(path)
	_, statErr := os.Lstat(dir)
	made := errors.Is(statErr, fs.ErrNotExist)
	// The holder removes the file before it unlocks. A process that opened the file before then holds
	// the lock of a removed file, and tries again.
	const attempts = 100
	for range attempts {
		if err := MakeDir(dir); err != nil {
			return nil, lockFailed(name, elsewhere, err)
		}
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("lock file %s is not a regular file: remove it", name)
		}
		l := flock.New(name, flock.SetPermissions(0o600))
		held, err := l.TryLock()
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, files.ErrBusy) { // another run ends
			continue
		}
		if err != nil {
			return nil, lockFailed(name, elsewhere, err)
		}
		if !held {
			return nil, fmt.Errorf("%w: it has locked %s; wait until it ends", ErrLocked, name)
		}
		mine, err := l.Stat()
		if err != nil {
			return nil, errors.Join(lockFailed(name, elsewhere, err), l.Close())
		}
		if there, err := os.Lstat(name); err == nil && os.SameFile(mine, there) {
			files.Sweep(dir)
			return func() {
				if !files.Posix {
					_ = l.Close() // Windows removes what is open in no run, and nothing else
				}
				_ = os.Remove(name)
				_ = l.Close()
				if made {
					_ = os.Remove(dir) // only if nothing came of it
				}
			}, nil
		}
		_ = l.Close()
	}
	return nil, fmt.Errorf("lock file %s keeps disappearing: run again", name)
}

func lockFailed(name, elsewhere string, err error) error {
	if errors.Is(err, errNoDir) {
		return err
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		if elsewhere == Elsewhere { // the error of a credentials file has the remedy
			if _, mounted := inspect(strings.TrimSuffix(name, lockSuffix)); mounted != nil {
				return mounted
			}
		}
		remedy := strings.TrimSuffix("make its directory writable, or "+elsewhere, ", or ")
		return fmt.Errorf("lock file %s cannot be created: %w: %s", name, cause(err), remedy)
	}
	return fmt.Errorf("lock file %s cannot be created: %w", name, cause(err))
}
