package privileges

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// csv writes a table for spreadsheets, a line per row of the matrix.
func (e *export) csv() string {
	var out strings.Builder
	w := csv.NewWriter(&out)
	write := func(record ...string) { _ = w.Write(record) } // into memory: it cannot fail
	write("matrix", "component", "scope", "privilege", "vsphere_client", "propagate", "conditions",
		"sent", "role", "evidence", "why", "source")
	for _, r := range e.kept() {
		write(e.m.Name, string(r.Component), string(r.Scope), r.Privilege, UIName(r.Privilege),
			strconv.FormatBool(r.Propagate),
			strings.Join(component.Words(r.Conditions), " "), strconv.FormatBool(!r.Unknown), e.roleOf(r),
			r.Evidence, r.Why, r.Source)
	}
	w.Flush()
	return out.String()
}

// Documents of format json.
type (
	exportDocument struct {
		APIVersion string        `json:"apiVersion"`
		Kind       string        `json:"kind"`
		Matrix     string        `json:"matrix"`
		AsOf       string        `json:"asOf"`
		Source     string        `json:"source"`
		Assumed    string        `json:"assumed"` // what the roles are made for, in words
		VCenters   []string      `json:"vcenters,omitempty"`
		Roles      []roleItem    `json:"roles"`
		Rows       []rowItem     `json:"rows"`
		Ancestors  *AncestorRule `json:"ancestors,omitempty"`
	}
	roleItem struct {
		Name       string         `json:"name"`
		Component  component.Name `json:"component"`
		Scopes     []Scope        `json:"scopes"`
		Propagate  bool           `json:"propagate"`
		Privileges []string       `json:"privileges"`
	}
	rowItem struct {
		Component     component.Name `json:"component"`
		Scope         Scope          `json:"scope"`
		Privilege     string         `json:"privilege"`
		VSphereClient string         `json:"vsphereClient"`
		Propagate     bool           `json:"propagate"`
		Conditions    []Condition    `json:"conditions"`
		Unknown       bool           `json:"unknown,omitempty"`
		Role          string         `json:"role"`
		Evidence      string         `json:"evidence"`
		Why           string         `json:"why"`
		Source        string         `json:"source"`
	}
)

// json writes rows and roles for other programs.
func (e *export) json() string {
	doc := exportDocument{
		APIVersion: apiVersion, Kind: exportKind, Matrix: e.m.Name, AsOf: e.m.AsOf, Source: e.m.Source, Assumed: e.assumed(),
		Roles: []roleItem{}, Rows: []rowItem{},
	}
	for _, v := range e.o.VCenters {
		doc.VCenters = append(doc.VCenters, v.String())
	}
	for _, d := range e.o.Roles {
		doc.Roles = append(doc.Roles, roleItem{d.Name, d.Component, d.Scopes, d.Propagate, d.Privileges})
	}
	for _, r := range e.kept() {
		doc.Rows = append(doc.Rows, rowItem{
			r.Component, r.Scope, r.Privilege, UIName(r.Privilege), r.Propagate, r.Conditions, r.Unknown,
			e.roleOf(r), r.Evidence, r.Why, r.Source,
		})
	}
	doc.Ancestors = e.m.Ancestors
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil { // plain values into memory
		panic(fmt.Sprintf("privileges: export: %v", err))
	}
	return out.String()
}

// section holds what one component needs on one kind of object.
type section struct {
	Component component.Name
	First     bool   // of the component
	Upstream  string // what the component is called there, where that is another name
	Scope     Scope
	Rows      []Row
}

// markdown writes a section for each component, a table for each scope and numbered sources.
func (e *export) markdown() (string, error) {
	var tables []section
	var conditions []Condition
	for _, r := range e.kept() {
		last := len(tables) - 1
		first := last < 0 || tables[last].Component != r.Component
		if first || tables[last].Scope != r.Scope {
			tables = append(tables, section{Component: r.Component, First: first, Scope: r.Scope})
			last++
			if up := e.m.Upstream[r.Component]; up != string(r.Component) {
				tables[last].Upstream = up
			}
		}
		tables[last].Rows = append(tables[last].Rows, r)
		conditions = append(conditions, r.Conditions...)
	}
	return fill("markdown.md.tmpl", struct {
		*Matrix
		Tables     []section
		Roles      []RoleDef
		Assumed    string
		Gaps       []GapRow
		Conditions []Condition // that the tables name
	}{e.m, tables, e.o.Roles, e.assumed(), GapRows(e.o.Gaps), slices.DeleteFunc(Conditions(),
		func(c Condition) bool { return !slices.Contains(conditions, c) })})
}

// sources numbers texts that many rows share.
type sources []string

