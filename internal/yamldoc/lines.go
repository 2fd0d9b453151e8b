package yamldoc

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Lines is a text by its lines, which the positions of YAML nodes are looked up in.
type Lines struct {
	Text string
	NL   string // CRLF where the text has any, else LF

	starts []int // where each line begins
}

// NewLines finds the lines of a text.
func NewLines(data []byte) Lines {
	l := Lines{Text: string(data), NL: "\n"}
	if strings.Contains(l.Text, "\r\n") {
		l.NL = "\r\n"
	}
	for at := 0; at < len(l.Text); {
		l.starts = append(l.starts, at)
		n := strings.IndexByte(l.Text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return l
}

// Count is how many lines there are.
func (l *Lines) Count() int { return len(l.starts) }

// Start is where a line begins, from 1; behind the last one it is the end.
func (l *Lines) Start(line int) int {
	if line > len(l.starts) {
		return len(l.Text)
	}
	return l.starts[line-1]
}

// Offset is where a node begins. Columns count characters, and not a byte order mark.
func (l *Lines) Offset(n *yaml.Node) int {
	at := l.Start(n.Line)
	if n.Line == 1 && strings.HasPrefix(l.Text, "\uFEFF") {
		at += len("\uFEFF")
	}
	for i := 1; i < n.Column && at < len(l.Text); i++ {
		_, size := utf8.DecodeRuneInString(l.Text[at:])
		at += size
	}
	return at
}
