package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// KindCommon is the kind of a file that several provisioning files name as common.
const KindCommon = "CommonSettings"

// commonFields are the fields of a common file: none that belongs to one cluster.
func commonFields() []string {
	return []string{"apiVersion", "kind", "credentialsFile", "linkedGroup", "profile", "privileges", "accounts", "secrets", "components"}
}

// kindOf is the kind that a file says it is.
func kindOf(data []byte) string {
	var head struct{ Kind string }
	_ = yaml.Unmarshal(data, &head) // what is no YAML says none
	return head.Kind
}

// Accompanies reports whether the file at path is a common file or a state file.
func Accompanies(path string, data []byte) bool {
	kind := kindOf(data)
	return kind == KindCommon || kind != Kind && strings.HasSuffix(path, stateEnd)
}

// underlay adds the fields of the common file that root names to those of root; privileges,
// accounts, secrets and components are merged field by field, lists are not. The path begins at the
// directory of the provisioning file.
func (r *reader) underlay(root *yaml.Node) (*yaml.Node, error) {
	_, named := fieldOf(root, "common")
	if named == nil || yamldoc.IsNull(named) || named.Kind != yaml.ScalarNode {
		return root, nil // anything else is reported where fields are read
	}
	path := named.Value
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.File()), path)
	}
	data, err := files.UTF8(files.Read(path, files.Text, files.Regular))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s does not exist: create it, with kind: %s, or correct the path", path, KindCommon)
		}
		r.At(yamldoc.Place{Line: named.Line, Path: "common"}, "%s", err)
		return root, nil
	}
	common, err := parseCommon(path, data)
	if err != nil {
		return nil, err
	}
	return over(root, common), nil
}

// parseCommon reads such a file, and says what is wrong in it by itself.
func parseCommon(path string, data []byte) (*yaml.Node, error) {
	common := kindOf(data) == KindCommon // else the text of another file is not repeated
	r := &reader{Reader: yamldoc.New(path, yamldoc.Rules{Closed: common, Unknown: notCommon})}
	root := r.Document(data)
	if root == nil {
		return nil, r.Err()
	}
	o := r.Object(root, yamldoc.Place{Line: 1}, commonFields()...)
	r.header(o, KindCommon)
	if !common {
		return nil, r.Err()
	}
	s := blank()
	r.clusterSettings(o, s)
	if privileges := o.Object("privileges"); privileges.Given("added") {
		r.At(privileges.Where("added"), "is of one cluster: write it into the provisioning file")
	}
	components := o.Object("components")
	for _, name := range components.Names {
		if c := components.Object(name); c.Given("disabled") {
			r.At(c.Where("disabled"), "is of one cluster: write it into the provisioning file")
		}
	}
	if err := r.Err(); err != nil {
		return nil, hint.Wrap(err,
			"it may have "+strings.Join(commonFields()[2:], ", ")+", as in a provisioning file")
	}
	return root, nil
}

// notCommon is the remedy for a field that belongs into another file.
func notCommon(field string) string {
	if slices.Contains(Fields().Names(), field) {
		return "; it is of one cluster: write it into the provisioning file"
	}
	return noCredentials(field)
}

// over gives the fields of own and, as a merge key, those of below that own lacks, in a new node.
func over(own, below *yaml.Node) *yaml.Node {
	own, below = target(own), target(below)
	if own.Kind != yaml.MappingNode || below.Kind != yaml.MappingNode {
		return own
	}
	out := *own
	out.Content = nil
	for i := 0; i+1 < len(own.Content); i += 2 {
		key, value := own.Content[i], own.Content[i+1]
		_, behind := fieldOf(below, key.Value)
		switch {
		case behind == nil:
		case yamldoc.IsNull(target(value)): // as if it were left out
			continue
		default:
			value = over(value, behind)
		}
		out.Content = append(out.Content, key, value)
	}
	head := []string{"apiVersion", "kind"}
	rest := *below
	rest.Content = nil
	for i := 0; i+1 < len(below.Content); i += 2 {
		if !slices.Contains(head, below.Content[i].Value) {
			rest.Content = append(rest.Content, below.Content[i], below.Content[i+1])
		}
	}
	out.Content = append(out.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!merge", Value: "<<", Line: own.Line}, &rest)
	return &out
}

// target is what an alias stands for.
func target(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
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
