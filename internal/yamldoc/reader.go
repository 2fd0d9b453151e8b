// Package yamldoc reads YAML that people write, strictly: it reports all that is wrong at once,
// with file, line and path of the field, and decodes only what is asked for. No error quotes a
// value, because some are passwords.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// MaxNodes bounds how many values are read, because aliases can unfold without end.
const MaxNodes = 200_000

// Rules for a kind of file. The zero value ignores unknown fields.
type Rules struct {
	Closed   bool                     // unknown fields are errors
	FoldCase bool                     // the case of names does not count, as for encoding/json
	Scalars  bool                     // text is any scalar as it is written, of several lines too
	MaxNodes int                      // 0 = MaxNodes
	Unknown  func(name string) string // with Closed: its remedy, "" for the nearest field
}

// Reader walks the nodes of one file and collects what is wrong with them.
type Reader struct {
	file     string
	rules    Rules
	problems []problem
	suspects []problem // unknown fields like missing ones, which matter where something is wrong
	strict   bool      // or anywhere
	visited  int
	broken   bool
}

type problem struct {
	line int // 0 = the whole file
	text string
}

// New reads a file; its name stands in errors.
func New(file string, rules Rules) *Reader {
	if rules.MaxNodes == 0 {
		rules.MaxNodes = MaxNodes
	}
	return &Reader{file: file, rules: rules}
}

// File is the name of the file.
func (r *Reader) File() string { return r.file }

// Place is where a value stands, or where it should stand: the line of what surrounds it.
type Place struct {
	Line int    // from 1; 0 = the file as a whole
	Path string // "vcenters[0].server"
}

// plainName is a field's name that can be told from the path around it.
var plainName = pattern.Of(`^[\w./-]{1,80}$`)

// Field is the place of a field without a line.
func (p Place) Field(name string) Place {
	switch {
	case !plainName().MatchString(name):
		name = fmt.Sprintf("[%.80q]", name)
	case p.Path != "":
		name = "." + name
	}
	return Place{p.Line, p.Path + name}
}

// Report says what is wrong in a line; 0 is the whole file.
func (r *Reader) Report(line int, format string, args ...any) {
	r.problems = append(r.problems, problem{line, fmt.Sprintf(format, args...)})
}

// At says what is wrong with the value of a field.
func (r *Reader) At(p Place, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	r.problems = append(r.problems, problem{p.Line, text})
}

// NotListed reports a value, which is called what, that a list of the file does not have. A value
// with an @ is not shown, because it may be a login.
func (r *Reader) NotListed(t Text, what string, list Place, known []string) {
	if strings.Contains(t.Value, "@") {
		r.At(t.Place, "is not %s of %s", what, list.Path)
		return
	}
	r.At(t.Place, "%s is not %s of %s%s", hint.Quote(t.Value), what, list.Path, hint.Suggest(t.Value, known))
}

// Count is how many problems there are.
func (r *Reader) Count() int { return len(r.problems) }

// Broken reports whether the file cannot be read to its end: it is no YAML, or endless.
func (r *Reader) Broken() bool { return r.broken }

// Problems lists what is wrong in the order of the file, each with file and line. Fields that may be
// misspelt stand first, because much can follow from one.
func (r *Reader) Problems() []error {
	slices.SortStableFunc(r.problems, func(a, b problem) int { return a.line - b.line })
	all := r.problems
	if len(all) > 0 || r.strict {
		all = slices.Concat(r.suspects, all)
	}
	var errs []error
	for _, p := range all {
		if p.line == 0 {
			errs = append(errs, fmt.Errorf("%s: %s", r.file, p.text))
		} else {
			errs = append(errs, fmt.Errorf("%s:%d: %s", r.file, p.line, p.text))
		}
	}
	return errs
}

// Strict makes fields that may be misspelt errors where nothing else is wrong, too.
func (r *Reader) Strict() { r.strict = true }

// Err joins the problems, a line each; nil where there is none.
func (r *Reader) Err() error { return errors.Join(r.Problems()...) }

