package credfile

import (
	"fmt"
	"maps"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Rename puts the accounts that the credentials file at path and its journal have in one section into another, as a merge would. It gives
// what became of each, and the path of what was replaced. Call it with the [Lock] held. With an error before anything was written
// neither file is changed; the journal is written first, and a run that ended in between is completed by another one.
func Rename(path, from, to string, leave Leave) (merged []Merged, former string, err error) {
	file, err := Open(path)
	if err != nil {
		return nil, "", err
	}
	journal, err := file.Journal()
	if err != nil {
		return nil, "", err
	}
	begun, err := journal.rename(from, to, leave)
	if err != nil {
		return begun, "", fmt.Errorf("%s: %w", called(journal.path), err)
	}
	if merged, err = file.rename(from, to, leave); err != nil {
		return merged, "", err
	}
	if len(merged)+len(begun) == 0 {
		return nil, "", fmt.Errorf("%s: there is no account in section [%s]", called(path), from)
	}
	if former, err = KeepFormer(path, merged); err != nil {
		return nil, "", err
	}
	if err = journal.Save(); err == nil {
		err = file.Save()
	}
	if len(merged) == 0 {
		merged = begun
	}
	return merged, former, err
}

// rename moves the accounts of a section, whoever they are for. Nothing is written yet.
func (f *File) rename(from, to string, leave Leave) ([]Merged, error) {
	accounts := map[component.Name]Account{}
	var gone []Entry
	f.mu.Lock()
	for at := range maps.Keys(f.now.values) {
		user, isUser := strings.CutSuffix(at.key, "user")
		c := component.Name(strings.TrimSuffix(user, "."))
		if c == "" {
			c = component.Installer
		}
		if name, password, ok := f.now.account(from, c); at.section == from && isUser && ok && name.from == "" && password.from == "" && accountKey().MatchString(at.key) {
			accounts[c] = Account{User: name.effective, Password: secret.New(password.effective)}
			gone = append(gone, Entry{Server: from, Component: c})
		}
	}
	f.mu.Unlock()
	merged, err := f.Merge(map[string]map[component.Name]Account{to: accounts}, leave)
	if err != nil {
		return merged, err
	}
	f.RemoveAll(gone)
	return merged, f.Check()
}
