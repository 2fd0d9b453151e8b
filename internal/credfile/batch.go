package credfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// Entry is an account and where the file has it.
type Entry struct {
	Server    string
	Component component.Name
	Account   Account // unused where the entry goes
	From      string  // the user whose account it replaces; "" = its own
}

func (e Entry) pairs() []pair {
	userKey, passwordKey := Keys(e.Component)
	return []pair{{userKey, e.Account.User}, {passwordKey, e.Account.Password.Reveal()}}
}

// SetAll is [File.Set] of each entry, in order. It reads the text once for new sections and for
// accounts that are there, because ini.v1 reads every text as a whole, which takes minutes for a
// thousand vCenters one by one. After an error do not save.
func (f *File) SetAll(entries []Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	done := f.together(entries)
	for i, e := range entries {
		if done[i] {
			continue
		}
		if err := f.put(e); err != nil {
			return fmt.Errorf("%s: %w", e.Server, err)
		}
	}
	return nil
}

// together sets new sections with all their entries, and accounts whose keys are there, and returns
// these by index. In doubt it sets none, and put reports what is wrong.
func (f *File) together(entries []Entry) (done map[int]bool) {
	d, err := scan(f.text)
	if err != nil {
		return nil
	}
	there := map[ref]entry{}
	for _, e := range d.entries {
		if e.kind == setting {
			there[ref{e.section, e.key}] = e
		}
	}
	added, changed := map[string][]pair{}, map[ref]string{}
	var sections []string
	done = map[int]bool{}
	for i, e := range entries {
		if checkServer(e.Server) != nil || !componentName().MatchString(string(e.Component)) {
			return nil
		}
		had, fresh := 0, !slices.Contains(f.now.sections, e.Server)
		for _, p := range e.pairs() {
			at := ref{e.Server, p.key}
			if _, twice := changed[at]; twice || strings.Contains(p.value, "%(") || // it may refer to what is there by then
				checkValue(p.value, func(string) bool { return false }) != nil {
				return nil
			}
			changed[at] = p.value
			if _, ok := there[at]; ok {
				had++
			}
		}
		switch {
		case fresh:
			sections = lists.AppendNew(sections, e.Server)
			added[e.Server] = append(added[e.Server], e.pairs()...)
		case had < len(e.pairs()) || f.checkOwner(e) != nil:
			for _, p := range e.pairs() {
				delete(changed, ref{e.Server, p.key})
			}
			continue
		}
		done[i] = true
	}
	if len(done) == 0 {
		return nil
	}
	final := d.final()
	for _, section := range sections {
		if d.lines, err = d.insert(newSection, section, added[section]); err != nil {
			return nil
		}
	}
	for at, value := range changed {
		v := f.now.values[at]
		if e, ok := there[at]; ok && (v.from != "" || v.raw != value) {
			if d.replace(e, value) != nil {
				return nil
			}
		}
	}
	text := join(d.lines, final)
	after, err := read(text)
	if err != nil || fits(f.path, text) != nil {
		return nil
	}
	for at, value := range changed {
		if !after.has(at.section, pair{at.key, value}) {
			return nil
		}
	}
	for _, section := range sections {
		f.warnOfCase(section)
		f.now.sections = append(f.now.sections, section) // for the next one's warning
	}
	for i, e := range entries {
		if done[i] && !f.now.same(e) {
			f.noteChange(e)
		}
	}
	f.text, f.now = text, after
	return done
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
