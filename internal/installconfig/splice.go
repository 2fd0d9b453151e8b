package installconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// editor collects changes of a text by the lines of its YAML nodes. yaml.v3 would write the whole file anew: its
// encoder drops empty lines and changes indentation and quotes.
type editor struct {
	name    string
	text    string
	starts  []int // where each line begins
	nl      string
	changes []change
	err     error // the first
}

// change puts with in place of text[from:to].
type change struct {
	from, to int
	with     string
}

func newEditor(f *File) *editor {
	e := &editor{name: f.name, text: string(f.data), nl: "\n"}
	if strings.Contains(e.text, "\r\n") {
		e.nl = "\r\n"
	}
	if strings.HasPrefix(e.text, "\xff\xfe") || strings.HasPrefix(e.text, "\xfe\xff") {
		e.err = fmt.Errorf("%s: is UTF-16: save it as UTF-8", f.name)
	}
	bare := strings.ReplaceAll(e.text, "\r\n", "\n")
	if strings.ContainsAny(bare, "\r\u0085\u2028\u2029") {
		e.err = fmt.Errorf("%s: has line breaks that are neither LF nor CRLF: replace them", f.name)
	}
	for i := 0; i < len(e.text); {
		e.starts = append(e.starts, i)
		n := strings.IndexByte(e.text[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
	}
	return e
}

func (e *editor) refuse(line int, format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("%s:%d: %s", e.name, line, fmt.Sprintf(format, args...))
	}
}

// start is where a line (from 1) begins; behind the last one it is the end.
func (e *editor) start(line int) int {
	if line > len(e.starts) {
		return len(e.text)
	}
	return e.starts[line-1]
}

func (e *editor) line(line int) string { return e.text[e.start(line):e.start(line+1)] }

// offset is where a node begins. Columns count characters, and not a byte order mark.
func (e *editor) offset(n *yaml.Node) int {
	at := e.start(n.Line)
	if n.Line == 1 && strings.HasPrefix(e.text, "\uFEFF") {
		at += len("\uFEFF")
	}
	for i := 1; i < n.Column && at < len(e.text); i++ {
		_, size := utf8.DecodeRuneInString(e.text[at:])
		at += size
	}
	return at
}

// end is the line behind the last one that belongs to a key and its value: whatever is indented more than the key.
func (e *editor) end(key *yaml.Node) int {
	last := key.Line
	for line := key.Line + 1; line <= len(e.starts); line++ {
		body := strings.TrimLeft(e.line(line), " ")
		deeper := len(e.line(line))-len(body) >= key.Column
		switch body = strings.TrimSpace(body); {
		case body == "":
		case deeper:
			last = line
		case body[0] != '#':
			return last + 1
		}
	}
	return last + 1
}

// colon is the offset behind the colon of a key.
func (e *editor) colon(key *yaml.Node) (int, bool) {
	at := e.offset(key)
	rest := e.text[at:e.start(key.Line+1)]
	length := len(key.Value)
	switch {
	case rest == "" || key.Kind != yaml.ScalarNode || key.Anchor != "":
		return 0, false
	case rest[0] == '"' || rest[0] == '\'':
		length = quotedLength(rest)
	case !strings.HasPrefix(rest, key.Value):
		return 0, false
	}
	if length < 0 {
		return 0, false
	}
	after := strings.TrimLeft(rest[length:], " ")
	return at + len(rest) - len(after) + 1, strings.HasPrefix(after, ":")
}

// quotedLength is the length of the quoted text at the start of s; -1 if it does not end there.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == s[0] && s[0] == '\'' && strings.HasPrefix(s[i+1:], "'"):
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return -1
}

// result applies the changes.
func (e *editor) result() ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	text, open := e.text, !strings.HasSuffix(e.text, "\n")
	slices.SortStableFunc(e.changes, func(a, b change) int { // what is inserted goes before what is taken out there
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(min(a.to-a.from, 1), min(b.to-b.from, 1)))
	})
	var b strings.Builder
	at := 0
	for _, c := range e.changes {
		if c.from < at {
			return nil, fmt.Errorf("%s: two changes overlap: write each account on separate lines", e.name)
		}
		b.WriteString(text[at:c.from])
		if open && c.from == len(text) && c.with != "" && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteString(e.nl)
		}
		b.WriteString(c.with)
		at = c.to
	}
	b.WriteString(text[at:])
	if out := b.String(); open {
		return []byte(strings.TrimSuffix(out, e.nl)), nil
	}
	return []byte(b.String()), nil
}