func (s *sources) mark(text string) int {
	if !slices.Contains(*s, text) {
		*s = append(*s, text)
	}
	return slices.Index(*s, text) + 1
}

// md keeps a text from being Markdown or HTML, and a table's cell on its line.
func md(text any) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`, "#", `\#`,
	).Replace(oneLine(fmt.Sprint(text)))
}

// The shape of a matrix file; see the package comment.
type (
	matrixFile struct {
		APIVersion  string                          `yaml:"apiVersion"`
		Kind        string                          `yaml:"kind"`
		Name        string                          `yaml:"name,omitempty"`
		Description string                          `yaml:"description,omitempty"`
		Source      string                          `yaml:"source,omitempty"`
		AsOf        string                          `yaml:"as-of,omitempty"`
		Releases    string                          `yaml:"releases,omitempty"`
		Notes       []string                        `yaml:"notes,omitempty"`
		Ancestors   *AncestorRule                   `yaml:"ancestors,omitempty"`
		Components  map[component.Name]*grantsOfOne `yaml:"components"`
	}
	grantsOfOne struct {
		Upstream string       `yaml:"upstream,omitempty"`
		Stated   string       `yaml:"stated,omitempty"`
		Grants   []*grantFile `yaml:"grants"`
	}
	grantFile struct {
		Scope           Scope          `yaml:"scope"`
		Propagate       bool           `yaml:"propagate"`
		Conditions      []Condition    `yaml:"conditions,flow"`
		GrantConditions []Condition    `yaml:"grant-conditions,omitempty,flow"`
		Preflight       *preflightFile `yaml:"preflight,omitempty"`
		Evidence        string         `yaml:"evidence,omitempty"`
		Source          string         `yaml:"source,omitempty"`
		Why             string         `yaml:"why,omitempty"`
		Privileges      []any          `yaml:"privileges"` // an id, or an unknownID
	}
	unknownID struct {
		ID      string `yaml:"id"`
		Unknown bool   `yaml:"unknown"`
	}
	preflightFile struct {
		Group       string `yaml:"group"`
		Description string `yaml:"description"`
	}
)

// matrix writes all rows as a matrix file for --matrix. It leaves out the name of an embedded
// matrix, because a file may not use it.
func (e *export) matrix() string {
	m := e.m
	doc := matrixFile{
		APIVersion: apiVersion, Kind: kind, Name: m.Name, Description: m.Description, Source: m.Source, AsOf: m.AsOf,
		Releases: m.Releases.String(), Notes: m.Notes, Ancestors: m.Ancestors, Components: map[component.Name]*grantsOfOne{},
	}
	if slices.Contains(Names(), m.Name) {
		doc.Name = ""
	}
	groups := slices.Clone(m.Preflight)
	var last Row
	for _, r := range e.rows() {
		of := doc.Components[r.Component]
		if of == nil {
			of = &grantsOfOne{Upstream: m.Upstream[r.Component], Stated: m.Stated[r.Component]}
			doc.Components[r.Component] = of
		}
		i := slices.IndexFunc(groups, func(g PreflightGroup) bool { return g.beginsWith(r) })
		if len(of.Grants) == 0 || i >= 0 || !r.sameGrant(last) {
			of.Grants = append(of.Grants, &grantFile{
				Scope: r.Scope, Propagate: r.Propagate, Conditions: r.Conditions, GrantConditions: r.GrantConditions,
				Evidence: r.Evidence, Source: r.Source, Why: r.Why,
			})
		}
		g := of.Grants[len(of.Grants)-1]
		if i >= 0 {
			g.Preflight = &preflightFile{groups[i].Group, groups[i].Description}
			groups = slices.Delete(groups, i, i+1)
		}
		if r.Unknown {
			g.Privileges = append(g.Privileges, unknownID{r.Privilege, true})
		} else {
			g.Privileges = append(g.Privileges, r.Privilege)
		}
		last = r
	}
	var out strings.Builder
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil { // plain values into memory
		panic(fmt.Sprintf("privileges: export: %v", err))
	}
	return out.String()
}

// sameGrant reports whether one grant of a file holds both rows.
func (r Row) sameGrant(o Row) bool {
	return r.Component == o.Component && r.Scope == o.Scope && r.Propagate == o.Propagate &&
		r.Evidence == o.Evidence && r.Source == o.Source &&
		r.Why == o.Why && slices.Equal(r.Conditions, o.Conditions) &&
		slices.Equal(r.GrantConditions, o.GrantConditions)
}

// beginsWith reports whether a row is the first of the group's grant.
func (p PreflightGroup) beginsWith(r Row) bool {
	return p.Scope == r.Scope && len(p.Privileges) > 0 && p.Privileges[0] == r.Privilege &&
		slices.Equal(p.Conditions, r.Conditions)
}
