package credfile

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// checkRotating refuses to replace an account whose rotation is unfinished: the journal would have a password that no run goes on
// with.
func (f *File) checkRotating(merged []Merged) error {
	journal, err := f.Journal()
	if err != nil {
		return err
	}
	var errs []error
	for _, m := range merged {
		replaced := m.Outcome == Changed && m.Was.User != "" && !strings.EqualFold(m.Was.User, m.User)
		if begun, ok := journal.Get(m.Server, m.Component); replaced && ok && !strings.EqualFold(begun.User, m.User) {
			errs = append(errs, hint.Errorf("finish it with the command that began it, and import then",
				"%s: %s: %s is not replaced, because %s has an unfinished rotation of %s; nothing was written", m.Server, m.Component, m.Was.User, journal.Path(), begun.User))
		}
	}
	return errors.Join(errs...)
}

// KeepFormer saves the accounts that a merge replaces, in a credentials file of their own, and gives its path; "" where it replaces
// none. Nobody has proved yet that the new ones log in, so no such file is overwritten.
func KeepFormer(path string, merged []Merged) (string, error) {
	former := map[string]map[component.Name]Account{}
	for _, m := range merged {
		if m.Outcome == Changed && m.Was.User != "" && !m.Was.Password.Empty() {
			if former[m.Server] == nil {
				former[m.Server] = map[component.Name]Account{}
			}
			former[m.Server][m.Component] = m.Was
		}
	}
	if len(former) == 0 {
		return "", nil
	}
	text, err := Compose(former)
	if err != nil {
		return "", fmt.Errorf("the accounts that would be replaced cannot be saved: %w", err)
	}
	kept := path + FormerSuffix
	for n := 2; ; n++ {
		switch err := files.CreatePrivate(kept, text); {
		case errors.Is(err, fs.ErrExist):
			kept = fmt.Sprintf("%s%s-%d", path, FormerSuffix, n)
		default:
			return kept, err
		}
	}
}
