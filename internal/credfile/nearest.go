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
	for _, s := range f.Servers() {
		if strings.EqualFold(s, server) && s != server {
			return s
		}
	}
	return ""
}

func digits(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' }), "")
}

// spellings are the names that people give the components, without hyphens and underscores, with
// what their keys begin with.
func spellings() map[string]string {
	of := map[string]string{}
	for _, c := range component.All() {
		for _, s := range append(c.Spellings, plain(string(c.Name))) {
			of[s] = prefix(c.Name)
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
	if field, _ = near(field, fields); field == "" || !dotted {
		return field
	}
	if before, known := near(part, spellings()); known {
		return before + field
	}
	return ""
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
