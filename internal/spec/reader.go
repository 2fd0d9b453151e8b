package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

// maxNodes bounds how many YAML nodes are looked at, because aliases can make a small file unfold into an endless one.
const maxNodes = 200_000

// reader walks the YAML nodes of one file and collects everything that is wrong with them. It never decodes what it was not
// asked for, so a secret in another field cannot come up in an error.
type reader struct {
	file     string
	strict   bool // unknown fields are problems and names count exactly; else they are ignored and case does not count
	problems []problem
	visited  int
}

type problem struct {
	line int // 0 = the whole file
	text string
}

// place is where a value stands, or where it should stand: the line of what surrounds it.
type place struct {
	line int
	path string // "vcenters[0].server"
}

func (p place) field(name string) place {
	if p.path == "" {
		return place{p.line, name}
	}
	return place{p.line, p.path + "." + name}
}

func (p place) index(i int) place { return place{p.line, fmt.Sprintf("%s[%d]", p.path, i)} }

func (r *reader) report(line int, format string, args ...any) {
	r.problems = append(r.problems, problem{line, fmt.Sprintf(format, args...)})
}

// at reports something about the value of a field.
func (r *reader) at(p place, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.path != "" {
		text = p.path + ": " + text
	}
	r.problems = append(r.problems, problem{p.line, text})
}

// err joins the problems in the order of the file, each with file and line.
func (r *reader) err() error {
	slices.SortStableFunc(r.problems, func(a, b problem) int { return a.line - b.line })
	var errs []error
	for _, p := range r.problems {
		if p.line == 0 {
			errs = append(errs, fmt.Errorf("%s: %s", r.file, p.text))
		} else {
			errs = append(errs, fmt.Errorf("%s:%d: %s", r.file, p.line, p.text))
		}
	}
	return errors.Join(errs...)
}

// document gives the root mapping of the file's only document, nil if there is none.
func (r *reader) document(data []byte) *yaml.Node {
	if int64(len(data)) > int64(files.Text) {
		r.report(0, "is larger than %s, which no provisioning file or install-config is", files.Text)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		r.report(0, "is empty")
		return nil
	} else if err != nil {
		r.syntax(err)
		return nil
	}
	if err := dec.Decode(&next); err == nil && !isNull(content(&next)) {
		r.report(next.Line, "a second document begins here: one file holds one")
		return nil
	} else if err != nil && !errors.Is(err, io.EOF) {
		r.syntax(err)
		return nil
	}
	root := r.resolve(content(&doc))
	switch {
	case root == nil:
		return nil
	case isNull(root):
		r.report(0, "is empty")
		return nil
	case root.Kind != yaml.MappingNode:
		r.report(root.Line, "must be fields with values, not %s", describe(root))
		return nil
	}
	return root
}

var syntaxError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntax reports what the YAML parser refused. The parser's text is repeated only where it quotes nothing of the file:
// a password that begins with * is an unknown anchor for it. Its line is that of the surrounding block at times.
func (r *reader) syntax(err error) {
	line, text := 0, "it cannot be read"
	if m := syntaxError.FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = m[2]
	}
	if strings.Contains(text, "anchor") {
		text = "an alias (*name) has no anchor; put a value that begins with * in quotes"
	}
	if strings.Contains(text, "`") {
		text = "it cannot be read"
	}
	if line == 0 {
		line = 1
	}
	r.report(line, "not valid YAML, here or below: %s", text)
}

// resolve follows aliases and counts; nil means that the file unfolds without end.
func (r *reader) resolve(n *yaml.Node) *yaml.Node {
	for hops := 0; n != nil && n.Kind == yaml.AliasNode; hops++ {
		if n = n.Alias; hops > 10 {
			n = nil
		}
	}
	if n == nil {
		return nil
	}
	before := r.visited
	r.visited += 1 + len(n.Content)
	if r.visited > maxNodes {
		if before <= maxNodes {
			r.report(0, "more than %d values, aliases unfolded", maxNodes)
		}
		return nil
	}
	return n
}

func content(doc *yaml.Node) *yaml.Node {
	if doc.Kind == yaml.DocumentNode && len(doc.Content) > 0 {
		return doc.Content[0]
	}
	return doc
}

func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// describe names the kind of a node, never its value.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
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
