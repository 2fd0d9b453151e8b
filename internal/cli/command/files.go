package command

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf16"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Rewrite puts data at a path, whole or not at all; who can read the file at like can read it. Where the path is a link, what it leads to
// is written.
func Rewrite(path, like string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(like)
	if err != nil {
		return err
	}
	if err := files.WritePrivate(path, data); err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm())
}

// SameFile reports whether two paths lead to one file, which need not be there.
func SameFile(a, b string) bool {
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

// ReadText reads a file, or stdin for "-"; the name is what errors call it.
func (f *Factory) ReadText(path string) (name string, data []byte, err error) {
	return f.ReadTextOr(path, "give an install-config.yaml, secrets as 'oc get secrets -o yaml' prints them, or a credentials file")
}

// ReadTextOr is ReadText, with another advice where the text is empty.
func (f *Factory) ReadTextOr(path, advice string) (name string, data []byte, err error) {
	if name = path; path == "-" {
		name = "stdin"
		data, err = files.ReadFrom(f.In, name, files.Dump)
	} else {
		data, err = f.Interruptible(func() ([]byte, error) { return files.Read(path, files.Dump) })
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name, nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return name, nil, err
	case len(bytes.TrimSpace(data)) == 0:
		return name, nil, hint.Errorf(advice, "%s is empty", name)
	}
	f.warnReadable(path, data)
	return name, data, nil
}

// AsUTF8 converts UTF-16 with a byte order mark, which `oc ... > FILE` makes in Windows PowerShell.
func AsUTF8(data []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return data
	}
	var units []uint16
	for data = data[2:]; len(data) > 1; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	return []byte(string(utf16.Decode(units)))
}