// Document gives the root mapping of the file's only document, nil if there is none.
func (r *Reader) Document(data []byte) *yaml.Node {
	if int64(len(data)) > int64(files.Text) {
		r.Report(0, "is larger than %s, the maximum for such a file", files.Text)
		return nil
	}
	docs := r.Documents(data)
	if r.broken {
		return nil
	}
	if len(docs) == 0 || IsNull(docs[0]) {
		r.Report(0, "is empty")
		return nil
	}
	for _, next := range docs[1:] {
		if !IsNull(next) {
			r.Report(next.Line, "a second document begins here: a file may have only one")
			return nil
		}
	}
	root := r.Resolve(docs[0])
	if root != nil && root.Kind != yaml.MappingNode {
		r.Report(root.Line, "must be fields with values, not %s", Describe(root))
		return nil
	}
	return root
}

// Documents gives what each document of a stream holds.
func (r *Reader) Documents(data []byte) []*yaml.Node {
	var docs []*yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return docs
		} else if err != nil {
			r.syntax(data, err)
			return docs
		}
		if doc.Kind == yaml.DocumentNode && len(doc.Content) > 0 {
			docs = append(docs, doc.Content[0])
		}
	}
}

var (
	syntaxError = pattern.Of(`^yaml: (?:line (\d+): )?(.*)$`)
	section     = pattern.Of(`^(?:\s*[#;].*\n)*\s*\[[^\]\n]+\]\s*\n\s*[\w.-]+\s*=`)
	noAnchor    = pattern.Of(`^unknown anchor '(.*)' referenced$`)
)

// syntax reports an error of the YAML parser. It repeats only texts that do not quote the file: a
// password that begins with * is an unknown anchor. The line may be that of the surrounding block;
// if there is none, it is that of the offending character.
func (r *Reader) syntax(data []byte, err error) {
	r.broken = true
	line, text := 0, ""
	if m := syntaxError().FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = m[2]
	}
	at := -1
	switch anchor := noAnchor().FindStringSubmatch(text); {
	case section().Match(data):
		text = "this is no YAML but [section] and key = value, as in a credentials file"
	case anchor != nil:
		at = bytes.Index(data, []byte("*"+anchor[1]))
		text = "an alias (*name) has no anchor; put a value that begins with * in quotes"
	case strings.Contains(text, "mapping values are not allowed"):
		text = "a value contains a colon and a space; put it in quotes"
	case strings.Contains(text, "tab"):
		text = "use spaces, not tabs, for indentation"
	case strings.Contains(text, "control characters"), strings.Contains(text, "UTF-8"):
		at = bytes.IndexFunc(data, func(c rune) bool {
			return c == utf8.RuneError || unicode.IsControl(c) && !strings.ContainsRune("\t\n\r\u0085", c)
		})
	case text == "" || strings.ContainsAny(text, "`'"):
		text = "check the indentation, and put values in single quotes"
	default:
		text += "; check the indentation, and put values in single quotes"
	}
	if line == 0 {
		line = 1 + bytes.Count(data[:max(at, 0)], []byte("\n"))
	}
	r.Report(line, "not valid YAML, here or below: %s", text)
}

// Resolve follows aliases and counts; nil means that the file unfolds without end.
func (r *Reader) Resolve(n *yaml.Node) *yaml.Node {
	for hops := 0; n != nil && n.Kind == yaml.AliasNode; hops++ {
		if n = n.Alias; hops > 10 {
			n = nil
		}
	}
	if n == nil || r.broken {
		return nil
	}
	if r.visited += 1 + len(n.Content); r.visited > r.rules.MaxNodes {
		r.broken = true
		r.Report(0, "more than %d values, aliases unfolded", r.rules.MaxNodes)
		return nil
	}
	return n
}

// IsNull reports whether a node says nothing.
func IsNull(n *yaml.Node) bool {
	return n == nil || n.Kind == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// Describe names the kind of a node, never its value.
func Describe(n *yaml.Node) string {
	switch {
	case n == nil:
		return "nothing"
	case n.Kind == yaml.MappingNode:
		return "fields"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!str":
		return "text"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	case "!!timestamp":
		return "a date"
	case "!!null":
		return "nothing"
	}
	return "a tagged value"
}

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
