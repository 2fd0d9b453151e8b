package credfile

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Keys names the two keys of a component. "installer" has the plain ones, as in the enhancement's
// example; the installer does not read those (openshift/installer@0f58e82ecf15,
// pkg/asset/installconfig/vsphere/credentials.go).
func Keys(c component.Name) (user, password string) {
	return prefix(c) + "user", prefix(c) + "password"
}

// prefix is what the keys of a component begin with.
func prefix(c component.Name) string {
	if c == component.Installer {
		return ""
	}
	return string(c) + "."
}

// quoted returns value as ini.v1 reads it back: raw, or else in backticks. tail is a comment to
// keep on the line, unless it spoils the value.
func quoted(v, tail string) (string, error) {
	forms := []string{v, "`" + v + "`"}
	if tail != "" {
		forms = append([]string{v + tail, "`" + v + "`" + tail}, forms...)
	}
	for _, form := range forms {
		if readsBack(form, v) {
			return form, nil
		}
	}
	return "", errors.New("cannot be written so that ini.v1 reads it back: neither raw nor in backticks")
}

// readsBack reports whether ini.v1 reads form as want, with the lines around it left alone.
func readsBack(form, want string) bool {
	file, err := parse("[s]\nk = " + form + "\nnext = 1\n")
	if err != nil {
		return false
	}
	s := file.Section("s")
	return len(s.KeyStrings()) == 2 && s.HasKey("k") && s.Key("k").Value() == want &&
		s.HasKey("next") && s.Key("next").Value() == "1"
}

// checkValue refuses what no quotes help, without showing the value. resolves reports whether
// ini.v1 would replace a reference to a key.
func checkValue(v string, resolves func(key string) bool) error {
	switch {
	case v == "":
		return errors.New("is empty")
	case len(v) > MaxValue:
		return fmt.Errorf("has %d bytes, more than %d: check the value", len(v), MaxValue)
	case !utf8.ValidString(v):
		return errors.New("is not valid UTF-8")
	case strings.ContainsAny(v, "\r\n"):
		return errors.New("holds a line break, which the readers of the secrets reject: remove it")
	case strings.ContainsFunc(v, unicode.IsControl):
		return errors.New("holds a control character: remove it")
	}
	for _, m := range reference().FindAllStringSubmatch(v, -1) {
		if key := m[1]; accountKey().MatchString(key) || resolves(key) {
			return errors.New("holds a reference like %(key)s, which ini.v1 replaces by another value of the file " +
				"even in quotes: choose a value without it")
		}
	}
	return nil
}

// maxServer is the longest name that DNS has.
const maxServer = 253

