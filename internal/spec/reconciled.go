package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Reconciled is what a specification says once accounts are reconciled with a release.
type Reconciled struct {
	Added  []privileges.Added // all of privileges.added
	Matrix string             // privileges.matrix; "" = as it is
	Name   []component.Name   // components that it names besides those that it does
	Drop   []component.Name   // those that it does not name any more
}

// Reconcile gives the specification that a reconciliation comes to. The receiver stays as it is. Entries of privileges.added that
// stay keep their order, and new ones come last.
func (s *Spec) Reconcile(to Reconciled) *Spec {
	want := *s
	want.Privileges.Added = nil
	for _, pass := range []struct {
		from []privileges.Added
		when func(privileges.Added) bool
	}{
		{s.Privileges.Added, func(a privileges.Added) bool { return hasAdded(to.Added, a) }},
		{to.Added, func(a privileges.Added) bool { return !hasAdded(s.Privileges.Added, a) }},
	} {
		for _, a := range pass.from {
			if pass.when(a) {
				want.Privileges.Added = append(want.Privileges.Added, a)
			}
		}
	}
	if to.Matrix != "" {
		want.Privileges.Matrix = to.Matrix
	}
	want.Components = map[component.Name]Component{}
	for _, c := range append(s.named(), to.Name...) {
		if !slices.Contains(to.Drop, c) {
			want.Components[c] = s.Components[c]
		}
	}
	if s.Components == nil && reflect.DeepEqual(want.named(), s.named()) {
		want.Components = nil
	}
	if s.Before != nil {
		want.Before = s.Before.Reconcile(to)
	}
	return &want
}

func hasAdded(list []privileges.Added, a privileges.Added) bool {
	return slices.ContainsFunc(list, func(b privileges.Added) bool { return reflect.DeepEqual(a, b) })
}

