package privileges

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// What a matrix file says about itself; both may be left out.
const (
	apiVersion = "ocp-vsphere-admin/v1"
	kind       = "PrivilegeMatrix"
	exportKind = "PrivilegeExport" // of the format json, which is no file to be used
)

// evidence is what a row may rest on.
func evidence() []string {
	return []string{"design", "code", "documentation", "user report", "inferred", EvidenceRelease}
}

// The fields of a matrix file, which [Schema] describes.
func matrixFields() []string {
	return []string{"apiVersion", "kind", "name", "description", "source", "as-of", "releases", "sources", "notes", "ancestors", "components"}
}
func ancestorFields() []string  { return []string{"components", "privileges", "why", "source"} }
func componentFields() []string { return []string{"upstream", "stated", "from", "like", "grants"} }
func grantFields() []string {
	return []string{"scope", "propagate", "conditions", "grant-conditions", "preflight", "evidence", "source", "why", "privileges"}
}
func privilegeFields() []string { return []string{"id", "unknown", "why", "source", "evidence"} }
func preflightFields() []string { return []string{"group", "description"} }

// Parse reads a matrix as the package comment describes it. name stands in errors ("name:12: ...")
// and replaces a name that the file omits. The error joins everything that is wrong.
func Parse(name string, data []byte) (*Matrix, error) {
	p := parser{Reader: yamldoc.New(name, yamldoc.Rules{Closed: true, Scalars: true})}
	var m *Matrix
	if root := p.Document(data); root != nil && !p.view(root) {
		m = p.matrix(p.Object(root, yamldoc.Place{Line: root.Line}, matrixFields()...))
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

type parser struct {
	*yamldoc.Reader
	sources map[string]string
	source  string // of the matrix, for rows without their own
}

// view reports whether the document is output of privileges for reading, and names the right
// format.
func (p *parser) view(root *yaml.Node) bool {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Value == "kind" && value.Value == exportKind ||
			key.Value == "components" && value.Kind == yaml.SequenceNode {
			p.Report(key.Line, "this is a view of a matrix and no matrix file: 'privileges export --format %s' writes one", FormatMatrix)
			return true
		}
	}
	return false
}

func (p *parser) matrix(o yamldoc.Object) *Matrix {
	for field, want := range map[string]string{"apiVersion": apiVersion, "kind": kind} {
		if t := o.Text(field); o.Has(field) && !t.Bad && t.Value != want {
			p.Report(t.Line, "%s must be %s", field, want)
		}
	}
	p.sources = map[string]string{}
	sources := o.Object("sources")
	for _, name := range sources.Names {
		p.sources[name] = sources.Text(name).Value
	}
	base := filepath.Base(p.File())
	m := &Matrix{
		Name:        cmp.Or(o.Text("name").Value, strings.TrimSuffix(base, filepath.Ext(base))),
		Description: o.Text("description").Value,
		Source:      cmp.Or(p.sourceText(o), base),
		AsOf:        o.Text("as-of").Value,
		Notes:       values(o.Texts("notes")),
		Upstream:    map[component.Name]string{},
		Stated:      map[component.Name]string{},
	}
	if releases := o.Text("releases"); releases.Value != "" {
		var err error
		if m.Releases, err = parseReleases(releases.Value); err != nil {
			p.At(releases.Place, "%v", err)
		}
	}
	p.source = m.Source
	if o.Given("ancestors") {
		m.Ancestors = p.ancestors(o.Object("ancestors", ancestorFields()...))
	}
	if !o.Has("components") {
		p.Report(o.Line, "components is missing: a matrix has components with grants")
		return m
	}
	p.components(o.Object("components", component.Words(component.Names())...), m)
	return m
}

var sourceName = pattern.Of(`\$[a-zA-Z][a-zA-Z0-9-]*`)

// sourceText is the field source with every $name replaced by what sources says.
func (p *parser) sourceText(o yamldoc.Object) string {
	t := o.Text("source")
	return sourceName().ReplaceAllStringFunc(t.Value, func(ref string) string {
		if s, ok := p.sources[ref[1:]]; ok {
			return s
		}
		p.Report(t.Line, "%v", unknown("name in sources", ref[1:], slices.Sorted(maps.Keys(p.sources))))
		return ref
	})
}

func (p *parser) ancestors(o yamldoc.Object) *AncestorRule {
	a := &AncestorRule{
		Components: words(p, o, "components", "component", component.Names()),
		Privileges: values(o.Texts("privileges")),
		Why:        o.Text("why").Value,
		Source:     cmp.Or(p.sourceText(o), p.source),
	}
	if len(a.Components) == 0 || len(a.Privileges) == 0 {
		p.Report(o.Line, "ancestors needs components and privileges; omit it to grant nothing on the objects above")
	}
	return a
}

// SchemaID names the schema of a matrix file; nothing is served there.
const SchemaID = "urn:ocp-vsphere-admin:v1:privilege-matrix"

// Schema is the JSON Schema (draft-07) of a matrix file for editors. It checks the shape; [Parse]
// and [Matrix.Lint] check the rest.
func Schema() []byte {
	type object = map[string]any
	text := func(what string) object { return object{"type": "string", "description": what} }
	word := func(what string, words []string) object { return object{"enum": words, "description": what} }
	list := func(what string, of object) object {
		return object{"type": "array", "items": of, "minItems": 1, "description": what}
	}
	// The names of the fields are those that the parser reads; described has each of them.
	fields := func(what string, names []string, described object, required ...string) object {
		properties := object{}
		for _, name := range names {
			properties[name] = described[name]
		}
		o := object{"type": "object", "description": what, "properties": properties, "additionalProperties": false}
		if len(required) > 0 {
			o["required"] = required
		}
		return o
	}
	conditions := object{"enum": component.Words(Conditions())}
	id := object{"type": "string", "minLength": 1}
	source := text("who says so; $name stands for a text of sources")
	why := text("what the privilege is needed for")
	basis := word("what a row rests on", evidence())
	privilege := fields("an id with what only it has", privilegeFields(), object{
		"id": id, "unknown": object{"type": "boolean", "description": "no vCenter has it: shown, never sent"}, "why": why, "source": source, "evidence": basis,
	}, "id")
	grant := fields("privileges of one scope", grantFields(), object{
		"scope":            word("kind of object", component.Words(Scopes())),
		"propagate":        object{"type": "boolean", "description": "whether the permission reaches everything below the object"},
		"conditions":       list("in which clusters it is needed: one of them is enough. If omitted: always", conditions),
		"grant-conditions": list("where a permission can be set on the object itself. If omitted: conditions", conditions),
		"preflight": fields("a group that openshift-install checks", preflightFields(), object{
			"group": text("its name in the installer"), "description": text("the name of the object in the installer's error"),
		}, preflightFields()...),
		"evidence": basis, "source": source, "why": why,
		"privileges": list("ids as the vSphere API spells them", object{"anyOf": []object{id, privilege}}),
	}, "scope", "propagate", "privileges")
	one := fields("what one component needs", componentFields(), object{
		"upstream": text("what the source calls the component"),
		"stated":   text("how many privileges the source says that it needs, such as ~35"),
		"from":     word("embedded matrix whose rows of this component come first", Names()),
		"like":     word("component of this file whose rows come first", component.Words(component.Names())),
		"grants":   object{"type": "array", "items": grant, "description": "its grants, after those of from or like"},
	})
	of := object{}
	for _, name := range component.Names() {
		of[string(name)] = one
	}
	s := fields("Which privilege each component of OpenShift needs on which kind of vCenter object, and why.", matrixFields(), object{
		"apiVersion": object{"const": apiVersion}, "kind": object{"const": kind},
		"name":        text("what it is called. If omitted: the name of the file"),
		"description": text("what it is for"),
		"source":      text("who says so; stands in for grants without a source"),
		"as-of":       text("the day of its source, 2026-09-18"),
		"releases":    text("releases of OpenShift that it holds for: >=4.18 <5.0"),
		"sources":     object{"type": "object", "additionalProperties": object{"type": "string"}, "description": "texts for $name in a source"},
		"notes":       object{"type": "array", "items": object{"type": "string"}, "description": "sentences for its readers"},
		"ancestors": fields("privileges on the containers above each granted object", ancestorFields(), object{
			"components": list("the components that get them", object{"enum": component.Words(component.Names())}),
			"privileges": list("ids, such as System.Read", id), "why": why, "source": source,
		}, "components", "privileges"),
		"components": object{"type": "object", "properties": of, "additionalProperties": false, "minProperties": 1},
	}, "components")
	s["$schema"], s["$id"], s["title"] = "http://json-schema.org/draft-07/schema#", SchemaID,
		"Privilege matrix of ocp-vsphere-admin"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil { // plain values into memory
		panic(fmt.Sprintf("privileges: schema: %v", err))
	}
	return b.Bytes()
}
