package installconfig

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// want is a field that shall have a value, or fields of its own.
type want struct {
	name     string
	value    string
	children []want
}

// editable refuses mappings that are not written out where they are used.
func (e *editor) editable(o object) bool {
	switch {
	case o.node == nil:
	case o.node.Kind == yaml.AliasNode:
		e.refuse(o.node.Line, "%s: is an alias (*name): write it out, so that its account can be set", o.path)
	case o.node.Style&yaml.FlowStyle != 0:
		e.refuse(o.node.Line, "%s: is written in braces: write it as a block, a field on each line", o.path)
	default:
		return e.err == nil
	}
	return false
}

// own gives a field that is written in the mapping itself.
func (o object) own(name string) (field, bool) {
	f, ok := o.fields[name]
	return f, ok && !f.merged
}

// put gives the object what is wanted; new fields go behind the first of after that is there, else to the end.
func (e *editor) put(o object, w want, after ...string) {
	f, ok := o.own(w.name)
	switch {
	case e.err != nil:
	case !ok:
		e.insert(o, w, after)
	case w.children == nil:
		if f.value.Kind != yaml.ScalarNode || f.value.Value != w.value || f.value.ShortTag() != "!!str" {
			e.replace(o, f, w)
		}
	case isNull(f.value):
		e.fill(o, f, w)
	default:
		child := (&reader{}).object(f.value, o.where(w.name), append(memberNames(), userField, passwordField)...)
		before := len(e.changes)
		for _, c := range w.children {
			e.put(child, c, userField)
		}
		for _, n := range []*yaml.Node{o.node, f.value} {
			if n.Kind == yaml.AliasNode && (len(e.changes) > before || e.err != nil) {
				e.err = nil // what was refused is on the lines of the anchor
				e.refuse(n.Line, "%s: is an alias (*name): write it out, so that its account can be set", o.field(w.name).path)
				return
			}
		}
	}
}

// insert adds a field to a block mapping.
func (e *editor) insert(o object, w want, after []string) {
	if !e.editable(o) || len(o.node.Content) < 2 {
		e.refuse(o.line, "%s: has no field to put %s behind", o.path, w.name)
		return
	}
	key := o.node.Content[len(o.node.Content)-2]
	for _, name := range after {
		if f, ok := o.own(name); ok {
			key = f.key
			break
		}
	}
	e.add(e.start(e.end(key)), w.lines(o.node.Content[0].Column-1, e.nl))
}

// fill gives children to a field without a value.
func (e *editor) fill(o object, f field, w want) {
	colon, ok := e.colon(f.key)
	if !e.editable(o) {
		return
	}
	if rest := strings.TrimSpace(e.text[min(colon, len(e.text)):e.start(f.key.Line+1)]); !ok || rest != "" && rest[0] != '#' {
		e.refuse(f.key.Line, "%s: write nothing behind the colon, or the fields below it", o.field(w.name).path)
		return
	}
	var text strings.Builder
	for _, c := range w.children {
		text.WriteString(c.lines(f.key.Column-1+indent, e.nl))
	}
	e.add(e.start(f.key.Line+1), text.String())
}

// add inserts whole lines.
func (e *editor) add(at int, text string) { e.changes = append(e.changes, change{at, at, text}) }

// replace gives a field another value and keeps a comment behind it.
func (e *editor) replace(o object, f field, w want) {
	colon, ok := e.colon(f.key)
	switch {
	case !e.editable(o):
		return
	case !ok:
		e.refuse(f.key.Line, "%s: the key is written in a way that is not understood: write it as %s: value", o.field(w.name).path, w.name)
		return
	case f.value.Anchor != "":
		e.refuse(f.value.Line, "%s: the anchor &%s stands at it, so other places would change too: write them out", o.field(w.name).path, f.value.Anchor)
		return
	}
	lineEnd := colon + len(strings.TrimRight(e.text[colon:e.start(f.key.Line+1)], "\r\n"))
	rest := strings.TrimLeft(e.text[colon:lineEnd], " \t")
	if length, single := e.valueLength(f, rest); single {
		from := lineEnd - len(rest)
		tail := rest[length:]
		if strings.HasPrefix(tail, "#") {
			tail = " " + tail
		}
		e.changes = append(e.changes, change{colon, max(from, colon), " "}, change{from, lineEnd, quote(w.value) + tail})
		return
	}
	last := e.end(f.key) - 1
	e.changes = append(e.changes, change{colon, e.start(last) + len(strings.TrimRight(e.line(last), "\r\n")), " " + quote(w.value)})
}

