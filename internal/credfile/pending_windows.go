package credfile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// posix is false: Go makes up 0666 for every file here, the access lists say who may read it, and a directory cannot be
// synced.
const posix = false

// pending is a temporary file that is going to replace another one. renameio has nothing for Windows, where a rename
// replaces, but not in one step that a power cut cannot halve.
type pending struct {
	*os.File
	path string
	done bool
}

func newPending(dir, path string) (*pending, error) {
	// The name is one that sweep knows.
	name := fmt.Sprintf(".%s%0*d", filepath.Base(path), tempDigits+4, rand.Int64())
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &pending{File: f, path: path}, nil
}

// CloseAtomicallyReplace syncs the file and renames it.
func (p *pending) CloseAtomicallyReplace() error {
	if err := errors.Join(p.Sync(), p.Close()); err != nil {
		return err
	}
	p.done = true
	return os.Rename(p.Name(), p.path)
}

// Cleanup removes the file unless it was renamed.
func (p *pending) Cleanup() error {
	if p.done {
		return nil
	}
	_ = p.Close()
	return os.Remove(p.Name())
}
