package installconfig

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

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
	o.add(target, known, &o.names, 0)
	return o
}

// add puts the fields of a mapping into the object; merged mappings (<<) come last, since what is written out wins.
func (o object) add(n *yaml.Node, known []string, names *[]string, depth int) {
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
			*names = append(*names, name)
		}
	}
	for _, m := range merged {
		o.merge(m, known, names, depth+1)
	}
}

func (o object) merge(n *yaml.Node, known []string, names *[]string, depth int) {
	n = o.r.resolve(n)
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		o.add(n, known, names, depth)
	case n.Kind == yaml.SequenceNode && depth <= 8:
		for _, e := range n.Content {
			o.merge(e, known, names, depth+1)
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
