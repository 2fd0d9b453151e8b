package spec

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Type is what a field of the provisioning file holds.
type Type string

// The types, as the reference names them.
const (
	Text        Type = "text"
	Number      Type = "whole number"
	Truth       Type = "true or false"
	Texts       Type = "list of text"
	Object      Type = "fields"
	Objects     Type = "list of fields"
	ByComponent Type = "fields, by component" // the names are those of components
)

// Field describes a field of the provisioning file. The reader, the JSON Schema ([Schema]) and the
// reference page are all made from these descriptions.
type Field struct {
	Name     string
	Type     Type
	Required bool
	Text     string  // what it says
	Omitted  string  // what leaving it out means; "" only with Required or Default
	Default  any     // value if omitted: a string, int or bool; nil = none
	Values   []Value // the words that it takes, or those that an entry of the list takes; none = any
	Path     bool    // besides those words: the path of a file
	Distinct bool    // the same twice is an error
	Pattern  string  // a regular expression for Go and JSON Schema
	Min, Max int     // of a number
	Example  string  // a value in YAML
	Fields   []Field // of Object, of an entry of Objects, of each component
}

// Value is a word that a field takes.
type Value struct {
	Word string
	Text string // what it means; "" = the word says it
}

// Fields describe a provisioning file, as the fields of one object.
func Fields() Field {
	return Field{
		Type: Object, Required: true,
		Text: "What ocp-vsphere-admin provisions on vCenters for one OpenShift cluster: accounts, roles and permissions. It holds no password.",
		Fields: slices.Concat(clusterFields(), []Field{
			privilegesField(), accountsField(), secretsField(),
			componentsField(), vcentersField(), reconciledUpdatesField(),
		}),
	}
}

// Field finds a field of an object, an entry or a component; one without a name if it has none.
func (f Field) Field(name string) Field {
	i := slices.IndexFunc(f.Fields, func(below Field) bool { return below.Name == name })
	if i < 0 {
		return Field{}
	}
	return f.Fields[i]
}

// Names are those of the fields that an object, an entry or a component may have.
func (f Field) Names() []string {
	var names []string
	for _, below := range f.Fields {
		names = append(names, below.Name)
	}
	return names
}

// Words are the words of Values.
func (f Field) Words() []string {
	var words []string
	for _, v := range f.Values {
		words = append(words, v.Word)
	}
	return words
}

// Keys are the names that may stand below the field: those of its fields, or those of components.
func (f Field) Keys() []string {
	switch f.Type {
	case ByComponent:
		return component.Words(component.Names())
	case Object, Objects:
		return f.Names()
	}
	return nil
}
