//go:build !windows

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// posix says that modes tell who may read a file, and that an open file can be renamed.
const posix = true

// nonblocking has a pipe opened although nobody writes to it.
const nonblocking = syscall.O_NONBLOCK

// isRoots reports whether root owns the file.
func isRoots(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}

// isOwn reports whether we own the file.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}
