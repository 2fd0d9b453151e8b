package cli

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
)

// writePrivate puts data at path with mode 0600.
func writePrivate(path string, data []byte) error { return writeWhole(path, data, 0o600) }

// writePublic puts data at path that others may read, as far as the umask lets them.
func writePublic(path string, data []byte) error { return writeWhole(path, data, 0o666) }

// writeWhole puts data at path: all of it or, after an error, what was there before. (renameio, which credfile builds on,
// does not exist for Windows.)
func writeWhole(path string, data []byte, mode os.FileMode) (err error) {
	made := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text())
	f, err := os.OpenFile(made, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(made))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return err
	}
	return os.Rename(made, path)
}

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
