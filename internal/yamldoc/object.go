package yamldoc

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Field is one key of a mapping and its value, aliases not followed.
type Field struct {
	Key, Value *yaml.Node
	Merged     bool // it came through a merge key
}

// Object is a mapping by the names of its fields, or what stands for one that is missing.
type Object struct { //nolint:recvcheck // it is built in place, and a value for everybody who reads it
	Place
	Node  *yaml.Node // as it stands in the file, an alias perhaps; nil = there is none
	Names []string   // of the fields, unknown ones included, in the order of the file
	Bad   bool       // it is something else, which is reported, so no fields does not mean missing

	r      *Reader
	fields map[string]Field
}

// Object reads a mapping; known are the fields that it may have, none are all.
func (r *Reader) Object(n *yaml.Node, p Place, known ...string) Object {
	o := Object{Place: p, Node: n, r: r, fields: map[string]Field{}}
	target := r.Resolve(n)
	switch {
	case IsNull(target):
	case target.Kind != yaml.MappingNode:
		o.Bad = true
		r.At(Place{n.Line, p.Path}, "must be fields, not %s", Describe(target))
	default:
		o.Line = n.Line
		o.add(target, known, 0)
		o.suspect(known)
	}
	return o
}

// suspect notes unknown fields that may be misspelt: known ones like them are missing.
func (o *Object) suspect(known []string) {
	const most = 200 // a distance costs the product of the lengths
	for _, name := range o.Names[:min(len(o.Names), most)] {
		if slices.Contains(known, name) || len(known) == 0 || len(name) > most {
			continue
		}
		near := hint.Nearest(name, known)
		p := problem{o.fields[name].Key.Line, "unknown field " + hint.Quote(name) + "; did you mean " + hint.Quote(near) + "?"}
		if near != "" && !o.Given(near) && !slices.Contains(o.r.suspects, p) {
			o.r.suspects = append(o.r.suspects, p)
		}
	}
}

// add puts a mapping's fields into the object; merged mappings (<<) come last, as explicit fields
// win.
func (o *Object) add(n *yaml.Node, known []string, depth int) {
	r := o.r
	lines := map[string]int{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := r.Resolve(n.Content[i])
		if key == nil {
			return
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, n.Content[i+1])
			continue
		}
		name, isKnown := r.match(key.Value, known)
		first, twice := lines[name]
		switch {
		case key.Kind != yaml.ScalarNode:
			if r.rules.Closed {
				r.Report(key.Line, "a field name must be text, not %s", Describe(key))
			}
		case !isKnown && r.rules.Closed:
			r.Report(key.Line, "unknown field %s%s", hint.Quote(key.Value), r.remedy(key.Value, known))
		case twice && isKnown:
			r.Report(key.Line, "%s: is given twice, first on line %d: remove one", o.Field(name).Path, first)
		case !twice:
			lines[name] = key.Line
			if _, there := o.fields[name]; !there {
				o.fields[name] = Field{n.Content[i], n.Content[i+1], depth > 0}
				o.Names = append(o.Names, name)
			}
		}
	}
	for _, m := range merged {
		o.merge(m, known, depth+1)
	}
}

// merge adds the mappings of a merge key. A mapping may merge itself, hence the depth.
func (o *Object) merge(n *yaml.Node, known []string, depth int) {
	n = o.r.Resolve(n)
	switch {
	case n == nil:
	case depth > 8:
		o.r.Report(n.Line, "merge keys (<<) nest too deeply")
	case n.Kind == yaml.MappingNode:
		o.add(n, known, depth)
	case n.Kind == yaml.SequenceNode:
		for _, e := range n.Content {
			o.merge(e, known, depth+1)
		}
	default:
		o.r.Report(n.Line, "a merge key (<<) takes fields, not %s", Describe(n))
	}
}

// match finds a field's name among those that there are.
func (r *Reader) match(name string, known []string) (string, bool) {
	for _, k := range known {
		if name == k || r.rules.FoldCase && strings.EqualFold(name, k) {
			return k, true
		}
	}
	return name, len(known) == 0
}

func (r *Reader) remedy(name string, known []string) string {
	if r.rules.Unknown != nil {
		if text := r.rules.Unknown(name); text != "" {
			return text
		}
	}
	return hint.Suggest(name, known)
}

// Given reports whether the field is there, with or without a value.
func (o Object) Given(name string) bool {
	_, ok := o.fields[name]
	return ok
}

// Has reports whether the field is there and has a value.
func (o Object) Has(name string) bool { return !IsNull(o.r.Resolve(o.fields[name].Value)) }

// Raw is the key and value of a field, as they stand in the file.
func (o Object) Raw(name string) (Field, bool) {
	f, ok := o.fields[name]
	return f, ok
}

// Without is the object as if a field were not there.
func (o Object) Without(names ...string) Object {
	all := map[string]Field{}
	for name, f := range o.fields {
		if !slices.Contains(names, name) {
			all[name] = f
		}
	}
	o.fields = all
	return o
}

// Where is the line of the field's name, or of the object when it is missing.
func (o Object) Where(name string) Place {
	p := o.Field(name)
	if f, ok := o.fields[name]; ok {
		p.Line = f.Key.Line
	}
	return p
}

// Object reads a field that is a mapping.
func (o Object) Object(name string, known ...string) Object {
	return o.r.Object(o.fields[name].Value, o.Where(name), known...)
}
