package privileges

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// What a matrix file says about itself; both may be left out.
const (
	apiVersion = "ocp-vsphere-admin/v1"
	kind       = "PrivilegeMatrix"
)

// evidence is what a row may rest on.
func evidence() []string {
	return []string{"design", "code", "documentation", "user report", "inferred"}
}

// Parse reads a matrix; name stands for it in errors ("name:12: ...") and, without directory and extension, for a name that the
// file leaves out. The shape is described in the package comment. The error joins everything that is wrong.
func Parse(name string, data []byte) (*Matrix, error) {
	doc, err := document(name, data)
	if err != nil {
		return nil, err
	}
	p := parser{reader: reader{file: name}}
	m := p.matrix(doc)
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return m, nil
}

// document returns the one mapping of a YAML file.
func document(name string, data []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		return nil, fmt.Errorf("%s:1: the file is empty: a matrix has components with grants", name)
	case err != nil:
		return nil, syntax(name, data, err)
	}
	switch err := dec.Decode(&next); {
	case err == nil:
		return nil, fmt.Errorf("%s:%d: a second document follows: one file is one matrix", name, next.Line)
	case !errors.Is(err, io.EOF):
		return nil, syntax(name, data, err)
	}
	return doc.Content[0], nil
}

// yamlLine is where the YAML library puts the line of a syntax error, if it knows one.
var yamlLine = regexp.MustCompile(`^line ([0-9]+): `)

// anchor is the name in its complaint about an alias that nothing defines.
var anchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)

// syntax names the line of what is no YAML; for what the library has no line for, the line where it stands.
func syntax(name string, data []byte, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s:%s: %s", name, m[1], strings.TrimPrefix(text, m[0]))
	}
	at := bytes.IndexFunc(data, func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r)
	})
	if m := anchor.FindStringSubmatch(text); m != nil {
		at = bytes.Index(data, []byte("*"+m[1]))
	}
	return fmt.Errorf("%s:%d: %s", name, 1+bytes.Count(data[:max(at, 0)], []byte("\n")), text)
}

type parser struct {
	reader
	sources map[string]string
	source  string             // of the matrix, for rows without their own
	loaded  map[string]*Matrix // embedded matrices that this file starts from
}

func (p *parser) matrix(n *yaml.Node) *Matrix {
	f := p.fields(n, "the matrix", "apiVersion", "kind", "name", "description", "source", "as-of", "sources", "notes", "ancestors", "components")
	if v := f["apiVersion"]; v != nil && p.text(v, "apiVersion") != apiVersion {
		p.errorf(v, "apiVersion must be %s", apiVersion)
	}
	if v := f["kind"]; v != nil && p.text(v, "kind") != kind {
		p.errorf(v, "kind must be %s", kind)
	}
	p.readSources(f["sources"])
	base := filepath.Base(p.file)
	m := &Matrix{
		Name:        cmp.Or(p.text(f["name"], "name"), strings.TrimSuffix(base, filepath.Ext(base))),
		Description: p.text(f["description"], "description"),
		Source:      cmp.Or(p.sourceText(f["source"]), base),
		AsOf:        p.text(f["as-of"], "as-of"),
		Notes:       p.texts(f["notes"], "notes"),
		Upstream:    map[component.Name]string{},
	}
	p.source = m.Source
	m.Ancestors = p.ancestors(f["ancestors"])
	if f["components"] == nil {
		p.errorf(n, "components is missing: a matrix has components with grants")
		return m
	}
	p.components(f["components"], m)
	return m
}

func (p *parser) readSources(n *yaml.Node) {
	p.sources = map[string]string{}
	if n == nil {
		return
	}
	for _, s := range p.pairs(n, "sources", "source", nil) {
		p.sources[s.key.Value] = p.text(s.value, "a source")
	}
}

var sourceName = regexp.MustCompile(`\$[a-zA-Z][a-zA-Z0-9-]*`)

// sourceText is text with every $name replaced by what sources says.
func (p *parser) sourceText(n *yaml.Node) string {
	return sourceName.ReplaceAllStringFunc(p.text(n, "source"), func(ref string) string {
		if s, ok := p.sources[ref[1:]]; ok {
			return s
		}
		var known []string
		for k := range p.sources {
			known = append(known, k)
		}
		slices.Sort(known)
		p.errorf(n, "%w", unknown("name in sources", ref[1:], known))
		return ref
	})
}

func (p *parser) ancestors(n *yaml.Node) *AncestorRule {
	if n == nil {
		return nil
	}
	f := p.fields(n, "ancestors", "components", "privileges", "why", "source")
	a := &AncestorRule{
		Components: words(&p.reader, f["components"], "component", component.Names()),
		Privileges: p.texts(f["privileges"], "privileges"),
		Why:        p.text(f["why"], "why"),
		Source:     cmp.Or(p.sourceText(f["source"]), p.source),
	}
	if len(a.Components) == 0 || len(a.Privileges) == 0 {
		p.errorf(n, "ancestors needs components and privileges; leave it out to grant nothing on the way")
	}
	return a
}
