package yamldoc

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Text is a string of the file.
type Text struct {
	Place
	Value string
	Bad   bool // already reported, so "" does not mean missing
}

// Item is an entry of a list.
type Item struct {
	Place
	Node *yaml.Node

	r *Reader
}

// Object reads an entry that is a mapping.
func (i Item) Object(known ...string) Object { return i.r.Object(i.Node, i.Place, known...) }

// Text reads an entry that is a string.
func (i Item) Text() Text { return i.r.text(i.Node, i.Place) }

// Text reads a string; a field that is missing or has no value is "".
func (o Object) Text(name string) Text { return o.r.text(o.fields[name].Value, o.Where(name)) }

func (r *Reader) text(n *yaml.Node, p Place) Text {
	t := Text{Place: p}
	if n = r.Resolve(n); IsNull(n) {
		return t
	}
	switch {
	case n.Kind != yaml.ScalarNode:
		r.At(p, "must be text, not %s", Describe(n))
	case r.rules.Scalars:
		t.Value = n.Value
		return t
	// << is text as a value, which yaml.v3 writes unquoted
	case n.ShortTag() != "!!str" && n.ShortTag() != "!!merge":
		r.At(p, "must be text, not %s: put it in quotes", Describe(n))
	case strings.ContainsFunc(n.Value, Unprintable):
		remedy := ": write it on one line"
		if n.Style&yaml.DoubleQuotedStyle != 0 {
			remedy = `; in double quotes \ begins an escape, in single quotes it does not`
		}
		r.At(p, "contains a line break or another control character%s", remedy)
	default:
		t.Value = n.Value
		return t
	}
	t.Bad = true
	return t
}

// Unprintable reports whether a character can be part of no text on one line.
func Unprintable(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Zl, unicode.Zp) || c == '\uFEFF' ||
		c == unicode.ReplacementChar
}

// Choice reads one of a few words, def when it is left out.
func (o Object) Choice(name, def string, words ...string) string {
	t := o.Text(name)
	if t.Value == "" {
		return def
	}
	if !slices.Contains(words, t.Value) {
		o.r.At(t.Place, "%s is unknown%s", hint.Quote(t.Value), hint.Suggest(t.Value, words))
	}
	return t.Value
}

// scalar reads a value of one YAML type into to, which keeps its value if there is none.
func (o Object) scalar(name, tag, what string, to any) {
	n := o.r.Resolve(o.fields[name].Value)
	if !IsNull(n) && (n.Kind != yaml.ScalarNode || n.ShortTag() != tag || n.Decode(to) != nil) {
		o.r.At(o.Where(name), "must be %s, not %s", what, Describe(n))
	}
}

// Number reads a whole number, def when it is left out.
func (o Object) Number(name string, def int) int {
	v := def
	o.scalar(name, "!!int", "a whole number", &v)
	return v
}

// Truth reads true or false, false when it is left out.
func (o Object) Truth(name string) bool {
	v := false
	o.scalar(name, "!!bool", "true or false", &v)
	return v
}

// Maybe reads true or false, nil when it is left out.
func (o Object) Maybe(name string) *bool {
	if !o.Has(name) {
		return nil
	}
	v := o.Truth(name)
	return &v
}

// List gives the entries of a list, each with its place; ok is false when there is something else.
func (o Object) List(name string) (items []Item, ok bool) {
	p := o.Where(name)
	n := o.r.Resolve(o.fields[name].Value)
	if IsNull(n) {
		return nil, true
	}
	if n.Kind != yaml.SequenceNode {
		o.r.At(p, "must be a list, not %s", Describe(n))
		return nil, false
	}
	for i, e := range n.Content {
		items = append(items, Item{Place{e.Line, fmt.Sprintf("%s[%d]", p.Path, i)}, e, o.r})
	}
	return items, true
}

// Texts reads a list of strings; ok is false when a problem was reported.
func (o Object) Texts(name string) (list []Text, ok bool) {
	items, ok := o.List(name)
	for _, item := range items {
		t := item.Text()
		if t.Value == "" && !t.Bad {
			o.r.At(t.Place, "is empty")
			t.Bad = true
		}
		if t.Bad {
			ok = false
			continue
		}
		list = append(list, t)
	}
	return list, ok
}
