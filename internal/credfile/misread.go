package credfile

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

// Inherited names the section from which the installer takes the account of c, or one of its keys, for server:
// ini.v1 hands keys down along the dots of section names. "" says that it is the section's own, or that there is none.
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

// Half gives the key that is there without its other half, so that the installer drops the account without a word.
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

// Misread finds the lines of the file on disk that hold accounts and that ini.v1, and with it the installer, reads otherwise than
// they look, in their order. An error is certain; a note may be meant. No text holds a password.
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
	case len(written) > 1 && (written[0] == '"' || written[0] == '\'') && written[1:len(written)-1] == read.raw && written[len(written)-1] == written[0]:
		// Quotes around a whole value are taken off; nobody means them to be part of it.
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
