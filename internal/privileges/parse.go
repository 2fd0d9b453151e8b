package privileges

import (
	"cmp"
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

// Parse reads a matrix; name stands for it in errors ("name:12: ...") and, without directory and extension, for a name that the
// file leaves out. The shape is described in the package comment. The error joins everything that is wrong.
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

// view reports whether a document is one that privileges prints to be read by people or programs, and says what writes a file.
func (p *parser) view(root *yaml.Node) bool {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Value == "kind" && value.Value == exportKind || key.Value == "components" && value.Kind == yaml.SequenceNode {
			p.Report(key.Line, "this is a view of a matrix and no matrix file: 'privileges export --format %s' writes one", FormatMatrix)
			return true
		}
	}
	return false
}

type parser struct {
	*yamldoc.Reader
	sources map[string]string
	source  string // of the matrix, for rows without their own
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
