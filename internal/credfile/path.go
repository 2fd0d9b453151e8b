package credfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

// Variable is the environment variable that the installer takes the path from.
const Variable = "VSPHERE_CREDENTIALS_FILE"

// A file beyond this is no credentials file: the lines are enough for 1,500 vCenters, and ini.v1 takes quadratic time.
const (
	maxBytes = 1 << 20
	maxLines = 20000
)

// MaxValue is how many bytes a user name or a password may have. Active Directory has passwords of 256 characters and names
// of 1024; a vCenter's own policy allows less.
const MaxValue = 1024

// fits refuses a text that [Open] would not read, be it from the disk or on its way there.
func fits(path, text string) error {
	switch {
	case len(text) > maxBytes || strings.Count(text, "\n") > maxLines:
		return fmt.Errorf("%s is larger than %d bytes or %d lines: check that it is the right file", called(path), maxBytes, maxLines)
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff"):
		return fmt.Errorf("%s is UTF-16: save it as UTF-8", called(path))
	}
	return nil
}

// DefaultPath is VSPHERE_CREDENTIALS_FILE if that is not empty, else .vsphere/credentials below home. There is no
// fallback from the one to the other, as in the installer.
func DefaultPath(getenv func(string) string, home string) string {
	if path := getenv(Variable); path != "" {
		return path
	}
	return filepath.Join(home, ".vsphere", "credentials")
}

// OpenToRead is Open for what is not saved: a link, a pipe and the file of a mounted Secret are fine; see [files.CheckPrivate].
// [File.Save] refuses them.
func OpenToRead(path string) (*File, error) {
	f, err := open(path, fetch)
	if err == nil {
		f.reading = true
	}
	return f, err
}

func open(path string, load func(path string) (text string, found bool, err error)) (*File, error) {
	text, found, err := load(path)
	if err != nil {
		return nil, err
	}
	f, err := newFile(path, text)
	if err != nil {
		return nil, err
	}
	f.onDisk, f.warnings = found, directoryWarnings(path)
	return f, nil
}

// load reads a file of one's own; found is false if there is none.
func load(path string) (text string, found bool, err error) {
	info, err := inspect(path)
	if err != nil || info == nil {
		return "", false, err
	}
	return take(path, func(_ string, opened fs.FileInfo) error {
		if !os.SameFile(info, opened) {
			return fmt.Errorf("%s changed while it was opened: run again", called(path))
		}
		return nil
	})
}

// fetch is load for what is not saved: whose it is does not matter, as long as nobody else reads it.
func fetch(path string) (text string, found bool, err error) {
	if path == "" {
		return "", false, errNoPath
	}
	return take(path, func(_ string, opened fs.FileInfo) error {
		if err := files.CheckPrivate(path, opened); err != nil {
			return fmt.Errorf("%s %w", noun(path), err)
		}
		return nil
	})
}

// take reads what check, given what was opened, does not refuse.
func take(path string, check func(path string, opened fs.FileInfo) error) (text string, found bool, err error) {
	data, err := files.Read(path, 2*maxBytes, check)
	of, ofSystem := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case ofSystem:
		return "", false, fmt.Errorf("%s cannot be read: %w", called(path), of.Err)
	case err != nil:
		return "", false, err
	}
	if err := fits(path, string(data)); err != nil {
		return "", false, err
	}
	return string(data), true, nil
}

// inspect returns nil for a missing file and refuses what we would not replace or must not trust.
func inspect(path string) (fs.FileInfo, error) {
	switch path {
	case "":
		return nil, errNoPath
	case "-":
		return nil, fmt.Errorf("%s is stdin, which can be read but not saved: set %s to a file", called(path), Variable)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", called(path), cause(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s is a symbolic link: it can be read, but saving would replace the link and keep the old passwords in its target: "+
			"set %s to the file that it points to, or to your own copy of a mounted Secret", called(path), Variable)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory: set %s to a file", called(path), Variable)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: it can be read, but not saved: set %s to one", called(path), Variable)
	case posix && info.Mode().Perm()&0o077 != 0 && files.CheckPrivate(path, info) == nil:
		return nil, fmt.Errorf("%s belongs to another user, as a file of a mounted Secret does: it can be read, but not saved: "+
			"set %s to your own copy", called(path), Variable)
	case posix && info.Mode().Perm()&0o077 != 0:
		// The installer's own words (openshift/installer@0f58e82ecf15, pkg/asset/installconfig/vsphere/credentials.go).
		return nil, fmt.Errorf("%s has insecure permissions %o (must be 0600 or stricter): run chmod 600 %s",
			called(path), info.Mode().Perm(), path)
	}
	return info, nil
}

var errNoPath = fmt.Errorf("the credentials file has no path: set %s or HOME", Variable)

// directoryWarnings looks at the directory of the file. The installer does not, and the file itself is closed, so
// this is no error. In a directory of the administrator's own choice only writing matters.
func directoryWarnings(path string) []string {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	open, mode := fs.FileMode(0o077), info.Mode()
	if filepath.Base(dir) != ".vsphere" {
		open = 0o022
	}
	if mode&fs.ModeSticky != 0 { // as the kubelet makes those of volumes
		return nil
	}
	if !posix || mode.Perm()&open == 0 {
		return nil
	}
	return []string{fmt.Sprintf("directory %s has mode %04o, so others can read or change it: run chmod 700 %s", dir, mode.Perm(), dir)}
}

// cause strips the operation and the path, often of a temporary file, from an error of package os.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
