package credfile

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Inherited names the section from which the installer takes the account of c, or one of its keys,
// for server: ini.v1 inherits along the dots of section names. "" = the section's own, or none.
func (f *File) Inherited(server string, c component.Name) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	user, password, ok := f.now.account(server, c)
	_, over := f.over[server][c]
	switch {
	case !ok, over:
		return ""
	case user.from != "":
		return user.from
	}
	return password.from
}

// Half returns the key without its other half, so that the installer silently drops the account.
func (f *File) Half(server string, c component.Name) (key string, half bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	userKey, passwordKey := Keys(c)
	_, user := f.now.values[ref{server, userKey}]
	_, password := f.now.values[ref{server, passwordKey}]
	switch {
	case user && !password:
		return userKey, true
	case password && !user:
		return passwordKey, true
	}
	return "", false
}

// Misread finds the lines of accounts that ini.v1, and so the installer, misreads, in their order.
// An error is certain; a note may be intended. No text holds a password.
func (f *File) Misread() []*finding.Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, err := scan(f.saved)
	if err != nil {
		return nil // such a file does not open
	}
	var all []*finding.Finding
	for i, e := range d.entries {
		say := func(code finding.Code, format string, args ...any) {
			found := finding.New(code, "["+e.section+"]", format, args...).About(e.section, "")
			if found.Line = e.first + 1; e.key != "" {
				found.Text = e.key + " " + found.Text
			}
			all = append(all, found)
		}
		switch {
		case e.kind == header:
			sayHeader(d, i, say)
		case e.kind != setting:
		case e.section == defaultSection:
			say(finding.FileMisread, "is above the first [section], where the installer ignores it: move it into a section")
		case !slices.Contains([]string{"", e.key}, meant(e.key)):
			say(finding.FileMisread, "is not read: the key is %s", meant(e.key))
		case !accountKey().MatchString(e.key):
		case d.lastSetting(e.section, e.key) != i:
			say(finding.FileMisread, "is set twice in [%s], and only the last one is used: remove one", e.section)
		default:
			f.sayValue(d, e, say)
		}
	}
	return all
}

func sayHeader(d *document, at int, say func(finding.Code, string, ...any)) {
	name := d.entries[at].section
	switch {
	case strings.TrimSpace(name) != name:
		say(finding.FileMisread, "blanks in the brackets are part of the section's name: remove them")
	case strings.ContainsAny(name, "\"'`"):
		say(finding.FileMisread, "quotes in the brackets are part of the section's name: remove them")
	case strings.Contains(name, "://") || strings.Contains(name, "/"):
		say(finding.FileMisread, "a section name is only the vCenter's name, as in install-config.yaml: remove the rest of the URL")
	case otherCase(d, name) != "":
		say(finding.FileMisread, "also exists as [%s]: the names differ only in case, and the installer is case-sensitive", otherCase(d, name))
	case slices.ContainsFunc(d.entries[:at], func(e entry) bool { return e.kind == header && e.section == name }):
		say(finding.FileAmbiguous, "the section appears twice: ini.v1 merges both")
	}
}

// otherCase is the section that differs from one in upper and lower case alone; "" for none.
func otherCase(d *document, name string) string {
	for _, e := range d.entries {
		if e.kind == header && e.section != name && strings.EqualFold(e.section, name) {
			return e.section
		}
	}
	return ""
}

// sayValue compares what stands on the line with what ini.v1 makes of it.
func (f *File) sayValue(d *document, e entry, say func(finding.Code, string, ...any)) {
	read := f.before.values[ref{e.section, e.key}]
	written := strings.TrimSpace(d.lines[e.first][e.at:])
	switch {
	case read.raw != read.effective:
		say(finding.FileMisread, "holds a reference like %%(key)s, which ini.v1 replaces by another value of the file: choose a value without it")
	case written == read.raw:
	case strings.HasPrefix(written, "`") || strings.HasPrefix(written, `"""`):
		if e.last > e.first {
			say(finding.FileMisread, "continues over several lines, up to the next quote: close it on the same line")
		}
	case e.last > e.first || strings.HasSuffix(written, `\`):
		say(finding.FileMisread, `ends in a backslash, so ini.v1 continues on the next line: put the value in backticks`)
	case len(written) > 1 && (written[0] == '"' || written[0] == '\'') &&
		written[1:len(written)-1] == read.raw && written[len(written)-1] == written[0]:
		// ini.v1 removes quotes around a whole value, as intended.
	case strings.ContainsAny(written, "#;"):
		at := strings.IndexAny(written, "#;")
		touching := at > 0 && written[at-1] != ' ' && written[at-1] != '\t'
		if touching || written[0] == '"' || written[0] == '\'' {
			say(finding.FileMisread, "is cut off at %q, which begins a comment for ini.v1 even inside a value: put the whole value in backticks", written[at:at+1])
			return
		}
		say(finding.FileAmbiguous, "is followed by a comment from %q on; if that is part of the value, put the whole value in backticks", written[at:at+1])
	default:
		say(finding.FileMisread, "is not read as written: put the value in backticks")
	}
}

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

// meant guesses the account key that another key is meant to be; "" for unrelated keys.
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

// near finds a word among spellings, ignoring case, hyphens and a few wrong letters.
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
