package installconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// editor collects changes of a text by lines of its YAML nodes, because yaml.v3 would drop empty
// lines and change indentation and quotes.
type editor struct {
	yamldoc.Lines

	name    string
	changes []change
	err     error // the first
}

// change puts with in place of text[from:to].
type change struct {
	from, to int
	with     string
}

func newEditor(f *File) *editor {
	e := &editor{Lines: yamldoc.NewLines(f.data), name: f.name}
	if strings.HasPrefix(e.Text, "\xff\xfe") || strings.HasPrefix(e.Text, "\xfe\xff") {
		e.err = fmt.Errorf("%s: is UTF-16: save it as UTF-8", f.name)
	}
	bare := strings.ReplaceAll(e.Text, "\r\n", "\n")
	if strings.ContainsAny(bare, "\r\u0085\u2028\u2029") {
		e.err = fmt.Errorf("%s: has line breaks that are neither LF nor CRLF: replace them", f.name)
	}
	return e
}

func (e *editor) refuse(line int, format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("%s:%d: %s", e.name, line, fmt.Sprintf(format, args...))
	}
}

func (e *editor) line(line int) string { return e.Text[e.Start(line):e.Start(line+1)] }

// end is the line after a key and its value: all lines indented more than the key.
func (e *editor) end(key *yaml.Node) int {
	last := key.Line
	for line := key.Line + 1; line <= e.Count(); line++ {
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
	at := e.Offset(key)
	rest := e.Text[at:e.Start(key.Line+1)]
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

func (e *editor) result() ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	text, open := e.Text, !strings.HasSuffix(e.Text, "\n")
	slices.SortStableFunc(e.changes, func(a, b change) int { // insert before removing
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
			b.WriteString(e.NL)
		}
		b.WriteString(c.with)
		at = c.to
	}
	b.WriteString(text[at:])
	if out := b.String(); open {
		return []byte(strings.TrimSuffix(out, e.NL)), nil
	}
	return []byte(b.String()), nil
}
