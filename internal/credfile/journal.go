package credfile

import (
	"path"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// journalSuffix names the journal behind the path of its credentials file.
const journalSuffix = ".rotation"

// Journal opens the rotation journal of the file, `<path>.rotation`: passwords that a rotation is about to set, or has
// set without having told the credentials file yet, and those of accounts that it replaced ([Earlier]). It is a credentials
// file in every respect: INI, 0600, written atomically, gone when nothing is left in it, covered by the file's [Lock].
func (f *File) Journal() (*File, error) {
	if f.reading {
		return OpenToRead(f.path + journalSuffix)
	}
	return Open(f.path + journalSuffix)
}

// Beside are the paths of a credentials file and of what belongs to it: whoever has a copy of all has what it says.
func Beside(path string) []string {
	return []string{path, path + journalSuffix, path + displacedSuffix}
}

// called is what errors call the file at path: a journal has the form of a credentials file, and is none to whoever looks for it.
func called(path string) string { return noun(path) + " " + path }

func noun(path string) string {
	if strings.HasSuffix(path, journalSuffix) {
		return "rotation journal"
	}
	return "credentials file"
}

// Earlier is what the journal has an account under that a rotation replaced and that is still there:
// `machine-api-earlier.user`, beside `machine-api.user` for the one that a rotation makes or gives a new password.
func Earlier(c component.Name) component.Name { return c + "-earlier" }

// Slots are what the journal may have accounts of a component under.
func Slots(c component.Name) []component.Name { return []component.Name{c, Earlier(c)} }

// Fits reports whether these accounts, by server and component, could be set with new passwords and saved, and changes
// nothing.
func (f *File) Fits(accounts map[string]map[component.Name]Account) error {
	undo := f.undo()
	defer undo()
	_, err := f.Merge(accounts, Leave{Passwords: true})
	return err
}

// FormerSuffix names the file of accounts that an import replaced, behind the path of the credentials file; -2, -3 ... follow it
// where there is one.
const FormerSuffix = ".replaced"

// IsCompanion reports whether a file of this name is what is kept beside a credentials file: its journal, its records, its lock, or
// accounts that others took the place of.
func IsCompanion(name string) bool {
	another, _ := path.Match("*"+FormerSuffix+"-[0-9]*", name) // its one error is a pattern's
	return another || strings.HasSuffix(name, FormerSuffix) || strings.HasSuffix(name, journalSuffix) || strings.HasSuffix(name, displacedSuffix) || strings.HasSuffix(name, lockSuffix)
}
