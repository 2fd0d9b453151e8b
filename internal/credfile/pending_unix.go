//go:build !windows

package credfile

import "github.com/google/renameio/v2"

// pending is a temporary file that is going to replace another one, 0600 from its first byte.
type pending = renameio.PendingFile

func newPending(dir, path string) (*pending, error) {
	return renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(0o600))
}
