package files

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WritePrivate writes data to path with mode 0600; after an error the former file is still there.
func WritePrivate(path string, data []byte) error { return writeBy(path, data, 0o600, rename) }

// WritePublic is WritePrivate for a file that others may read, as far as the umask lets them.
func WritePublic(path string, data []byte) error { return writeBy(path, data, 0o666, rename) }

// WriteShared is WritePublic for another account's reading: mode 0644 under any umask.
func WriteShared(path string, data []byte) error {
	return Replace(path, data, 0o644, func(string) error { return nil })
}

// Replace is WritePrivate with another mode under any umask, for data that check accepts.
func Replace(path string, data []byte, mode fs.FileMode, check func(pending string) error) error {
	return writeBy(path, data, mode, func(pending, path string) error {
		if err := os.Chmod(pending, mode); err != nil {
			return err
		}
		if err := check(pending); err != nil {
			return err
		}
		return rename(pending, path)
	})
}

// CreatePrivate is WritePrivate for a new path: an existing file is [fs.ErrExist] and stays.
func CreatePrivate(path string, data []byte) error { return writeBy(path, data, 0o600, linkNew) }

// CreatePublic is CreatePrivate for a file that others may read, as far as the umask lets them.
func CreatePublic(path string, data []byte) error { return writeBy(path, data, 0o666, linkNew) }

// linkNew gives what is written its name, unless something has it.
func linkNew(pending, path string) error {
	err := os.Link(pending, path) // fails if it exists
	if err == nil {
		_ = os.Remove(pending) // a second name of what is written; the next run sweeps it
		return nil
	}
	if _, there := os.Lstat(path); !errors.Is(there, fs.ErrNotExist) {
		return fs.ErrExist
	}
	return rename(pending, path) // a file system without links
}

// writeBy writes a temporary file beside path, and removes those of killed runs; settle moves it.
func writeBy(path string, data []byte, mode fs.FileMode, settle func(pending, path string) error) (err error) {
	dir := filepath.Dir(path)
	Sweep(dir)
	p, err := create(dir, mode)
	if err != nil {
		return of(path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(p.Name()))
		}
		_ = p.lock.Close()
	}()
	_, err = p.Write(data)
	if err == nil {
		err = p.Sync()
	}
	err = errors.Join(of(path, err), p.Close())
	if err != nil {
		return err
	}
	return settle(p.Name(), path)
}

// of is an error of a temporary file as one of path: its own name is noise.
func of(path string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "write", Path: path, Err: pe.Err}
	}
	return err
}

// pending is a temporary file, claimed until it is closed or the process ends.
type pending struct {
	*os.File
	lock io.Closer
}

// pendingPrefix begins the names of our temporary files; 26 random letters and digits follow.
const pendingPrefix = ".ocp-vsphere-admin-"

// create makes one. Another run may sweep it away before it is locked; then there is another.
func create(dir string, mode fs.FileMode) (*pending, error) {
	const attempts = 100
	for range attempts {
		f, err := createNew(filepath.Join(dir, pendingPrefix+rand.Text()), mode)
		if err != nil {
			return nil, err
		}
		lock, held, err := claim(f.Name())
		// On file systems without locks, no lock is taken for sweeping.
		if held || err != nil && !errors.Is(err, fs.ErrNotExist) {
			if here(f) {
				return &pending{f, lock}, nil
			}
		}
		_, _ = f.Close(), lock.Close()
	}
	return nil, errors.New(dir + ": a temporary file keeps disappearing: run again")
}

// here reports whether f is still at its name.
func here(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name()) //nolint:gosec // the file that was just made
	return err == nil && os.SameFile(mine, there)
}

// Sweep removes unlocked temporary files of ours from dir, which may hold passwords.
func Sweep(dir string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !isPending(e.Name()) || !isOwn(info) {
			continue
		}
		discard(filepath.Join(dir, e.Name()))
	}
}

func isPending(name string) bool {
	random, ours := strings.CutPrefix(name, pendingPrefix)
	return ours && len(random) == 26 && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}
