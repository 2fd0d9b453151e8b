package credfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

// ErrLocked says that another run holds the lock.
var ErrLocked = errors.New("another run is in progress")

// lockSuffix names the lock behind the path of its credentials file.
const lockSuffix = ".lock"

// Lock takes the lock `<path>.lock` without waiting, so that two runs do not write over each other's passwords. Hold
// it from before [Open] until after the last [File.Save]. unlock removes the lock file, and a
// directory that was made for it and stayed empty; one that a killed run leaves
// behind does no harm, as the lock dies with its process. What such a run left of the file itself goes here.
func Lock(path string) (unlock func(), err error) {
	name := path + lockSuffix
	if path == "" {
		_, err := inspect(path)
		return nil, err
	}
	dir := filepath.Dir(path)
	_, statErr := os.Lstat(dir)
	made := errors.Is(statErr, fs.ErrNotExist)
	// The holder removes the file before it lets go. Whoever opened it before that then holds a lock on a file that is
	// not there any more, and tries again.
	const attempts = 100
	for range attempts {
		if err := makeDir(dir); err != nil {
			return nil, lockFailed(name, err)
		}
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("lock file %s is not a regular file: remove it", name)
		}
		l := flock.New(name, flock.SetPermissions(0o600))
		held, err := l.TryLock()
		if errors.Is(err, fs.ErrNotExist) { // the directory went with another run
			continue
		}
		if err != nil {
			return nil, lockFailed(name, err)
		}
		if !held {
			return nil, fmt.Errorf("%w: it has locked %s; wait until it ends", ErrLocked, name)
		}
		mine, err := l.Stat()
		if err != nil {
			return nil, errors.Join(lockFailed(name, err), l.Close())
		}
		if there, err := os.Lstat(name); err == nil && os.SameFile(mine, there) {
			files.Sweep(dir)
			return func() {
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

func lockFailed(name string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		if _, mounted := inspect(strings.TrimSuffix(name, lockSuffix)); mounted != nil { // which says what it is, and what to do
			return mounted
		}
		return fmt.Errorf("lock file %s cannot be created: %w: make its directory writable, or set %s to a file elsewhere",
			name, cause(err), Variable)
	}
	return fmt.Errorf("lock file %s cannot be created: %w", name, cause(err))
}
