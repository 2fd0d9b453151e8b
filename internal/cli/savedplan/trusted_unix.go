//go:build !windows

package savedplan

import (
	"io/fs"
	"os"
	"syscall"
)

// modesTell: modes tell who may write a file.
const modesTell = true

// foreignOwner is the owner of a file other than this user and root.
func foreignOwner(info fs.FileInfo) (uid uint32, foreign bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}
