package installconfig

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// want is a field that must have a value, or fields of its own.
type want struct {
	name     string
	value    string
	children []want
}

// editable refuses mappings that are not written out where they are used.
func (e *editor) editable(o yamldoc.Object) bool {
	switch {
	case o.Node == nil:
	case o.Node.Kind == yaml.AliasNode:
		e.refuse(o.Node.Line, "%s: is an alias (*name): write it out, so that its account can be set", o.Path)
	case o.Node.Style&yaml.FlowStyle != 0:
		e.refuse(o.Node.Line, "%s: is written in braces: write it as a block, a field on each line", o.Path)
	default:
		return e.err == nil
	}
	return false
}

// own gives a field that is written in the mapping itself.
func own(o yamldoc.Object, name string) (yamldoc.Field, bool) {
	f, ok := o.Raw(name)
	return f, ok && !f.Merged
}

// put sets what is wanted; new fields follow the first existing one of after, else the end.
func (e *editor) put(o yamldoc.Object, w want, after ...string) {
	f, ok := own(o, w.name)
	switch {
	case e.err != nil:
	case !ok:
		e.insert(o, w, after)
	case w.children == nil:
		if f.Value.Kind != yaml.ScalarNode || f.Value.Value != w.value || f.Value.ShortTag() != "!!str" {
			e.replace(o, f, w)
		}
	case yamldoc.IsNull(f.Value):
		e.fill(o, f, w)
	default:
		child := newReader("").Object(f.Value, o.Where(w.name), append(memberNames(), userField, passwordField)...)
		before := len(e.changes)
		for _, c := range w.children {
			e.put(child, c, userField)
		}
		for _, n := range []*yaml.Node{o.Node, f.Value} {
			if n.Kind == yaml.AliasNode && (len(e.changes) > before || e.err != nil) {
				e.err = nil // what was refused is on the lines of the anchor
				e.refuse(n.Line, "%s: is an alias (*name): write it out, so that its account can be set",
					o.Field(w.name).Path)
				return
			}
		}
	}
}

func (e *editor) insert(o yamldoc.Object, w want, after []string) {
	if !e.editable(o) || len(o.Node.Content) < 2 {
		e.refuse(o.Line, "%s: has no field after which to put %s", o.Path, w.name)
		return
	}
	key := o.Node.Content[len(o.Node.Content)-2]
	for _, name := range after {
		if f, ok := own(o, name); ok {
			key = f.Key
			break
		}
	}
	e.add(e.Start(e.end(key)), w.lines(o.Node.Content[0].Column-1, e.NL))
}

func (e *editor) fill(o yamldoc.Object, f yamldoc.Field, w want) {
	colon, ok := e.colon(f.Key)
	if !e.editable(o) {
		return
	}
	if rest := strings.TrimSpace(e.Text[min(colon, len(e.Text)):e.Start(f.Key.Line+1)]); !ok ||
		rest != "" && rest[0] != '#' {
		e.refuse(f.Key.Line, "%s: write nothing after the colon, or the fields below it", o.Field(w.name).Path)
		return
	}
	var text strings.Builder
	for _, c := range w.children {
		text.WriteString(c.lines(f.Key.Column-1+indent, e.NL))
	}
	e.add(e.Start(f.Key.Line+1), text.String())
}

func (e *editor) add(at int, text string) { e.changes = append(e.changes, change{at, at, text}) }

func (e *editor) replace(o yamldoc.Object, f yamldoc.Field, w want) {
	colon, ok := e.colon(f.Key)
	switch {
	case !e.editable(o):
		return
	case !ok:
		e.refuse(f.Key.Line, "%s: the form of this key is not supported: write it as %s: value",
			o.Field(w.name).Path, w.name)
		return
	case f.Value.Anchor != "":
		e.refuse(f.Value.Line, "%s: has the anchor &%s, so other places would change too: write them out",
			o.Field(w.name).Path, f.Value.Anchor)
		return
	}
	lineEnd := colon + len(strings.TrimRight(e.Text[colon:e.Start(f.Key.Line+1)], "\r\n"))
	rest := strings.TrimLeft(e.Text[colon:lineEnd], " \t")
	if length, single := e.valueLength(f, rest); single {
		from := lineEnd - len(rest)
		tail := rest[length:]
		if strings.HasPrefix(tail, "#") {
			tail = " " + tail
		}
		e.changes = append(e.changes, change{colon, max(from, colon), " "},
			change{from, lineEnd, quote(w.value) + tail})
		return
	}
	last := e.end(f.Key) - 1
	e.changes = append(e.changes,
		change{colon, e.Start(last) + len(strings.TrimRight(e.line(last), "\r\n")), " " + quote(w.value)})
}

// valueLength is the value's length in the rest of its line; single: it ends there.
func (e *editor) valueLength(f yamldoc.Field, rest string) (length int, single bool) {
	if f.Value.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0 {
		return 0, false
	}
	for line := f.Key.Line + 1; line < e.end(f.Key); line++ {
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
	if i := comment().FindStringIndex(rest); i != nil {
		length = i[0]
	}
	return length, true
}

var comment = pattern.Of(`[ \t]+#`)

// remove takes a field out, with all its lines. On the line of a list's dash, the dash stays.
func (e *editor) remove(o yamldoc.Object, name string) {
	f, ok := o.Raw(name)
	switch {
	case e.err != nil || !ok:
		return
	case f.Merged:
		e.refuse(o.Line, "%s: comes from a merge key (<<): write the fields out", o.Field(name).Path)
		return
	case !e.editable(o):
		return
	}
	if line := anchorIn(f.Value); line > 0 {
		e.refuse(line, "%s: contains an anchor (&name), so other places may need it: write them out",
			o.Field(name).Path)
		return
	}
	from, to := e.Offset(f.Key), e.Start(e.end(f.Key))
	prefix := e.Text[e.Start(f.Key.Line):from]
	if strings.TrimSpace(prefix) == "" {
		e.changes = append(e.changes, change{e.Start(f.Key.Line), to, ""})
		return
	}
	e.changes = append(e.changes, change{e.Start(f.Key.Line) + len(strings.TrimRight(prefix, " ")), to, e.NL})
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
func (e *editor) before(o yamldoc.Object, name string, w want) {
	f, ok := own(o, name)
	if !ok || !e.editable(o) {
		e.refuse(o.Line, "%s: %s is not written out there: write it out", o.Path, name)
		return
	}
	line := f.Key.Line
	if strings.TrimSpace(e.Text[e.Start(line):e.Offset(f.Key)]) != "" {
		e.refuse(line, "%s: begins in the middle of a line: write it on a separate line", o.Field(name).Path)
		return
	}
	for line > 1 && strings.HasPrefix(e.line(line-1), strings.Repeat(" ", f.Key.Column-1)+"#") {
		line--
	}
	e.add(e.Start(line), w.lines(f.Key.Column-1, e.NL))
}

// indent is how much deeper new fields stand than what holds them.
const indent = 2

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
var plain = pattern.Of(`^(?:[A-Za-z0-9][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9.-]*|component-scoped)$`)

// quote writes a value in single quotes, in which nothing but the quote itself means anything.
func quote(v string) string {
	if plain().MatchString(v) {
		return v
	}
	return "'" + strings.ReplaceAll(v, "'", "''") + "'"
}
