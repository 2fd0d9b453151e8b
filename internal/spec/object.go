package spec

import (
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// object is a mapping of the file, or what stands for one that is missing.
type object struct {
	place
	r      *reader
	fields map[string]*yaml.Node
}

// text is a string of the file.
type text struct {
	place
	value string
	bad   bool // already reported, so "" does not mean missing
}

// object reads a mapping. In a strict file every field must be one of known.
func (r *reader) object(n *yaml.Node, p place, known ...string) object {
	o := object{place: p, r: r, fields: map[string]*yaml.Node{}}
	if n = r.resolve(n); isNull(n) {
		return o
	}
	if n.Kind != yaml.MappingNode {
		r.at(place{n.Line, p.path}, "must be fields, not %s", describe(n))
		return o
	}
	o.line = n.Line
	o.add(n, known, 0)
	return o
}

// add puts the fields of a mapping into the object; merged mappings (<<) come last, since what is written out wins.
func (o object) add(n *yaml.Node, known []string, depth int) {
	r := o.r
	lines := map[string]int{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := r.resolve(n.Content[i]), n.Content[i+1]
		if key == nil {
			return
		}
		if key.Kind != yaml.ScalarNode {
			if r.strict {
				r.report(key.Line, "a field name must be text, not %s", describe(key))
			}
			continue
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		name, ok := r.match(key.Value, known)
		if !ok {
			if r.strict {
				r.report(key.Line, "unknown field %s%s", quote(key.Value), o.unknown(key.Value, known))
			}
			continue
		}
		if first, twice := lines[name]; twice {
			r.report(key.Line, "field %s is given twice, first on line %d", quote(name), first)
			continue
		}
		lines[name] = key.Line
		if _, there := o.fields[name]; !there {
			o.fields[name] = value
		}
	}
	for _, m := range merged {
		o.merge(m, known, depth+1)
	}
}

// merge adds one mapping, or a list of them, named by a merge key. YAML lets a mapping merge itself, hence the depth.
func (o object) merge(n *yaml.Node, known []string, depth int) {
	n = o.r.resolve(n)
	switch {
	case n == nil:
	case depth > 8:
		o.r.report(n.Line, "merge keys (<<) nest too deeply")
	case n.Kind == yaml.MappingNode:
		o.add(n, known, depth)
	case n.Kind == yaml.SequenceNode:
		for _, e := range n.Content {
			o.merge(e, known, depth+1)
		}
	default:
		o.r.report(n.Line, "a merge key (<<) takes fields, not %s", describe(n))
	}
}

// match finds a field name. The installer reads its file with encoding/json, which does not mind the case.
func (r *reader) match(name string, known []string) (string, bool) {
	for _, k := range known {
		if name == k || !r.strict && strings.EqualFold(name, k) {
			return k, true
		}
	}
	return "", false
}

// unknown is the remedy for a field that does not exist.
func (o object) unknown(name string, known []string) string {
	if slices.Contains([]string{"user", "username", "password"}, strings.ToLower(name)) {
		return "; a provisioning file holds no credentials"
	}
	return suggest(name, known)
}

// has tells whether the field is there and not null.
func (o object) has(name string) bool {
	n, ok := o.fields[name]
	for ok && n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return ok && !isNull(n)
}

// where is the line of the field's value, or of the object when it is missing.
func (o object) where(name string) place {
	p := o.field(name)
	if n, ok := o.fields[name]; ok {
		p.line = n.Line
	}
	return p
}

func (o object) object(name string, known ...string) object {
	return o.r.object(o.fields[name], o.where(name), known...)
}

// text reads a string; a missing or null field is "".
func (o object) text(name string) text {
	return o.r.text(o.fields[name], o.where(name))
}

// choice reads one of a few words, def when it is left out.
func (o object) choice(name, def string, words ...string) string {
	t := o.text(name)
	if t.value == "" {
		return def
	}
	if !slices.Contains(words, t.value) {
		o.r.at(t.place, "%s is unknown%s", quote(t.value), suggest(t.value, words))
	}
	return t.value
}

// number reads a whole number, def when it is left out.
func (o object) number(name string, def int) int {
	p := o.where(name)
	n := o.r.resolve(o.fields[name])
	if isNull(n) {
		return def
	}
	var v int
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || n.Decode(&v) != nil {
		o.r.at(place{n.Line, p.path}, "must be a whole number, not %s", describe(n))
		return def
	}
	return v
}

// truth reads true or false, false when it is left out.
func (o object) truth(name string) bool {
	p := o.where(name)
	n := o.r.resolve(o.fields[name])
	if isNull(n) {
		return false
	}
	var v bool
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(&v) != nil {
		o.r.at(place{n.Line, p.path}, "must be true or false, not %s", describe(n))
	}
	return v
}

// maybe reads true or false, nil when it is left out.
func (o object) maybe(name string) *bool {
	if !o.has(name) {
		return nil
	}
	v := o.truth(name)
	return &v
}

// list gives the elements of a list, each with its place; ok is false when there is something else.
func (o object) list(name string) (nodes []*yaml.Node, places []place, ok bool) {
	p := o.where(name)
	n := o.r.resolve(o.fields[name])
	if isNull(n) {
		return nil, nil, true
	}
	if n.Kind != yaml.SequenceNode {
		o.r.at(place{n.Line, p.path}, "must be a list, not %s", describe(n))
		return nil, nil, false
	}
	for i, e := range n.Content {
		at := p.index(i)
		at.line = e.Line
		nodes, places = append(nodes, e), append(places, at)
	}
	return nodes, places, true
}

// texts reads a list of strings; ok is false when a problem was reported.
func (o object) texts(name string) (list []text, ok bool) {
	nodes, places, ok := o.list(name)
	for i, n := range nodes {
		t := o.r.text(n, places[i])
		if t.value == "" && !t.bad {
			o.r.at(t.place, "is empty")
			t.bad = true
		}
		if t.bad {
			ok = false
			continue
		}
		list = append(list, t)
	}
	return list, ok
}

func (r *reader) text(n *yaml.Node, p place) text {
	if n = r.resolve(n); isNull(n) {
		return text{place: p}
	}
	t := text{place: place{n.Line, p.path}}
	switch {
	case n.Kind != yaml.ScalarNode:
		r.at(t.place, "must be text, not %s", describe(n))
	case n.ShortTag() != "!!str" && n.ShortTag() != "!!merge": // as a value, << is text, and yaml.v3 writes it unquoted
		r.at(t.place, "must be text, not %s: put it in quotes", describe(n))
	case strings.ContainsFunc(n.Value, unprintable):
		remedy := ""
		if n.Style&yaml.DoubleQuotedStyle != 0 {
			remedy = `; in double quotes \ begins an escape, in single quotes it does not`
		}
		r.at(t.place, "holds a line break or another control character%s", remedy)
	default:
		t.value = n.Value
		return t
	}
	t.bad = true
	return t
}

func unprintable(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Zl, unicode.Zp) || c == '\uFEFF' || c == unicode.ReplacementChar
}
