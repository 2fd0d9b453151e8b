//go:build !windows

package credfile

import "github.com/google/renameio/v2"

// posix says that modes tell who may read a file, and that directories can be synced.
const posix = true

// pending is a temporary file that is going to replace another one, 0600 from its first byte.
type pending = renameio.PendingFile

func newPending(dir, path string) (*pending, error) {
	return renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(0o600))
}
