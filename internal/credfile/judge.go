package credfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/ini.v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

type ref struct{ section, key string }

// value is what ini.v1 makes of a key.
type value struct {
	raw       string // as it stands in the file, unquoted
	effective string // as the installer reads it: references replaced
	from      string // the section that it is inherited from, "" if it is the section's own
	broken    bool   // its references go in a circle: ini.v1 would crash on it
}

// reading is what ini.v1, with the installer's options, reads: every key of every section, and the
// account keys that a section inherits from its dotted parents.
type reading struct {
	sections []string // in the order of the file, without DEFAULT
	values   map[ref]value
}

// reference is the pattern that ini.v1 replaces by the value of another key.
var reference = pattern.Of(`%\(([^)]+)\)s`)

// accountKey matches the keys that hold accounts: plain (the installer's) or of a component.
var accountKey = pattern.Of(`^(?:[a-z][a-z0-9-]*\.)?(?:user|password)$`)

var errUnreadable = errors.New("does not parse as INI")

// parse alone calls ini.v1. It drops ini.v1's error texts, which quote passwords.
func parse(text string) (file *ini.File, err error) {
	defer func() {
		if recover() != nil {
			file, err = nil, errUnreadable
		}
	}()
	if file, err = ini.Load([]byte(text)); err != nil {
		return nil, errUnreadable
	}
	return file, nil
}

// read returns what ini.v1 makes of text.
func read(text string) (*reading, error) {
	file, err := parse(text)
	if err != nil {
		return nil, err
	}
	r := &reading{values: map[ref]value{}}
	own := table{}
	for _, s := range file.Sections() {
		if s.Name() != defaultSection {
			r.sections = append(r.sections, s.Name())
		}
		keys := map[string]string{}
		for _, k := range s.KeyStrings() {
			keys[k] = s.Key(k).Value()
		}
		own[s.Name()] = keys
	}
	for section, keys := range own {
		for key, raw := range keys {
			r.values[ref{section, key}] = evaluate(file, own, ref{section, key}, raw, "")
		}
	}
	for section := range own {
		for _, above := range parents(section) {
			for key, raw := range own[above] {
				at := ref{section, key}
				if _, known := r.values[at]; !known && accountKey().MatchString(key) {
					r.values[at] = evaluate(file, own, ref{above, key}, raw, above)
				}
			}
		}
	}
	return r, nil
}

// evaluate lets ini.v1 expand a value, after a look whether it would come back from that.
func evaluate(file *ini.File, own table, at ref, raw, from string) value {
	v := value{raw: raw, effective: raw, from: from}
	if !reference().MatchString(raw) {
		return v
	}
	steps := 0
	if _, ends := own.expand(at, nil, &steps); !ends {
		v.broken = true
		return v
	}
	v.effective = file.Section(at.section).Key(at.key).String()
	return v
}

// account returns what the installer reads for c in section: both keys must be there.
func (r *reading) account(section string, c component.Name) (user, password value, ok bool) {
	if len(r.values) == 0 { // a thousand vCenters ask before the first account is there
		return value{}, value{}, false
	}
	userKey, passwordKey := Keys(c)
	user, hasUser := r.values[ref{section, userKey}]
	password, hasPassword := r.values[ref{section, passwordKey}]
	return user, password, hasUser && hasPassword
}

// has reports whether a section has a key of its own that reads back as its value.
func (r *reading) has(section string, p pair) bool {
	v := r.values[ref{section, p.key}]
	return v == value{raw: p.value, effective: p.value}
}

// parents lists the sections that section inherits from, nearest first; after a leading dot,
// DEFAULT.
func parents(section string) []string {
	var above []string
	for i := strings.LastIndexByte(section, '.'); i >= 0; i = strings.LastIndexByte(section, '.') {
		section = section[:i]
		if section == "" {
			return append(above, defaultSection)
		}
		above = append(above, section)
	}
	return above
}

// table holds the raw values by section and key.
type table map[string]map[string]string

// find looks a key up as ini.v1 does: the section, then its dotted parents.
func (t table) find(section, key string) (ref, bool) {
	for _, s := range append([]string{section}, parents(section)...) {
		if _, ok := t[s][key]; ok {
			return ref{s, key}, true
		}
	}
	return ref{}, false
}

// resolves reports whether ini.v1 would replace a reference to key in section.
func (t table) resolves(section, key string) bool {
	_, near := t.find(section, key)
	_, far := t[defaultSection][key]
	return near || far
}

// expand replaces the references in the value at, like ini.v1, but reports false if that would not
// end: ini.v1 overflows its stack on two values that refer to each other, which no caller can
// recover from.
func (t table) expand(at ref, above []ref, steps *int) (string, bool) {
	const (
		most    = 1000    // values looked at for one key
		longest = 1 << 16 // bytes of a result
		rounds  = 99      // ini.v1's own limit
	)
	if *steps++; *steps > most || slices.Contains(above, at) {
		return "", false
	}
	above = append(above, at)
	text := t[at.section][at.key]
	for range rounds {
		m := reference().FindString(text)
		if m == "" {
			break
		}
		key := m[2 : len(m)-2]
		next, found := t.find(at.section, key)
		if !found || next == at {
			next = ref{defaultSection, key}
			if _, found = t[defaultSection][key]; !found {
				break
			}
		}
		part, ends := t.expand(next, above, steps)
		if !ends {
			return "", false
		}
		if text = strings.ReplaceAll(text, m, part); len(text) > longest {
			return "", false
		}
	}
	return text, true
}

// change is what was asked for a key: a value, or its removal.
type change struct {
	set   bool
	value string
}

// compare reports an error unless after is before with the changes. Its errors hold no values.
func compare(before, after *reading, changes map[ref]change) error {
	for at, want := range changes {
		got, ok := after.values[at]
		if want.set && !after.has(at.section, pair{at.key, want.value}) {
			return fmt.Errorf("[%s] %s would not read back as it was set", at.section, at.key)
		}
		if !want.set && ok && got.from == "" {
			return fmt.Errorf("[%s] %s would not be removed", at.section, at.key)
		}
	}
	for _, at := range union(before, after) {
		if _, ours := changes[at]; ours {
			continue
		}
		was, had := before.values[at]
		is, has := after.values[at]
		switch {
		case had == has && was == is:
		case has && is.from != "" && !had:
			return fmt.Errorf("[%s] would inherit %s from [%s], because ini.v1 treats dots as levels: "+
				"write every account in both sections, or use another name for one of the vCenters", at.section,
				at.key, is.from)
		case !has && was.from != "": // what it was inherited from was removed
		case has && is.from != "" && was.from != "":
			return fmt.Errorf("[%s] inherits %s from [%s], which is being changed: also write the account in [%s]",
				at.section, at.key, was.from, at.section)
		case had && has && was.raw == is.raw:
			return fmt.Errorf("[%s] %s refers by %%(...)s to a key that is being changed: replace the reference by its value", at.section, at.key)
		default:
			return fmt.Errorf("[%s] %s would be changed as well: edit the file by hand", at.section, at.key)
		}
	}
	return nil
}

// union lists the keys of both, sorted, so that the same file always gives the same error.
func union(a, b *reading) []ref {
	all := maps.Clone(a.values)
	maps.Copy(all, b.values)
	return slices.SortedFunc(maps.Keys(all), func(x, y ref) int {
		return cmp.Or(strings.Compare(x.section, y.section), strings.Compare(x.key, y.key))
	})
}
