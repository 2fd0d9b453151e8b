// Package files reads input and writes output: never more than a limit into memory, passwords only
// from private files, and whole files or nothing.
package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
	"unicode/utf16"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// Limit is the most bytes of a file to read, above any real one.
type Limit int64

// The limits. The largest real files are far below them.
const (
	Line Limit = 4 << 10  // a password and its line break
	Text Limit = 4 << 20  // specifications, settings, certificates, manifests
	Dump Limit = 16 << 20 // a cluster's secrets; at worst a gigabyte as YAML
	Plan Limit = 64 << 20 // a saved plan, which names every change on every vCenter
)

// String is the limit as errors spell it: "4 MiB".
func (l Limit) String() string {
	if l < 1<<20 {
		return fmt.Sprintf("%d KiB", l>>10)
	}
	return fmt.Sprintf("%d MiB", l>>20)
}

// Read returns the content of the file at path, unless one of checks refuses it: [Regular],
// [CheckPrivate]. It accepts devices and pipes, such as `<(command)`, but a pipe without a writer
// is an error after some seconds. Errors name the path; a missing file is [fs.ErrNotExist].
func Read(path string, limit Limit, checks ...func(path string, opened fs.FileInfo) error) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", path)
	}
	for _, check := range checks {
		if err := check(path, info); err != nil {
			return nil, err
		}
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return ReadFrom(&pipe{f, time.Sleep, patiencePipe}, path, limit) //nolint:forbidigo // its clock is an argument of pipe
	}
	return ReadFrom(f, path, limit)
}

// Regular is the check for a path from data (a directory, another file, a name of ours): pipes may
// have no writer, and devices no end.
func Regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is not a regular file", path)
}

// CheckRegular is [Regular] for path, without opening it; a missing file is [fs.ErrNotExist].
func CheckRegular(path string) error { return at(path, Regular) }

// at checks the file at path, which is not opened.
func at(path string, check func(path string, info fs.FileInfo) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return check(path, info)
}

// ReadFrom returns all that comes out of r; name is what errors call it.
func ReadFrom(r io.Reader, name string, limit Limit) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	case int64(len(data)) > int64(limit):
		return nil, fmt.Errorf("%s: larger than %s, the maximum for such a file", name, limit)
	}
	return data, nil
}

// AsUTF8 is text without a byte order mark, from the UTF-16 that > makes in Windows PowerShell too.
func AsUTF8(data []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	}
	var units []uint16
	for data = data[2:]; len(data) > 1; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	return []byte(string(utf16.Decode(units)))
}

// UTF8 is [AsUTF8] for what [Read] gives.
func UTF8(data []byte, err error) ([]byte, error) { return AsUTF8(data), err }

// How long to wait for a pipe's writer, and how often to look.
const (
	patiencePipe = 3 * time.Second
	pollPipe     = 20 * time.Millisecond
)

// pipe waits for a pipe's first bytes, for some time: without a writer a read ends at once.
type pipe struct {
	from  io.Reader
	pause func(time.Duration)
	left  time.Duration // time to wait; negative = it had a writer
}

// Read implements io.Reader.
func (p *pipe) Read(into []byte) (int, error) {
	for ; ; p.left -= pollPipe {
		n, err := p.from.Read(into)
		switch {
		case n > 0:
			p.left = -1
			return n, nil
		case err != io.EOF || p.left < 0:
			return 0, err
		case p.left == 0:
			return 0, errors.New("nothing was written to this pipe")
		}
		p.pause(pollPipe)
	}
}

// The modes that a file may not have; see [Check].
const (
	Others      = fs.FileMode(0o077) // others can read or change it
	OthersWrite = fs.FileMode(0o022) // others can change it
)

// Check refuses path if its mode has a bit of open. A missing file is [fs.ErrNotExist].
func Check(path string, open fs.FileMode) error {
	return at(path, func(path string, info fs.FileInfo) error { return check(path, info, open) })
}

// CheckOwner refuses path unless we or root own it. A missing file is [fs.ErrNotExist].
func CheckOwner(path string) error {
	return at(path, func(path string, info fs.FileInfo) error {
		if info.Mode().IsRegular() && !isOwn(info) && Owner(info) != 0 {
			return fmt.Errorf("%s belongs to another user, who can change it: copy it to a file of your own", path)
		}
		return nil
	})
}

func isOwn(info fs.FileInfo) bool { return Owner(info) == os.Geteuid() }

// CheckPrivate refuses a file opened from path whose mode lets others in, in the installer's words
// for its credentials file. Its group may read one that we cannot change: a mounted Secret is a
// link to a file of mode 0440, or another user's.
func CheckPrivate(path string, info fs.FileInfo) error {
	link, err := os.Lstat(path)
	if err != nil || link.Mode()&fs.ModeSymlink == 0 && isOwn(info) {
		return check(path, info, Others)
	}
	if check(path, info, Others&^groupReads) == nil {
		return nil
	}
	return fmt.Errorf("%w, or set defaultMode: 0440 where the Secret is mounted",
		insecure(path, info, "must be 0640 or stricter", "640"))
}

// CheckPrivateAt is [CheckPrivate] for path, unopened; a missing file is [fs.ErrNotExist].
func CheckPrivateAt(path string) error { return at(path, CheckPrivate) }

// ReadableByAll reports whether all users can read the regular file at path. Its group may:
// openshift-install makes an install-config 0640.
func ReadableByAll(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && Perm(path, info)&0o004 != 0
}

const groupReads = fs.FileMode(0o040)

// check leaves devices alone: a terminal has no content that others could read in its place.
func check(path string, info fs.FileInfo, open fs.FileMode) error {
	if Perm(path, info)&open == 0 || info.Mode().Type()&^fs.ModeNamedPipe != 0 {
		return nil
	}
	must, remedy := "must be 0600 or stricter", "600"
	if open == OthersWrite {
		must, remedy = "others can change it", "go-w"
	}
	return insecure(path, info, must, remedy)
}

func insecure(path string, info fs.FileInfo, must, remedy string) error {
	return fmt.Errorf("%s has insecure permissions %o (%s): run %s", path, Perm(path, info), must,
		script.Chmod(remedy, path))
}

// CheckDir refuses a directory that others own or can change, or a path to none: they could decide
// what is read from it. A missing one is [fs.ErrNotExist].
func CheckDir(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a link or a file, not a directory: move it away", path)
	case !isOwn(info):
		return fmt.Errorf("%s belongs to another user: choose another directory", path)
	case Perm(path, info)&OthersWrite != 0:
		return insecure(path, info, "others can change it", "go-w")
	}
	return nil
}

// cause is an error of package os without its operation and path, which stands before it already.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
