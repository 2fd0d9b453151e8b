package privileges

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// reader walks the nodes of a YAML document and collects errors with their lines, so that a person sees all of them at once.
type reader struct {
	file string
	errs []error
}

func (r *reader) errorf(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d: %w", r.file, n.Line, fmt.Errorf(format, args...)))
}

// pair is one field of a mapping.
type pair struct{ key, value *yaml.Node }

// pairs returns the fields of a mapping in the order of the file, without unknown and repeated ones: those are errors.
// what says what the mapping is, kind what a field of it is called.
func (r *reader) pairs(n *yaml.Node, what, kind string, known []string) []pair {
	if n.Kind != yaml.MappingNode {
		r.errorf(n, "%s must be a mapping with the fields %s, not %s", what, list(known), kindOf(n))
		return nil
	}
	var out []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		p := pair{n.Content[i], n.Content[i+1]}
		name := p.key.Value
		switch {
		case p.key.Kind != yaml.ScalarNode:
			r.errorf(p.key, "%s in %s must be a word, not %s", kind, what, kindOf(p.key))
		case known != nil && !slices.Contains(known, name):
			r.errorf(p.key, "%w in %s", unknown(kind, name, known), what)
		case slices.ContainsFunc(out, func(o pair) bool { return o.key.Value == name }):
			r.errorf(p.key, "%s %q stands twice in %s", kind, name, what)
		default:
			out = append(out, p)
		}
	}
	return out
}

// fields is pairs by name, for mappings whose order does not matter.
func (r *reader) fields(n *yaml.Node, what string, known ...string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	for _, p := range r.pairs(n, what, "field", known) {
		out[p.key.Value] = p.value
	}
	return out
}

// text returns a scalar as it is written, "" for a missing node. Anything but text is an error.
func (r *reader) text(n *yaml.Node, field string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		r.errorf(n, "%s must be text, not %s", field, kindOf(n))
		return ""
	}
	return n.Value
}

// flag returns a boolean, false for a missing node.
func (r *reader) flag(n *yaml.Node, field string) bool {
	if n == nil {
		return false
	}
	var b bool
	if n.Kind != yaml.ScalarNode || n.Decode(&b) != nil || n.Tag == "!!null" {
		r.errorf(n, "%s must be true or false, not %s", field, kindOf(n))
	}
	return b
}

// items returns the entries of a list, nothing for a missing node.
func (r *reader) items(n *yaml.Node, field string) []*yaml.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind != yaml.SequenceNode:
		r.errorf(n, "%s must be a list, not %s", field, kindOf(n))
		return nil
	}
	return n.Content
}

// texts returns a list of texts.
func (r *reader) texts(n *yaml.Node, field string) []string {
	var out []string
	for _, item := range r.items(n, field) {
		out = append(out, r.text(item, "an entry of "+field))
	}
	return out
}

// word returns a scalar that has to be one of known, or "" after an error.
func word[T ~string](r *reader, n *yaml.Node, field string, known []T) T {
	name := r.text(n, field)
	switch {
	case n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		return ""
	case !slices.Contains(known, T(name)):
		r.errorf(n, "%w", unknown(field, name, names(known)))
		return ""
	}
	return T(name)
}

// words returns a list of scalars that each have to be one of known.
func words[T ~string](r *reader, n *yaml.Node, field string, known []T) []T {
	var out []T
	for _, item := range r.items(n, "the list of "+field+"s") {
		if w := word(r, item, field, known); w != "" {
			if slices.Contains(out, w) {
				r.errorf(item, "%s %q stands twice", field, w)
				continue
			}
			out = append(out, w)
		}
	}
	return out
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias (write it out)"
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return "nothing"
		}
		return fmt.Sprintf("%q", n.Value)
	}
	return "nothing"
}

func list(words []string) string {
	if len(words) == 0 {
		return "that it names"
	}
	return strings.Join(words, ", ")
}
