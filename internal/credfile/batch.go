package credfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Entry is an account and where the file has it.
type Entry struct {
	Server    string
	Component component.Name
	Account   Account // unused where the entry goes
}

// SetAll is [File.Set] of each entry, in order. It adds new sections together, because ini.v1 reads
// every text as a whole, which takes minutes for a thousand vCenters one by one. After an error do
// not save.
func (f *File) SetAll(entries []Entry) error {
	added := f.addSections(entries)
	for _, e := range entries {
		if added[e.Server] {
			continue
		}
		if err := f.Set(e.Server, e.Component, e.Account); err != nil {
			return fmt.Errorf("%s: %w", e.Server, err)
		}
	}
	return nil
}

// addSections adds the missing sections with all their entries, and returns their names. In doubt
// it adds none, and Set reports what is wrong.
func (f *File) addSections(entries []Entry) map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	pairs := map[string][]pair{} // by new section
	var sections []string
	for _, e := range entries {
		if slices.Contains(f.now.sections, e.Server) {
			continue
		}
		if checkServer(e.Server) != nil || !componentName().MatchString(string(e.Component)) {
			return nil
		}
		if pairs[e.Server] == nil {
			sections = append(sections, e.Server)
		}
		userKey, passwordKey := Keys(e.Component)
		for _, p := range []pair{{userKey, e.Account.User}, {passwordKey, e.Account.Password.Reveal()}} {
			if strings.Contains(p.value, "%(") ||
				slices.ContainsFunc(pairs[e.Server], func(had pair) bool { return had.key == p.key }) {
				return nil // refers to what may be there by then; or is set twice
			}
			if checkValue(p.value, func(string) bool { return false }) != nil {
				return nil
			}
			pairs[e.Server] = append(pairs[e.Server], p)
		}
	}
	d, err := scan(f.text)
	if err != nil {
		return nil
	}
	final := d.final()
	for _, section := range sections {
		if d.lines, err = d.insert(newSection, section, pairs[section]); err != nil {
			return nil
		}
	}
	text := join(d.lines, final)
	if len(sections) == 0 || fits(f.path, text) != nil {
		return nil
	}
	after, err := read(text)
	if err != nil {
		return nil
	}
	for section, all := range pairs {
		for _, p := range all {
			if !after.has(section, p) {
				return nil
			}
		}
	}
	added := map[string]bool{}
	for _, section := range sections {
		f.warnOfCase(section)
		f.now.sections = append(f.now.sections, section) // for the next one's warning
		added[section] = true
		for _, p := range pairs[section] {
			f.changes[ref{section, p.key}] = change{set: true, value: p.value}
		}
	}
	if slices.ContainsFunc(entries,
		func(e Entry) bool { return added[e.Server] && e.Component == component.Installer }) {
		f.warnOfMain()
	}
	f.text, f.now = text, after
	return added
}

// RemoveAll is [File.Remove] of each entry, with the text read once.
func (f *File) RemoveAll(entries []Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := map[string][]string{} // by section
	for _, e := range entries {
		userKey, passwordKey := Keys(e.Component)
		keys[e.Server] = append(keys[e.Server], userKey, passwordKey)
	}
	text, err := withoutKeys(f.text, keys, f.empty)
	if err != nil || text == f.text {
		return
	}
	after, err := read(text)
	if err != nil {
		// A text without whole statements still parses. Should it not, keep the accounts.
		return
	}
	f.text, f.now = text, after
	for section, gone := range keys {
		for _, key := range gone {
			f.changes[ref{section, key}] = change{}
		}
	}
}
