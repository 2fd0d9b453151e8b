//go:build !windows

package held

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who can put files into the directory decides which account a cluster gets.
func TestDirectoryOfOthers(t *testing.T) {
	t.Parallel()
	const stranger = 12345
	h := newWorld().made(t)[0]
	for name, c := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"others can write it": {func(dir string) error { return os.Chmod(dir, 0o770) }, "has insecure permissions 770 (others can change it): run chmod go-w "},
		"others own it":       {func(dir string) error { return os.Chown(dir, stranger, -1) }, "belongs to another user"},
		"others can write what was printed": {func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, printedDir), 0o700), os.Chmod(filepath.Join(dir, printedDir), 0o777))
		}, filepath.Join("held", printedDir) + " has insecure permissions 777"},
		"what was printed is elsewhere": {func(dir string) error {
			return os.Symlink(t.TempDir(), filepath.Join(dir, printedDir))
		}, filepath.Join("held", printedDir) + " is a link or a file, not a directory: move it away"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ownDir(t)
			if err := c.spoil(dir); errors.Is(err, os.ErrPermission) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			d := Dir{Path: dir, Cluster: "cluster1"}
			_, locked := d.Lock()
			_, put := d.Put(h)
			_, read := d.Read()
			for _, err := range []error{d.Check(), locked, put, read} {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
			}
		})
	}
}

// A link of one's own to a directory of one's own is fine.
func TestDirectoryBehindLink(t *testing.T) {
	t.Parallel()
	dir := ownDir(t)
	if err := os.Symlink(dir, dir+"-link"); err != nil {
		t.Fatal(err)
	}
	put(t, Dir{Path: dir + "-link", Cluster: "cluster1"}, newWorld().made(t)[0], Added)
}
