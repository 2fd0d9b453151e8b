package credfile

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

// ErrSealed says that an encrypted file is there already: nobody here can read it, so nothing can be added to it, and it may
// hold the only copy of the passwords of accounts that exist.
var ErrSealed = errors.New("an encrypted file exists, which cannot be read here: it is not overwritten")

// NewSealed is a file for who must not keep the passwords: it is empty, and [File.Save] puts at out what seal makes of the
// text. A file that is at out before is never replaced ([ErrSealed]). Records without passwords are kept beside another path,
// that of the credentials file; see [File.Beside]. Hold the [Lock] of both.
func NewSealed(beside, out string, seal func(text []byte) ([]byte, error)) (*File, error) {
	f, err := newFile(out, "")
	if err != nil {
		return nil, err
	}
	f.beside, f.seal = beside, seal
	return f, nil
}

// Sealed reports whether what is on disk is encrypted: there are passwords on it that the file does not know.
func (f *File) Sealed() bool { return f.seal != nil }

// Beside is the path that the names of a cluster's other records begin with.
func (f *File) Beside() string {
	if f.beside != "" {
		return f.beside
	}
	return f.path
}

// stored gives the bytes on disk.
func (f *File) stored() (form string, found bool, err error) {
	if f.seal == nil {
		return load(f.path)
	}
	if _, err := os.Lstat(f.path); errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	if !f.onDisk {
		return "", true, nil // whatever it is
	}
	data, err := files.Read(f.path, 2*maxBytes, files.Regular)
	if err != nil {
		return "", true, fmt.Errorf("%s cannot be read: %w", called(f.path), cause(err))
	}
	return string(data), true, nil
}

// sealed is the text as it goes to the disk.
func (f *File) sealed() (string, error) {
	if f.seal == nil {
		return f.text, nil
	}
	form, err := f.seal([]byte(f.text))
	if err != nil {
		return "", fmt.Errorf("%s: %w", called(f.path), err)
	}
	return string(form), nil
}

// Compose is the text of a credentials file that holds these accounts, by server and component, and nothing else. It is for
// whoever gets them; ini.v1 has read it back.
func Compose(accounts map[string]map[component.Name]Account) ([]byte, error) {
	f, err := newFile("the accounts", "")
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, server := range slices.Sorted(maps.Keys(accounts)) {
		for _, c := range component.Names() {
			if a, ok := accounts[server][c]; ok {
				entries = append(entries, Entry{Server: server, Component: c, Account: a})
			}
		}
	}
	if err := f.SetAll(entries); err != nil {
		return nil, err
	}
	return []byte(f.text), f.Check()
}
