package privileges

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

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

// matrix writes the rows as a matrix file of one's own, to be edited and used with --matrix. It holds every row itself: it starts
// from no other matrix. An embedded matrix's name is left out, because a file may not have it.
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
	return r.Component == o.Component && r.Scope == o.Scope && r.Propagate == o.Propagate && r.Evidence == o.Evidence && r.Source == o.Source &&
		r.Why == o.Why && slices.Equal(r.Conditions, o.Conditions) && slices.Equal(r.GrantConditions, o.GrantConditions)
}

// beginsWith reports whether a row is the first of the group's grant.
func (g PreflightGroup) beginsWith(r Row) bool {
	return g.Scope == r.Scope && len(g.Privileges) > 0 && g.Privileges[0] == r.Privilege && slices.Equal(g.Conditions, r.Conditions)
}
