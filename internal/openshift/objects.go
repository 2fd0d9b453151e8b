package openshift

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxVisits bounds how many YAML nodes are looked at, because aliases can make a small file unfold into an endless one.
// The secrets of a whole cluster are a few hundred thousand.
const maxVisits = 5_000_000

// object is one Kubernetes object of a stream of YAML or JSON documents; the items of lists are objects of their own.
type object struct {
	kind string
	node *yaml.Node
}

// objects reads a stream. It never decodes more than it is asked for and its errors hold no values, because these are
// passwords at times.
type objects struct {
	name    string // of the file, in errors
	visited int
	// told takes what is wrong with one object or one value, and the rest is read all the same; nil ends at the first.
	told func(error)
}

// tell passes an error on, or hands it over to told. What concerns the file as a whole ends the reading always.
func (o *objects) tell(err error) error {
	if err == nil || o.told == nil || errors.Is(err, errUnfolds) {
		return err
	}
	o.told(err)
	return nil
}

// errUnfolds says that aliases make the file endless.
var errUnfolds = errors.New("it holds too many values, aliases unfolded")

func (o *objects) at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", o.name, max(n.Line, 1), fmt.Errorf(format, args...))
}

// each calls f for every object; the first error ends it.
func (o *objects) each(data []byte, f func(object) error) error {
	if bytes.ContainsRune(data, '\t') && json.Valid(data) { // YAML takes JSON, but no tabs
		var compact bytes.Buffer
		if json.Compact(&compact, data) == nil {
			data = compact.Bytes()
		}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return o.syntax(err)
		}
		if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
			continue
		}
		if err := o.tell(o.walk(doc.Content[0], 0, f)); err != nil {
			return err
		}
	}
}

// walk gives one object, or those of a list.
func (o *objects) walk(n *yaml.Node, depth int, f func(object) error) error {
	n, err := o.resolve(n)
	if err != nil {
		return err
	}
	if null(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode || depth > 10 {
		return o.at(n, "is not a Kubernetes object")
	}
	kind, err := o.textField(n, "kind")
	if err != nil {
		return err
	}
	switch {
	case kind == "":
		return o.at(n, "is not a Kubernetes object: it has no kind")
	case !strings.HasSuffix(kind, "List"):
		return f(object{kind, n})
	}
	items, err := o.field(n, "items")
	if err != nil || null(items) {
		return err
	}
	if items.Kind != yaml.SequenceNode {
		return o.at(items, "items is not a list")
	}
	for _, item := range items.Content {
		if err := o.tell(o.walk(item, depth+1, f)); err != nil {
			return err
		}
	}
	return nil
}

// resolve follows aliases.
func (o *objects) resolve(n *yaml.Node) (*yaml.Node, error) {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
		if o.visited++; o.visited > maxVisits {
			break
		}
	}
	if n == nil {
		return &yaml.Node{}, nil
	}
	if o.visited++; o.visited > maxVisits {
		return nil, fmt.Errorf("%s: %w", o.name, errUnfolds)
	}
	return n, nil
}

// field is the value of a mapping's field, nil if there is none.
func (o *objects) field(n *yaml.Node, name string) (*yaml.Node, error) {
	var found *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if o.visited++; o.visited > maxVisits {
			return nil, fmt.Errorf("%s: %w", o.name, errUnfolds)
		}
		if n.Content[i].Value != name {
			continue
		}
		if found != nil {
			return nil, o.at(n.Content[i], "%s is there twice", name)
		}
		found = n.Content[i+1]
	}
	if found == nil {
		return nil, nil //nolint:nilnil // no field is a fine answer
	}
	return o.resolve(found)
}

// mapping is a field that holds fields, nil if there is none.
func (o *objects) mapping(n *yaml.Node, name string) (*yaml.Node, error) {
	found, err := o.field(n, name)
	if err != nil || null(found) {
		return nil, err
	}
	if found.Kind != yaml.MappingNode {
		return nil, o.at(found, "%s must be fields with values", name)
	}
	return found, nil
}

// textField is a field's text, empty if there is none. Numbers and the like are taken as they are written.
func (o *objects) textField(n *yaml.Node, name string) (string, error) {
	found, err := o.field(n, name)
	if err != nil || null(found) {
		return "", err
	}
	if found.Kind != yaml.ScalarNode {
		return "", o.at(found, "%s must be text", name)
	}
	return found.Value, nil
}

// texts are the fields of a mapping, all text; convert makes of each what it stands for.
func (o *objects) texts(n *yaml.Node, name string, convert func(string) ([]byte, error)) (map[string][]byte, error) {
	fields, err := o.mapping(n, name)
	if err != nil || fields == nil {
		return nil, err
	}
	all := map[string][]byte{}
	for i := 0; i+1 < len(fields.Content); i += 2 {
		key := fields.Content[i].Value
		value, err := o.resolve(fields.Content[i+1])
		if err != nil {
			return nil, err
		}
		if _, again := all[key]; again {
			err = o.at(fields.Content[i], "%s: a key is there twice", name)
		} else {
			all[key], err = o.value(value, name, key, convert)
		}
		if err != nil {
			delete(all, key)
			if err := o.tell(err); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (o *objects) value(n *yaml.Node, name, key string, convert func(string) ([]byte, error)) ([]byte, error) {
	if n.Kind != yaml.ScalarNode && !null(n) {
		return nil, o.at(n, "%s: the value of %.80q is not text", name, key)
	}
	text := n.Value
	if null(n) {
		text = ""
	}
	value, err := convert(text)
	if err != nil {
		return nil, o.at(n, "%s: the value of %.80q %w", name, key, err)
	}
	return value, nil
}

func null(n *yaml.Node) bool {
	return n == nil || n.Kind == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

var syntaxError = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax says where the YAML parser stopped. Its own words stay behind: some of them quote the file.
func (o *objects) syntax(err error) error {
	line := "1"
	if m := syntaxError.FindStringSubmatch(err.Error()); len(m) > 1 && m[1] != "" {
		line = m[1]
	}
	return fmt.Errorf("%s:%s: not valid YAML, here or below", o.name, line)
}
