//go:build !windows

package files

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// Posix says that modes tell who may read a file, and that an open file can be renamed.
const Posix = true

// ErrBusy is of no file here: all are shared.
const ErrBusy = syscall.ETXTBSY

// nonblocking opens a pipe without a writer.
const nonblocking = syscall.O_NONBLOCK

// Owner is the user id of a file's owner.
func Owner(info fs.FileInfo) int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(stat.Uid)
}

func createNew(path string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode) //nolint:gosec // the path is the user's
}

// Perm is the mode of the file at path, by which others may read and change it.
func Perm(_ string, info fs.FileInfo) fs.FileMode { return info.Mode().Perm() }

// claim keeps a temporary file of ours from [discard].
func claim(path string) (claimed io.Closer, held bool, err error) {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY)) // flock's default makes a file
	held, err = l.TryLock()
	return l, held, err
}

// Hold keeps a directory from whoever holds it, too, until held is closed, also by the end of the
// process. ok is false where somebody holds it; an error says that its file system does not lock.
func Hold(dir string) (held io.Closer, ok bool, err error) { return claim(dir) }

// discard removes a temporary file of ours, unless somebody claims it.
func discard(path string) {
	lock, held, err := claim(path)
	if held && err == nil {
		_ = os.Remove(path)
	}
	_ = lock.Close()
}

func rename(from, to string) error { return os.Rename(from, to) }
