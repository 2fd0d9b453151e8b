package credfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// Variable is the environment variable that the installer takes the path from.
const Variable = "VSPHERE_CREDENTIALS_FILE"

// Enough for 1,500 vCenters; ini.v1 takes quadratic time.
const (
	maxBytes = 1 << 20
	maxLines = 20000
)

// MaxValue is the most bytes of a user name or a password. Active Directory has passwords of 256
// characters and names of 1024; a vCenter's own policy allows less.
const MaxValue = 1024

// fits refuses a text that [Open] would not read, be it from the disk or on its way there.
func fits(path, text string) error {
	switch {
	case len(text) > maxBytes || strings.Count(text, "\n") > maxLines:
		return fmt.Errorf("%s is larger than %d bytes or %d lines: check that it is the right file",
			called(path), maxBytes, maxLines)
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff"):
		return fmt.Errorf("%s is UTF-16: save it as UTF-8", called(path))
	}
	return nil
}

// DefaultPath is VSPHERE_CREDENTIALS_FILE, or .vsphere/credentials below home if that is empty. As
// in the installer, a missing file has no fallback.
func DefaultPath(getenv func(string) string, home string) string {
	if path := getenv(Variable); path != "" {
		return path
	}
	return filepath.Join(home, defaultDir, "credentials")
}

const defaultDir = ".vsphere"

// Apart is a path beside that of a file of several clusters, for the accounts of one alone.
func Apart(path, cluster string) string { return path + "-" + cluster }

// OpenToRead is Open without saving: it accepts a link, a pipe and the file of a mounted Secret;
// see [files.CheckPrivate]. [File.Save] refuses them.
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
	switch { // INI could be read out of some of them
	case strings.HasPrefix(strings.TrimSpace(text), "{"):
		return nil, fmt.Errorf("%s is JSON: name the file that has, or gets, the passwords", called(path))
	case strings.HasPrefix(text, "apiVersion:") || strings.Contains(text, "\napiVersion:"):
		return nil, fmt.Errorf("%s is YAML: name the file that has, or gets, the passwords", called(path))
	}
	f, err := newFile(path, text)
	switch {
	case err != nil && strings.HasSuffix(path, journalSuffix):
		return nil, err
	case err != nil:
		return nil, hint.Wrap(err, "mend it, which 'credentials validate' helps with, or put a copy of the file in its place")
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

// fetch is load without saving: any owner will do if others cannot read the file.
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
		return nil, fmt.Errorf("%s is stdin, which can be read but not saved: set --credentials-file to a file",
			called(path))
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", called(path), cause(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s is a symbolic link: it can be read, but saving would replace the link and keep the old passwords in its target: "+
			"set --credentials-file to the file that it points to, or to your own copy of a mounted Secret", called(path))
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory: set --credentials-file to a file", called(path))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: it can be read, but not saved: set --credentials-file to one",
			called(path))
	case files.Perm(path, info)&files.Others != 0 && files.CheckPrivate(path, info) == nil:
		return nil, fmt.Errorf("%s belongs to another user, as a file of a mounted Secret does: it can be read, but not saved: "+
			"set --credentials-file to your own copy", called(path))
	case files.Perm(path, info)&files.Others != 0:
		// the installer's words (openshift/installer@0f58e82ecf15,
		// pkg/asset/installconfig/vsphere/credentials.go)
		return nil, fmt.Errorf("%s has insecure permissions %o (must be 0600 or stricter): run %s",
			called(path), files.Perm(path, info), script.Chmod("600", path))
	}
	return info, nil
}

var errNoPath = fmt.Errorf("the credentials file has no path: set %s or HOME", Variable)

// directoryWarnings checks the directory of the file. The installer does not, so this is no error.
// In a directory chosen by the administrator only writing matters.
func directoryWarnings(path string) []string {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	open, mode := files.Others, files.Perm(dir, info)
	if filepath.Base(dir) != ".vsphere" {
		open = files.OthersWrite
	}
	// The kubelet makes those of volumes sticky.
	if info.Mode()&fs.ModeSticky != 0 || mode&open == 0 {
		return nil
	}
	return []string{fmt.Sprintf("directory %s has mode %04o, so others can read or change it: run %s",
		dir, mode, script.Chmod("700", dir))}
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

// OpenLenient is Open for reading only. It reports and leaves out lines for which the installer
// refuses the file, and accepts the mode of a mounted Secret ([ErrMounted]). The File cannot be
// saved. The last result is an error that leaves nothing to read.
func OpenLenient(path string) (*File, []error, error) {
	if path == "-" {
		return nil, nil, fmt.Errorf("%s is stdin, which openshift-install does not read: set --credentials-file to a file", called(path))
	}
	text, found, err := fetch(path)
	if err != nil {
		return nil, nil, err
	}
	mode := files.Check(path, files.Others)
	sound, faults := withoutFaults(text)
	for i, fault := range faults {
		faults[i] = fmt.Errorf("%s: %w", called(path), fault)
	}
	f, err := newFile(path, sound)
	if err != nil {
		return nil, nil, errors.Join(append(faults, err)...)
	}
	if mode != nil && !errors.Is(mode, fs.ErrNotExist) {
		faults = append(faults, mountedError{fmt.Errorf("%s %w", noun(path), mode)})
	}
	f.onDisk, f.faulty, f.warnings = found, len(faults) > 0, directoryWarnings(path)
	return f, faults, nil
}

// ErrMounted says that the group may read the file, as in a mounted Secret; the installer refuses
// it.
var ErrMounted = errors.New("mounted for a group")

// mountedError is an [ErrMounted] in the installer's words.
type mountedError struct{ error }

// Is makes it that error.
func (mountedError) Is(target error) bool { return target == ErrMounted }

// mostFaults bounds how often a file is read again: one with more faults is not the right file.
const mostFaults = 50

// withoutFaults empties the lines at fault, so that the others keep their numbers.
func withoutFaults(text string) (sound string, faults []error) {
	for range mostFaults {
		_, err := judge(text)
		lines, line := strings.SplitAfter(text, "\n"), lineOf(err)
		if line < 1 || line > len(lines) {
			break // none, or not one line's: newFile says it
		}
		faults = append(faults, err)
		lines[line-1] = lines[line-1][len(strings.TrimRight(lines[line-1], "\r\n")):]
		text = strings.Join(lines, "")
	}
	slices.SortStableFunc(faults, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	return text, faults
}

// lineOf is the first line for which a text is refused, from 1; 0 if it is no single line.
func lineOf(err error) int {
	if at, ok := errors.AsType[*syntaxError](err); ok {
		return at.line
	}
	return 0
}
