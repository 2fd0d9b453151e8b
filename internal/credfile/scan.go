package credfile

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// kind says what an entry of the file is.
type kind int

const (
	blank kind = iota
	comment
	header // [section]
	setting
)

// entry is one statement of the file: the lines first..last (counted from 0, inclusive). A setting can span lines,
// because ini.v1 joins lines after a trailing backslash and reads an unclosed backtick on to the next one.
type entry struct {
	kind        kind
	first, last int
	section     string // the section that it is in; of a header, the one that it opens
	key         string // of a setting
	at          int    // of a setting: where its value starts in line first
}

// document is a credentials file by its lines, so that all but the lines we set or remove keep their bytes.
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

// scan splits text the way ini.v1 reads it with default options. ini.v1 stays the judge of every value; scan only
// says which lines a key occupies, and which line is at fault.
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
