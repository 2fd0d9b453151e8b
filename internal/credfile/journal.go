package credfile

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// journalSuffix names the journal behind the path of its credentials file.
const journalSuffix = ".rotation"

// Journal opens the rotation journal `<path>.rotation`: passwords that a rotation is about to set,
// or that the credentials file does not have yet, and those of replaced accounts ([Earlier]). It
// has the form of a credentials file (INI, 0600, atomic), is removed when empty, and the file's
// [Lock] covers it.
func (f *File) Journal() (*File, error) {
	if f.reading {
		return OpenToRead(f.path + journalSuffix)
	}
	return Open(f.path + journalSuffix)
}

// Beside are the paths of a credentials file and of all files that belong to it, the lock last.
func Beside(path string) []string {
	return []string{path, path + journalSuffix, path + displacedSuffix, path + lockSuffix}
}

// called is what errors call the file at path: a credentials file or its journal.
func called(path string) string { return noun(path) + " " + path }

func noun(path string) string {
	if strings.HasSuffix(path, journalSuffix) {
		return "rotation journal"
	}
	return "credentials file"
}

// Earlier is the key in the journal of an account that a rotation replaced and that still exists:
// `machine-api-earlier.user`, beside `machine-api.user` for the new one.
func Earlier(c component.Name) component.Name { return c + "-earlier" }

// Slots are what the journal may have accounts of a component under.
func Slots(c component.Name) []component.Name { return []component.Name{c, Earlier(c)} }

// Fits reports whether these accounts, by server and component, could be set with new passwords and
// saved. It changes nothing.
func (f *File) Fits(accounts map[string]map[component.Name]Account) error {
	undo := f.undo()
	defer undo()
	_, err := f.Merge(accounts, Leave{Passwords: true})
	return err
}

// FormerSuffix names the file of accounts that an import replaced, after the path of the
// credentials file; -2, -3 ... follow if it exists.
const FormerSuffix = ".replaced"

// Formers are the files of accounts that imports replaced in the credentials file at path.
func Formers(path string) (kept []string) {
	entries, _ := os.ReadDir(filepath.Dir(path)) // one that cannot be read has nothing to find
	for _, e := range entries {
		begins := strings.HasPrefix(e.Name(), filepath.Base(path)+FormerSuffix)
		if begins && IsCompanion(e.Name()) && e.Type().IsRegular() {
			kept = append(kept, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return kept
}

// IsCompanion reports whether a name is that of a file beside a credentials file: journal, record,
// lock, or replaced accounts.
func IsCompanion(name string) bool {
	another, _ := path.Match("*"+FormerSuffix+"-[0-9]*", name) // its one error is a pattern's
	return another || strings.HasSuffix(name, FormerSuffix) ||
		strings.HasSuffix(name, journalSuffix) || strings.HasSuffix(name, displacedSuffix) ||
		strings.HasSuffix(name, lockSuffix)
}

// Rename moves the accounts of one section, in the credentials file at path and in its journal, to
// another and returns their number. An account that differs from one in the other section is an
// error that changes neither file. The journal is written first, so another run can complete an
// interrupted one.
func Rename(path, from, to string) (n int, err error) {
	unlock, err := Lock(path, Elsewhere)
	if err != nil {
		return 0, err
	}
	defer unlock()
	file, err := Open(path)
	if err != nil {
		return 0, err
	}
	journal, err := file.Journal()
	if err != nil {
		return 0, err
	}
	begun, err := journal.rename(from, to)
	n, fileErr := file.rename(from, to)
	if err = errors.Join(err, fileErr); err == nil && n+begun == 0 {
		err = fmt.Errorf("%s: there is no account in section [%s]", called(path), from)
	}
	if err == nil {
		err = journal.Save()
	}
	if err == nil {
		err = file.Save()
	}
	return max(n, begun), err
}

// rename moves all accounts of a section, in memory.
func (f *File) rename(from, to string) (int, error) {
	accounts := map[component.Name]Account{}
	var gone []Entry
	for at, v := range f.now.values {
		key, isUser := strings.CutSuffix(at.key, "user")
		c := component.Name(strings.TrimSuffix(key, "."))
		c = cmp.Or(c, component.Installer)
		_, password, ok := f.now.account(from, c)
		if at.section == from && isUser && ok && v.from == "" && password.from == "" &&
			accountKey().MatchString(at.key) {
			accounts[c] = Account{User: v.effective, Password: secret.New(password.effective)}
			gone = append(gone, Entry{Server: from, Component: c})
		}
	}
	_, err := f.Merge(map[string]map[component.Name]Account{to: accounts}, Leave{})
	if err == nil {
		f.RemoveAll(gone)
		err = f.Check()
	}
	return len(gone), err
}
