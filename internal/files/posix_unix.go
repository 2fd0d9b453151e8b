//go:build !windows

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// posix says that modes tell who may read a file, and that an open file can be renamed.
const posix = true

// nonblocking opens a pipe without a writer.
const nonblocking = syscall.O_NONBLOCK

func isRoots(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}

func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}