// valueLength is how much of the rest of the key's line is the value; single tells whether that is all of it.
func (e *editor) valueLength(f field, rest string) (length int, single bool) {
	if f.value.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0 {
		return 0, false
	}
	for line := f.key.Line + 1; line < e.end(f.key); line++ {
		if body := strings.TrimSpace(e.line(line)); body != "" && body[0] != '#' {
			return 0, false
		}
	}
	switch {
	case rest == "" || rest[0] == '#':
		return 0, true
	case rest[0] == '"' || rest[0] == '\'':
		length = quotedLength(rest)
		return length, length > 0
	}
	length = len(rest)
	if i := comment.FindStringIndex(rest); i != nil {
		length = i[0]
	}
	return length, true
}

var comment = regexp.MustCompile(`[ \t]+#`)

// remove takes a field out, with all its lines. On the line of a list's dash, the dash stays.
func (e *editor) remove(o object, name string) {
	f, ok := o.fields[name]
	switch {
	case e.err != nil || !ok:
		return
	case f.merged:
		e.refuse(o.line, "%s: comes through a merge key (<<): write the fields out", o.field(name).path)
		return
	case !e.editable(o):
		return
	}
	if line := anchorIn(f.value); line > 0 {
		e.refuse(line, "%s: holds an anchor (&name), so other places may need it: write them out", o.field(name).path)
		return
	}
	from, to := e.offset(f.key), e.start(e.end(f.key))
	prefix := e.text[e.start(f.key.Line):from]
	if strings.TrimSpace(prefix) == "" {
		e.changes = append(e.changes, change{e.start(f.key.Line), to, ""})
		return
	}
	e.changes = append(e.changes, change{e.start(f.key.Line) + len(strings.TrimRight(prefix, " ")), to, e.nl})
}

// anchorIn is the line of an anchor at or below a node, 0 if there is none.
func anchorIn(n *yaml.Node) int {
	if n.Anchor != "" {
		return n.Line
	}
	for _, c := range n.Content {
		if line := anchorIn(c); line > 0 {
			return line
		}
	}
	return 0
}

// before puts a field before another one and the comments above that.
func (e *editor) before(o object, name string, w want) {
	f, ok := o.own(name)
	if !ok || !e.editable(o) {
		e.refuse(o.line, "%s: %s is not written out there: write it out", o.path, name)
		return
	}
	line := f.key.Line
	if strings.TrimSpace(e.text[e.start(line):e.offset(f.key)]) != "" {
		e.refuse(line, "%s: begins in the middle of a line: write it on a line of its own", o.field(name).path)
		return
	}
	for line > 1 && strings.HasPrefix(e.line(line-1), strings.Repeat(" ", f.key.Column-1)+"#") {
		line--
	}
	e.add(e.start(line), w.lines(f.key.Column-1, e.nl))
}

// indent is how much deeper new fields stand than what holds them.
const indent = 2

// lines writes a field as a block.
func (w want) lines(depth int, nl string) string {
	text := strings.Repeat(" ", depth) + w.name + ":"
	if w.children == nil {
		return text + " " + quote(w.value) + nl
	}
	var all strings.Builder
	all.WriteString(text + nl)
	for _, c := range w.children {
		all.WriteString(c.lines(depth+indent, nl))
	}
	return all.String()
}

// plain are values that need no quotes in any version of YAML.
var plain = regexp.MustCompile(`^(?:[A-Za-z0-9][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9.-]*|component-scoped)$`)

// quote writes a value in single quotes, in which nothing but the quote itself means anything.
func quote(v string) string {
	if plain.MatchString(v) {
		return v
	}
	return "'" + strings.ReplaceAll(v, "'", "''") + "'"
}
