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

// field is one key of a mapping and its value, aliases not followed.
type field struct {
	key, value *yaml.Node
	merged     bool // it came through a merge key
}

// object is a mapping by the names of its fields, as the installer knows them.
type object struct {
	place
	r      *reader
	node   *yaml.Node // as it stands in the file, an alias perhaps; nil = there is none
	fields map[string]field
	names  []string // unknown ones included, in the order of the file
}

// object reads a mapping. The installer reads with encoding/json, which does not mind the case of names.
func (r *reader) object(n *yaml.Node, p place, known ...string) object {
	o := object{place: p, r: r, node: n, fields: map[string]field{}}
	target := r.resolve(n)
	if isNull(target) {
		return o
	}
	if target.Kind != yaml.MappingNode {
		r.at(place{n.Line, p.path}, "must be fields, not %s", describe(target))
		return o
	}
	o.line = n.Line
	o.add(target, known, 0)
	return o
}

// add puts the fields of a mapping into the object; merged mappings (<<) come last, since what is written out wins.
func (o *object) add(n *yaml.Node, known []string, depth int) {
	if depth > 8 {
		o.r.at(place{n.Line, o.path}, "merge keys (<<) nest too deeply")
		return
	}
	lines := map[string]int{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := o.r.resolve(n.Content[i])
		if key == nil {
			return
		}
		if key.Kind != yaml.ScalarNode {
			continue
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, n.Content[i+1])
			continue
		}
		name := key.Value
		for _, k := range known {
			if strings.EqualFold(k, name) {
				name = k
			}
		}
		if first, twice := lines[name]; twice {
			if slices.Contains(known, name) {
				o.r.at(place{key.Line, o.field(name).path}, "is given twice, first on line %d: remove one", first)
			}
			continue
		}
		lines[name] = key.Line
		if _, there := o.fields[name]; !there {
			o.fields[name] = field{n.Content[i], n.Content[i+1], depth > 0}
			o.names = append(o.names, name)
		}
	}
	for _, m := range merged {
		o.merge(m, known, depth+1)
	}
}

func (o *object) merge(n *yaml.Node, known []string, depth int) {
	n = o.r.resolve(n)
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		o.add(n, known, depth)
	case n.Kind == yaml.SequenceNode && depth <= 8:
		for _, e := range n.Content {
			o.merge(e, known, depth+1)
		}
	}
}

// has tells whether the field is there and not null.
func (o object) has(name string) bool {
	f, ok := o.fields[name]
	return ok && !isNull(o.r.resolve(f.value))
}

// where is the line of the field, or of the object when it is missing.
func (o object) where(name string) place {
	p := o.field(name)
	if f, ok := o.fields[name]; ok {
		p.line = f.key.Line
	}
	return p
}

func (o object) object(name string, known ...string) object {
	return o.r.object(o.fields[name].value, o.where(name), known...)
}

// text reads a string; a missing or null field is "". bad = reported, so "" does not mean missing.
func (o object) text(name string) (value string, bad bool) {
	n := o.r.resolve(o.fields[name].value)
	if isNull(n) {
		return "", false
	}
	p := o.where(name)
	switch {
	case n.Kind != yaml.ScalarNode:
		o.r.at(p, "must be text, not %s", describe(n))
	case n.ShortTag() != "!!str" && n.ShortTag() != "!!merge": // as a value, << is text
		o.r.at(p, "must be text, not %s, or the installer does not read the file: put it in quotes", describe(n))
	case strings.ContainsAny(n.Value, "\r\n\u0085\u2028\u2029"):
		o.r.at(p, "holds a line break, which the readers of the secrets refuse: write it on one line, in single quotes")
	case strings.ContainsFunc(n.Value, unprintable):
		o.r.at(p, `holds a control character: in double quotes \ begins an escape, in single quotes it does not`)
	default:
		return n.Value, false
	}
	return "", true
}

// list gives the elements of a list.
func (o object) list(name string) []*yaml.Node {
	n := o.r.resolve(o.fields[name].value)
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		o.r.at(o.where(name), "must be a list, not %s", describe(n))
		return nil
	}
	return n.Content
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
