package credfile

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// NearServer is the vCenter of known that a misspelt name was most likely meant to be, "" for none. Names that differ in
// their digits are different machines.
func NearServer(name string, known []string) string {
	const longest = 253 // of a host name; the work grows with the square
	if len(name) > longest || len(known) > 1000 {
		return ""
	}
	return hint.Nearest(name, slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return k == name || len(k) > longest || digits(k) != digits(name)
	}))
}

// OtherCase is a section whose name is that of a vCenter but for its case, so that it is not that vCenter's; "" for none.
func (f *File) OtherCase(server string) string {
	sections := f.Servers()
	i := slices.IndexFunc(sections, func(s string) bool { return strings.EqualFold(s, server) && s != server })
	if i < 0 {
		return ""
	}
	return sections[i]
}

func digits(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
}

// spellings are the names that people give the components, without hyphens and underscores, with the key's own. The
// installer's account has keys without a component.
func spellings() map[string]string {
	of := map[string]string{}
	for _, c := range component.All() {
		part := string(c.Name)
		if c.Name == component.Installer {
			part = ""
		}
		for _, s := range append(c.Spellings, plain(string(c.Name))) {
			of[s] = part
		}
	}
	return of
}

// fields are the spellings of the two fields.
var fields = map[string]string{
	"user": "user", "username": "user", "login": "user", "password": "password", "passwd": "password", "pass": "password", "pw": "password",
}

// meant guesses which key of an account was meant by another one; "" for keys that have nothing to do with accounts.
func meant(key string) string {
	const longest = 64
	if len(key) > longest {
		return ""
	}
	part, field, dotted := strings.Cut(key, ".")
	if !dotted {
		part, field = "", key
	}
	if field = spelling(field, fields); field == "" || !dotted {
		return field
	}
	switch name, known := near(part, spellings()); {
	case !known:
		return ""
	case name == "":
		return field
	default:
		return name + "." + field
	}
}

func spelling(word string, of map[string]string) string {
	name, _ := near(word, of)
	return name
}

// near finds a word among spellings, whatever its case and its hyphens, and with a few letters wrong.
func near(word string, of map[string]string) (name string, known bool) {
	word = plain(word)
	if name, known = of[word]; known {
		return name, true
	}
	words := make([]string, 0, len(of))
	for w := range of {
		if len(w) > 3 { // of shorter words every other one is near
			words = append(words, w)
		}
	}
	name, known = of[hint.Nearest(word, words)]
	return name, known
}

// plain is a word without what does not count in it.
func plain(word string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(word))
}
