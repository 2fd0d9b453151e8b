//go:build !windows

package credfile

import (
	"os"

	"github.com/google/renameio/v2"
)

// posix says that modes tell who may read a file, and that directories can be synced.
const posix = true

// pending is a temporary file that is going to replace another one. From its first byte it is 0600, or as strict as that one.
type pending = renameio.PendingFile

func newPending(dir, path string) (*pending, error) {
	mode := os.FileMode(0o600)
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o400 != 0 {
		mode = info.Mode().Perm() & 0o700
	}
	return renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(mode))
}
