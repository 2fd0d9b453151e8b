package credfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Rename puts the accounts that the credentials file at path and its journal have in one section into another, and gives their number.
// What is there already stays, and is an error where it differs; then neither file is changed. The journal is written first: a run that
// ended in between is completed by another one.
func Rename(path, from, to string) (n int, err error) {
	unlock, err := Lock(path)
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

// rename moves the accounts of a section, whoever they are for. Nothing is written yet.
func (f *File) rename(from, to string) (int, error) {
	accounts := map[component.Name]Account{}
	var gone []Entry
	for at, v := range f.now.values {
		key, isUser := strings.CutSuffix(at.key, "user")
		c := component.Name(strings.TrimSuffix(key, "."))
		if c == "" {
			c = component.Installer
		}
		_, password, ok := f.now.account(from, c)
		if at.section == from && isUser && ok && v.from == "" && password.from == "" && accountKey().MatchString(at.key) {
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
