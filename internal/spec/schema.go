package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// SchemaID names the schema; it is not an address.
const SchemaID = "urn:ocp-vsphere-admin:v1:provisioning"

// Schema is the JSON Schema (draft-07, for editors) of a provisioning file. It accepts all that
// Parse accepts, and some that only Parse can refuse.
func Schema() []byte {
	top := schemaOf(Fields())
	top.Schema, top.ID, top.Title = "http://json-schema.org/draft-07/schema#", SchemaID,
		"Provisioning file of ocp-vsphere-admin"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(top); err != nil {
		panic(fmt.Sprintf("spec: schema: %v", err)) // it holds plain values only
	}
	return b.Bytes()
}

// schema holds the keywords that are used, in the order in which they are written.
type schema struct {
	Schema      string     `json:"$schema,omitempty"`
	ID          string     `json:"$id,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        any        `json:"type,omitempty"` // a name or a list of them
	Enum        []any      `json:"enum,omitempty"`
	AnyOf       []schema   `json:"anyOf,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	MinLength   int        `json:"minLength,omitempty"`
	Minimum     int        `json:"minimum,omitempty"`
	Maximum     int        `json:"maximum,omitempty"`
	MinItems    int        `json:"minItems,omitempty"`
	UniqueItems bool       `json:"uniqueItems,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	Default     any        `json:"default,omitempty"`
	Examples    []any      `json:"examples,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Additional  *bool      `json:"additionalProperties,omitempty"`
	Required    []string   `json:"required,omitempty"`
}

// properties keep the order of the fields.
type properties []property

type property struct {
	name string
	schema
}

// MarshalJSON implements json.Marshaler.
func (list properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, p := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", p.name) // names are letters and hyphens
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(p.schema); err != nil {
			return nil, err
		}
	}
	return []byte("{" + b.String() + "}"), nil
}

func schemaOf(f Field) schema {
	s := schema{Description: f.describe(), Default: f.Default, Examples: f.examples()}
	switch f.Type {
	case Text:
		s.Type = "string"
		f.text(&s)
	case Texts:
		s.Type, s.UniqueItems, s.Items = "array", f.Distinct, &schema{Type: "string", MinLength: 1}
		s.Items.Pattern = f.Pattern
		for _, v := range f.Values {
			s.Items.Enum = append(s.Items.Enum, v.Word)
		}
	case Number:
		s.Type, s.Minimum, s.Maximum = "integer", f.Min, f.Max
	case Truth:
		s.Type = "boolean"
	case Object:
		s.object(f)
	case Objects:
		s.Type, s.Items = "array", &schema{}
		s.Items.object(f)
	case ByComponent:
		s.Type, s.Additional = "object", new(bool)
		for _, name := range f.Keys() {
			c := schema{}
			c.object(f)
			c.Type = orNull(c.Type)
			s.Properties = append(s.Properties, property{name, c})
		}
	}
	if f.Required && (f.Type == Texts || f.Type == Objects) {
		s.MinItems = 1
	}
	if !f.Required { // a field without a value is one that is left out
		s.Type = orNull(s.Type)
	}
	return s
}

// orNull is a type, or no value.
func orNull(one any) any { return []any{one, "null"} }

// text says which texts are right. Where a field may be left out, the empty text leaves it out.
func (f Field) text(s *schema) {
	var words []any
	for _, v := range f.Values {
		words = append(words, v.Word)
	}
	if len(words) > 0 && !f.Required {
		words = append(words, "", nil)
	}
	switch {
	case f.Path:
		s.AnyOf = []schema{{Enum: words}, {Pattern: `[/\\]|\.ya?ml$`}}
	case len(words) > 0:
		s.Enum = words
	default:
		s.Pattern = f.Pattern
		if f.Required {
			s.MinLength = 1
		}
	}
}

func (s *schema) object(f Field) {
	s.Type, s.Additional = "object", new(bool)
	for _, below := range f.Fields {
		s.Properties = append(s.Properties, property{below.Name, schemaOf(below)})
		if below.Required {
			s.Required = append(s.Required, below.Name)
		}
	}
}

// describe is what an editor shows beside the field.
func (f Field) describe() string {
	var text strings.Builder
	text.WriteString(f.Text)
	if f.Omitted != "" {
		text.WriteString(" If omitted: " + f.Omitted + ".")
	}
	for _, v := range f.Values {
		if v.Text != "" {
			text.WriteString("\n- " + v.Word + ": " + v.Text)
		}
	}
	return strings.ReplaceAll(text.String(), "`", "'")
}

func (f Field) examples() []any {
	if f.Example == "" {
		return nil
	}
	var value any
	if err := yaml.Unmarshal([]byte(f.Example), &value); err != nil {
		panic(fmt.Sprintf("spec: example of %s: %v", f.Name, err)) // it is a constant, and a test reads each
	}
	return []any{value}
}
