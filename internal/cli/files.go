package cli

import (
	"errors"
	"os"
	"path/filepath"
)

// writePrivate puts data at path with mode 0600: all of it or, after an error, what was there before. (renameio, which
// credfile builds on, does not exist for Windows.)
func writePrivate(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // CreateTemp's mode is 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(f.Name()))
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
	return os.Rename(f.Name(), path)
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