// SetReconciled writes into a provisioning file what a reconciliation comes to. Everything else stays as it is, byte for byte, with
// its comments and its order. The result is read back, and is the specification that [Spec.Reconcile] gives, or the error is
// ErrNotEdited. name stands for the path in errors; data comes back as it is where it says so already.
func SetReconciled(name string, data []byte, to Reconciled) ([]byte, error) {
	before, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	want, out := before.Reconcile(to), data
	for i := len(before.Privileges.Added) - 1; i >= 0; i-- {
		if !hasAdded(want.Privileges.Added, before.Privileges.Added[i]) {
			if out, err = cutAdded(out, i); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range want.Privileges.Added {
		if !hasAdded(before.Privileges.Added, a) {
			if out, err = appendAdded(out, a); err != nil {
				return nil, err
			}
		}
	}
	if want.Privileges.Matrix != before.Privileges.Matrix {
		if out, err = setField(out, "privileges", "matrix", want.Privileges.Matrix); err != nil {
			return nil, err
		}
	}
	if out, err = setComponents(out, before, want); err != nil {
		return nil, err
	}
	after, err := Parse(name, out)
	if err != nil || !reflect.DeepEqual(after, want) {
		return nil, ErrNotEdited
	}
	return out, nil
}

func block(n *yaml.Node) bool {
	return n != nil && n.Kind != yaml.ScalarNode && n.Kind != yaml.AliasNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

// cutAdded takes out an entry, and the field with the last one.
func cutAdded(data []byte, i int) ([]byte, error) {
	top, t, err := mapping(data)
	if err != nil {
		return nil, err
	}
	key, in := fieldOf(top, "privileges")
	at, list := fieldOf(in, "added")
	switch {
	case !block(in) || !block(list) || i >= len(list.Content) || !block(list.Content[i]):
		return nil, ErrNotEdited
	case len(list.Content) == 1 && len(in.Content) == 2:
		return t.cut(key.Line, last(list)), nil
	case len(list.Content) == 1:
		return t.cut(at.Line, last(list)), nil
	}
	return t.cut(list.Content[i].Line, last(list.Content[i])), nil
}

// appendAdded puts an entry behind the others.
func appendAdded(data []byte, a privileges.Added) ([]byte, error) {
	top, t, err := mapping(data)
	if err != nil {
		return nil, err
	}
	key, in := fieldOf(top, "privileges")
	_, list := fieldOf(in, "added")
	entry := Entry(a)
	switch {
	case key == nil:
		return t.append(append([]string{"privileges:", "  added:"}, indented(entry, 2)...)), nil
	case block(list):
		indent := list.Column - 1
		return t.insertAll(last(list)+1, indented(entry, indent)), nil
	case list == nil && block(in):
		indent := in.Column - 1
		return t.insertAll(last(in)+1, append(indented([]string{"added:"}, indent), indented(entry, indent)...)), nil
	case list == nil && in.Kind == yaml.ScalarNode && in.Value == "" && in.Style == 0:
		return t.insertAll(key.Line+1, append([]string{"  added:"}, indented(entry, 2)...)), nil
	}
	return nil, ErrNotEdited
}

// Entry is an entry of privileges.added as it is written, its lines without indentation.
func Entry(a privileges.Added) []string {
	return strings.Split(strings.TrimSuffix(string(encoded([]fileAdded{fileAdded(a)})), "\n"), "\n")
}

func indented(texts []string, columns int) []string {
	var out []string
	for _, text := range texts {
		out = append(out, strings.Repeat(" ", columns)+text)
	}
	return out
}

// insertAll puts lines before another one.
func (t *lines) insertAll(line int, texts []string) []byte {
	return t.insert(line, strings.Join(texts, t.NL))
}

// setField writes a text below a field of the top.
func setField(data []byte, field, name, value string) ([]byte, error) {
	top, t, err := mapping(data)
	if err != nil {
		return nil, err
	}
	key, in := fieldOf(top, field)
	_, have := fieldOf(in, name)
	text, err := yaml.Marshal(value)
	if err != nil {
		return nil, err
	}
	word := strings.TrimSuffix(string(text), "\n")
	switch {
	case key == nil:
		return t.append([]string{field + ":", "  " + name + ": " + word}), nil
	case have != nil && have.Kind == yaml.ScalarNode && have.Style == 0:
		return t.replace(t.Offset(have), len(have.Value), word), nil
	case have != nil && have.Kind == yaml.ScalarNode && have.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		return t.replace(t.Offset(have), len(have.Value)+len(`""`), word), nil // with an escape in it, it does not read back
	case have == nil && block(in):
		return t.insert(in.Line, strings.Repeat(" ", in.Column-1)+name+": "+word), nil
	case have == nil && in.Kind == yaml.MappingNode && len(in.Content) > 0:
		return t.replace(t.Offset(in), len("{"), "{"+name+": "+word+", "), nil
	}
	return nil, ErrNotEdited
}

// setComponents names components, and drops others.
func setComponents(data []byte, before, want *Spec) ([]byte, error) {
	for _, c := range before.named() {
		if _, stays := want.Components[c]; stays || want.Components == nil {
			continue
		}
		if before.Components == nil {
			break // the list is written below
		}
		top, t, err := mapping(data)
		if err != nil {
			return nil, err
		}
		_, list := fieldOf(top, "components")
		key, value := fieldOf(list, string(c))
		if !block(list) || key == nil || len(list.Content) == 2 {
			return nil, ErrNotEdited
		}
		data = t.cut(key.Line, last(value))
	}
	for _, c := range want.named() {
		_, had := before.Components[c]
		if had || want.Components == nil {
			continue
		}
		top, t, err := mapping(data)
		if err != nil {
			return nil, err
		}
		switch key, list := fieldOf(top, "components"); {
		case key == nil:
			data = t.append([]string{"components:", fmt.Sprintf("  %s: {}", c)})
		case block(list):
			data = t.insert(last(list)+1, fmt.Sprintf("%s%s: {}", strings.Repeat(" ", list.Column-1), c))
		case list.Kind == yaml.MappingNode && len(list.Content) > 0:
			data = t.replace(t.Offset(list), len("{"), fmt.Sprintf("{%s: {}, ", c))
		default:
			return nil, ErrNotEdited
		}
	}
	return data, nil
}
