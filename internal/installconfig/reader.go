package installconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

const (
	// maxBytes bounds what is read: the largest real files have a few hundred lines.
	maxBytes = 4 << 20
	// maxNodes bounds how many values are looked at, because aliases can make a small file unfold into an endless one.
	maxNodes = 200_000
	// maxDepth bounds how deep they nest, merge keys included.
	maxDepth = 100
)

// reader walks the nodes of one file and collects what is wrong with them. Its texts never quote a value that could be
// a password.
type reader struct {
	name     string
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
	path string // "platform.vsphere.vcenters[0].user"
}

func (p place) field(name string) place {
	if p.path == "" {
		return place{p.line, name}
	}
	return place{p.line, p.path + "." + name}
}

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
			errs = append(errs, fmt.Errorf("%s: %s", r.name, p.text))
		} else {
			errs = append(errs, fmt.Errorf("%s:%d: %s", r.name, p.line, p.text))
		}
	}
	return errors.Join(errs...)
}

// document gives the root mapping of the file's only document, nil if there is none.
func (r *reader) document(data []byte) *yaml.Node {
	if len(data) > maxBytes {
		r.at(place{}, "is larger than %d MiB, which no install-config is", maxBytes>>20)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		r.at(place{}, "is empty")
		return nil
	} else if err != nil {
		r.syntax(err)
		return nil
	}
	if err := dec.Decode(&next); err == nil && !isNull(&next) {
		r.at(place{line: next.Line}, "a second document begins here: an install-config is one")
		return nil
	} else if err != nil && !errors.Is(err, io.EOF) {
		r.syntax(err)
		return nil
	}
	root := r.resolve(&doc)
	switch {
	case root == nil:
		return nil
	case isNull(root):
		r.at(place{}, "is empty")
		return nil
	case root.Kind != yaml.MappingNode:
		r.at(place{line: root.Line}, "is %s, not an install-config", describe(root))
		return nil
	}
	return root
}

var syntaxError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntax reports what the YAML parser refused. Of its text only the line is kept: it quotes the file at times, and a
// password that begins with * is an unknown anchor for it.
func (r *reader) syntax(err error) {
	line, text := 1, ""
	if m := syntaxError.FindStringSubmatch(err.Error()); m != nil {
		line = max(line, atoi(m[1]))
		text = m[2]
	}
	switch {
	case strings.Contains(text, "anchor"):
		text = "an alias (*name) has no anchor; put a value that begins with * in quotes"
	case strings.Contains(text, "mapping values are not allowed"):
		text = "a value holds a colon and a blank; put it in quotes"
	case strings.Contains(text, "tab"):
		text = "a tab stands where blanks must"
	default:
		text = "look at the indentation, and put passwords in single quotes"
	}
	r.at(place{line: line}, "not valid YAML, here or below: %s", text)
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// resolve steps into a document, follows aliases and counts; nil means that the file unfolds without end.
func (r *reader) resolve(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
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
			r.at(place{}, "more than %d values, aliases unfolded", maxNodes)
		}
		return nil
	}
	return n
}

func unprintable(c rune) bool {
	return unicode.IsControl(c) || c == '\uFEFF' || c == unicode.ReplacementChar
}

func isNull(n *yaml.Node) bool {
	if n != nil && n.Kind == yaml.DocumentNode {
		return len(n.Content) == 0 || isNull(n.Content[0])
	}
	return n == nil || n.Kind == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// describe names the kind of a node, never its value.
func describe(n *yaml.Node) string {
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
