package spec

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// ErrNotEdited says that a file is written in a way that is left to its author.
var ErrNotEdited = errors.New("edit this file by hand")

// Disable gives the specification with these accounts of components disabled, or enabled; those of components that it does not
// have stay as they are. One that names no component names all then. The receiver stays as it is.
func (s *Spec) Disable(components []component.Name, disabled bool) *Spec {
	want := *s
	want.Components = maps.Clone(s.Components)
	if want.Components == nil && disabled {
		want.Components = map[component.Name]Component{}
		for _, c := range component.Default() {
			want.Components[c] = Component{}
		}
	}
	for _, c := range components {
		if of, named := want.Components[c]; named {
			of.Disabled = disabled
			want.Components[c] = of
		}
	}
	return &want
}

// SetDisabled writes into a provisioning file whether accounts of components are disabled: disabled is put
// below the component, or taken away there. Everything else stays as it is, byte for byte, with its comments and its order.
// The result is read back, and is the same specification but for that, or the error is ErrNotEdited. name stands for the path
// in errors; data comes back as it is where it says so already.
func SetDisabled(name string, data []byte, components []component.Name, disabled bool) ([]byte, error) {
	before, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	want, out := before.Disable(components, disabled), data
	for _, c := range components {
		if want.Components[c] == before.Components[c] {
			continue
		}
		if out, err = setDisabled(out, c, disabled); err != nil {
			return nil, err
		}
	}
	after, err := Parse(name, out)
	if err != nil || !reflect.DeepEqual(after, want) {
		return nil, ErrNotEdited
	}
	return out, nil
}

// setDisabled edits one component. What it does not know how to edit, and what it edits wrongly, is found by reading it back.
func setDisabled(data []byte, c component.Name, disabled bool) ([]byte, error) {
	root, t, err := mapping(data)
	if err != nil {
		return nil, err
	}
	_, list := fieldOf(root, "components")
	if list == nil {
		return t.append(allComponents(c)), nil
	}
	key, value := fieldOf(list, string(c))
	if key == nil {
		return nil, ErrNotEdited
	}
	_, said := fieldOf(value, "disabled")
	flow := value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle != 0
	switch at := t.Offset(value); {
	case said != nil && disabled:
		return t.replace(t.Offset(said), len(said.Value), "true"), nil
	case said != nil && flow && len(value.Content) == 2:
		return t.replaceTo(at, "}", "{}")
	case said != nil && flow:
		return t.replace(t.Offset(said), len(said.Value), "false"), nil
	case said != nil:
		return t.cut(said.Line, said.Line), nil
	case flow && len(value.Content) == 0:
		return t.replaceTo(at, "}", "{disabled: true}")
	case flow:
		return t.replace(at, len("{"), "{disabled: true, "), nil
	case value.Kind == yaml.MappingNode && value.Line > key.Line:
		return t.insert(value.Line, strings.Repeat(" ", value.Column-1)+"disabled: true"), nil
	case value.Kind == yaml.ScalarNode && value.Value == "" && value.Style == 0:
		return t.insert(key.Line+1, strings.Repeat(" ", key.Column+1)+"disabled: true"), nil
	}
	return nil, ErrNotEdited
}

// allComponents is the field of a file that names none, which means those of every cluster.
func allComponents(disabled component.Name) []string {
	all := []string{"components:"}
	for _, c := range component.Default() {
		if c == disabled {
			all = append(all, fmt.Sprintf("  %s: {disabled: true}", c))
		} else {
			all = append(all, fmt.Sprintf("  %s: {}", c))
		}
	}
	return all
}

// mapping is the top of a file.
func mapping(data []byte) (*yaml.Node, *lines, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, nil, ErrNotEdited
	}
	return doc.Content[0], newLines(data), nil
}

// last is the line on which a node ends, as far as its parts tell: of a text of several lines it is the first.
func last(n *yaml.Node) int {
	end := n.Line
	for _, part := range n.Content {
		end = max(end, last(part))
	}
	return end
}

// fieldOf is a field of a mapping; nil where it is none, or has no such field.
func fieldOf(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// lines is a text that is edited by its lines.
type lines struct{ yamldoc.Lines }

func newLines(data []byte) *lines { return &lines{yamldoc.NewLines(data)} }

func (t *lines) replace(at, length int, with string) []byte {
	return []byte(t.Text[:at] + with + t.Text[min(at+length, len(t.Text)):])
}

// replaceTo replaces what is up to and with end.
func (t *lines) replaceTo(at int, end, with string) ([]byte, error) {
	n := strings.Index(t.Text[at:], end)
	if n < 0 {
		return nil, ErrNotEdited
	}
	return t.replace(at, n+len(end), with), nil
}

// insert puts a line before another one.
func (t *lines) insert(line int, text string) []byte {
	at := t.Start(line)
	before := t.Text[:at]
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += t.NL
	}
	return []byte(before + text + t.NL + t.Text[at:])
}

// cut takes out some lines; both are among them.
func (t *lines) cut(from, to int) []byte {
	return []byte(t.Text[:t.Start(from)] + t.Text[t.Start(to+1):])
}

func (t *lines) append(more []string) []byte {
	return t.insert(t.Count()+1, strings.Join(more, t.NL))
}