// checkServer refuses names that do not come back as the name of a section.
func checkServer(server string) error {
	switch {
	case server == "":
		return errors.New("a vCenter without a name cannot have a section in the credentials file")
	case server == defaultSection:
		return fmt.Errorf("%s: ini.v1 reserves this section name: use another name for the vCenter", server)
	case !utf8.ValidString(server) ||
		strings.ContainsFunc(server, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return fmt.Errorf("%q: blanks and control characters cannot be part of a vCenter's name", server)
	case len(server) > maxServer:
		return fmt.Errorf("%.40s...: a vCenter's name of %d characters, more than the %d of a host name",
			server, len(server), maxServer)
	case strings.HasPrefix(server, "."):
		return fmt.Errorf("%s: a section whose name starts with a dot inherits keys from DEFAULT: remove the dot", server)
	}
	file, err := parse("[" + server + "]\nk = 1\n")
	if err != nil || !file.HasSection(server) || !file.Section(server).HasKey("k") {
		return fmt.Errorf("%s: ini.v1 does not read this back as a section name: use another name for the vCenter", server)
	}
	return nil
}

// kind says what an entry of the file is.
type kind int

const (
	blank kind = iota
	comment
	header // [section]
	setting
)

// entry is one statement, lines first..last (from 0, inclusive). ini.v1 joins lines after a
// trailing backslash and reads an unclosed backtick on to the next one.
type entry struct {
	kind        kind
	first, last int
	section     string // the section that it is in; of a header, the one that it opens
	key         string // of a setting
	at          int    // of a setting: where its value starts in line first
}

// document is a credentials file as lines, so that unchanged lines keep their bytes.
type document struct {
	lines   []string // with their terminators
	entries []entry
}

// defaultSection is where ini.v1 puts the keys above the first header.
const defaultSection = "DEFAULT"

// byteOrderMark is skipped by ini.v1 at the start of a file.
const byteOrderMark = "\uFEFF"

// syntaxError names the line and the reason. It never quotes the line: it may hold a password.
type syntaxError struct {
	line   int // from 1
	reason string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

// scan splits text into lines as ini.v1 does with default options. It tells which lines a key
// occupies, and which is at fault; ini.v1 reads the values.
func scan(text string) (*document, error) {
	d := &document{lines: strings.SplitAfter(text, "\n")}
	if last := len(d.lines) - 1; d.lines[last] == "" {
		d.lines = d.lines[:last]
	}
	section := defaultSection
	for i := 0; i < len(d.lines); i++ {
		e, err := d.statement(i, section)
		if err != nil {
			return nil, &syntaxError{line: i + 1, reason: err.Error()}
		}
		section = e.section
		d.entries = append(d.entries, e)
		i = e.last
	}
	return d, nil
}

// statement reads the entry that starts at line i.
func (d *document) statement(i int, section string) (entry, error) {
	line := d.lines[i]
	skipped := 0
	if i == 0 && strings.HasPrefix(line, byteOrderMark) {
		skipped = len(byteOrderMark)
	}
	body := strings.TrimLeftFunc(line[skipped:], unicode.IsSpace)
	skipped = len(line) - len(body)
	e := entry{first: i, last: i, section: section}
	switch {
	case body == "":
		return e, nil
	case body[0] == '#' || body[0] == ';':
		e.kind = comment
		return e, nil
	case body[0] == '[':
		end := strings.LastIndexByte(body, ']')
		if end < 0 {
			return e, errors.New("section header without a closing bracket")
		}
		if end == 1 {
			return e, errors.New("section header without a name")
		}
		e.kind, e.section = header, body[1:end]
		return e, nil
	}
	key, end, err := keyName(body)
	if err != nil {
		return e, err
	}
	value := strings.TrimLeftFunc(body[end:], unicode.IsSpace)
	e.kind, e.key = setting, key
	if value == "" {
		e.at = skipped + end
	} else {
		e.at = len(line) - len(value)
	}
	e.last, err = d.valueEnd(i, value)
	return e, err
}

// keyName returns the key at the start of body and the offset behind its delimiter.
func keyName(body string) (string, int, error) {
	const delimiters = "=:"
	quote := ""
	switch {
	case len(body) > 6 && strings.HasPrefix(body, `"""`):
		quote = `"""`
	case body[0] == '"' || body[0] == '`':
		quote = body[:1]
	}
	from := 0 // where to look for the delimiter
	key := ""
	if quote != "" {
		closing := strings.Index(body[len(quote):], quote)
		if closing < 0 {
			return "", 0, errors.New("quoted key without its closing quote")
		}
		key = body[len(quote) : len(quote)+closing]
		from = closing + 2*len(quote)
	}
	i := strings.IndexAny(body[from:], delimiters)
	if i < 0 {
		return "", 0, errors.New("neither a section, a comment nor `key = value`")
	}
	if quote == "" {
		key = body[:i]
	}
	if key = strings.TrimSpace(key); key == "" {
		return "", 0, errors.New("value without a key")
	}
	return key, from + i + 1, nil
}

// valueEnd returns the last line of the value that starts in line i.
func (d *document) valueEnd(i int, value string) (int, error) {
	quote := ""
	switch {
	case len(value) > 3 && strings.HasPrefix(value, `"""`):
		quote = `"""`
	case strings.HasPrefix(value, "`"):
		quote = "`"
	}
	if quote != "" {
		if strings.Contains(value[len(quote):], quote) {
			return i, nil
		}
		for i++; i < len(d.lines); i++ {
			closing := strings.LastIndex(d.lines[i], quote)
			if closing < 0 {
				continue
			}
			if !strings.HasSuffix(strings.TrimSpace(d.lines[i][closing+len(quote):]), `\`) {
				return i, nil
			}
		}
		return i, errors.New("value without its closing quote")
	}
	if !strings.HasSuffix(strings.TrimSpace(value), `\`) {
		return i, nil
	}
	for i++; i < len(d.lines); i++ {
		if !strings.HasSuffix(strings.TrimSpace(d.lines[i]), `\`) { // an empty line ends it too
			return i, nil
		}
	}
	return len(d.lines) - 1, nil
}
