package cli

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

// writePrivate puts data at path with mode 0600.
func writePrivate(path string, data []byte) error { return files.WritePrivate(path, data) }

// rewrite puts data at the path of a file that exists, whole or not at all; who could read it can. Where the path is a link, what it
// leads to is written.
func rewrite(path string, data []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := writePrivate(path, data); err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm())
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

// sameFile reports whether two paths lead to one file, which need not be there.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return resolved(a) == resolved(b) || err == nil && otherErr == nil && os.SameFile(one, other)
}

// resolved is a path without links to its directory.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return path
}
