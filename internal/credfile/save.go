package credfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// steps are the system calls of a save, which tests make fail one by one.
type steps struct {
	create  func(dir, path string) (*pending, error)
	write   func(f *os.File, text string) error
	reread  func(path string) ([]byte, error)
	replace func(f *pending) error
	remove  func(path string) error
	syncDir func(dir string) error
}

func realSteps() steps {
	return steps{
		create: newPending,
		write: func(f *os.File, text string) error {
			if _, err := f.WriteString(text); err != nil {
				return err
			}
			return f.Sync()
		},
		reread:  os.ReadFile,
		replace: (*pending).CloseAtomicallyReplace, // syncs the file, but not the directory
		remove:  os.Remove,
		syncDir: syncDir,
	}
}

func syncDir(dir string) error {
	if !posix {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Save replaces the file by the changed text, or does nothing if nothing changed. Call it with the [Lock] held.
//
// The new text goes to a temporary file in the same directory, which is made 0700 if it is missing. That file is 0600, or
// as strict as the old one. It is synced, read back, judged by ini.v1 against what was set and against everything else that
// was there, and only then renamed over the old one; the directory is synced last. Whatever fails before the rename leaves
// the old file as it was and no temporary file. A text of which nothing is left removes the file. A file that somebody
// changed since it was read is left alone.
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
	if err := makeDir(dir); err != nil {
		return "", f.failed(dir, err)
	}
	p, err := f.steps.create(dir, f.path)
	if err != nil {
		return "", f.failed(dir, err)
	}
	defer func() { _ = p.Cleanup() }() // removes the temporary file unless it was renamed
	if err := f.steps.write(p.File, form); err != nil {
		return "", f.failed(dir, err)
	}
	data, err := f.steps.reread(p.Name())
	if err != nil {
		return "", f.failed(dir, err)
	}
	text := string(data)
	if f.seal != nil && text == form {
		text = f.text // as it comes out for those who can open it
	}
	again := &File{}
	if err = fits(f.path, text); err == nil {
		err = again.settle(text)
	}
	if err == nil {
		err = f.check(again.now)
	}
	if err == nil && text != f.text {
		err = errors.New("the text read back differs from the one written")
	}
	if err != nil {
		return "", fmt.Errorf("%s is unchanged, because the new one does not read back: %w", called(f.path), err)
	}
	if err := f.steps.replace(p); err != nil {
		return "", f.failed(dir, err)
	}
	return form, nil
}

// CheckReplace reports why the file cannot be replaced where it is, as one that is mounted alone cannot: it replaces the file by itself,
// or tries to make one where there is none. Ask before a password is set that the file is to have.
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
	if err := makeDir(dir); err != nil {
		return err
	}
	p, err := f.steps.create(dir, f.path)
	if err != nil {
		return err
	}
	defer func() { _ = p.Cleanup() }()
	data, err := f.steps.reread(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, statErr := os.Lstat(f.path)
	if err := cmp.Or(err, statErr); err != nil {
		return err
	}
	if err := errors.Join(f.steps.write(p.File, string(data)), p.Chmod(info.Mode().Perm())); err != nil {
		return err
	}
	if again, err := f.steps.reread(p.Name()); err != nil || !bytes.Equal(again, data) {
		return cmp.Or(err, io.ErrShortWrite)
	}
	return f.steps.replace(p)
}

// tempDigits is the fewest digits of a swept temporary file: renameio takes a number of 63 bits, which has as many but once
// in a hundred thousand times, and a backup that somebody named by date and time has fewer.
const tempDigits = 15

// sweep removes the temporary files of runs that were killed while they wrote: they hold passwords. Nobody writes one
// now: [Lock], which calls it, has just been given the lock.
func sweep(dir, path string) {
	prefix := "." + filepath.Base(path)
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		digits, ours := strings.CutPrefix(e.Name(), prefix)
		if ours && len(digits) >= tempDigits && strings.Trim(digits, "0123456789") == "" && e.Type().IsRegular() {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// makeDir creates the missing directories 0700 and makes them last.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	above := filepath.Dir(dir)
	if above == dir {
		return fs.ErrNotExist
	}
	if err := makeDir(above); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(above)
}

// failed says what an error of the disk means and what to do.
func (f *File) failed(dir string, err error) error {
	remedy := "run again"
	elsewhere := "set " + Variable + " to a file elsewhere"
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
