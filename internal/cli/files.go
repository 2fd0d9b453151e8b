package cli

import (
	"errors"
	"os"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

// writePrivate puts data at path with mode 0600.
func writePrivate(path string, data []byte) error { return files.WritePrivate(path, data) }

// writePublic puts data at path that others may read, as far as the umask lets them.
func writePublic(path string, data []byte) error { return files.WritePublic(path, data) }

// removeIfThere removes a file; one that is not there, or an empty path, is fine.
func removeIfThere(path string) error {
	if path == "" {
		return nil
	}
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
