package credfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

// ErrSealed says that an encrypted file exists, which cannot be read here, so nothing is added. It
// may hold the only copy of passwords.
var ErrSealed = errors.New("an encrypted file exists, which cannot be read here: it is not overwritten")

// NewSealed is an empty file whose passwords the caller must not keep: [File.Save] writes what seal
// makes of the text to out, and never replaces a file there ([ErrSealed]). Records without
// passwords go beside the credentials file at beside; see [File.Beside]. Hold the [Lock] of both.
func NewSealed(beside, out string, seal func(text []byte) ([]byte, error)) (*File, error) {
	f, err := newFile(out, "")
	if err != nil {
		return nil, err
	}
	f.beside, f.seal = beside, seal
	return f, nil
}

// Sealed reports whether the file on disk is encrypted, with passwords that File does not know.
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
		return "", true, nil // of any kind
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

// Compose is the text of a credentials file with just these accounts, by server and component.
// ini.v1 has read it back.
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

// Blank is an account whose password is to be filled in.
type Blank struct {
	Server    string
	Component component.Name
	User      string // "" = it is to be filled in, too
}

// toFill stands for what is to be filled in.
const toFill = "..."

// Template is the text of a credentials file to fill in, with `...` for what is missing. Between
// the backticks, a password may hold every sign but themselves. An error names no user.
func Template(blanks []Blank) (string, error) {
	text := ""
	for _, b := range blanks {
		user, password := Keys(b.Component)
		pairs := []pair{{user, cmp.Or(b.User, toFill)}, {password, toFill}}
		if _, err := quoted(pairs[0].value, ""); err != nil {
			pairs[0].value = toFill // a person writes it as it is
		}
		var err error
		if text, _, err = withPairs(text, b.Server, pairs, func(string) bool { return true }); err != nil {
			return "", err
		}
	}
	return strings.ReplaceAll(text, " = "+toFill+"\n", " = `"+toFill+"`\n"), nil
}

// MainAccount says what happens to the plain user and password of a section, the main account. It
// deviates from the enhancement, which gives them to the installer:
// openshift/installer@0f58e82ecf15, pkg/asset/installconfig/vsphere/credentials.go, reads keys of
// components only, and releases read no credentials file.
const MainAccount = "openshift-install never reads the plain user and password of a section (a deviation from openshift/enhancements#1931): " +
	"it takes the main account from install-config.yaml alone. 'install-config render' puts them there; " +
	"'secrets emit --main-account-for' gives them to components that have no account of their own"

// MainUnread is why they are not used, where there is room for no more.
const MainUnread = "openshift-install never reads the plain user and password of a section"
