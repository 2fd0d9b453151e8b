package privileges

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// csv writes a table for spreadsheets, a line per row of the matrix.
func (e *export) csv() string {
	var out strings.Builder
	w := csv.NewWriter(&out)
	write := func(record ...string) { _ = w.Write(record) } // into memory: it cannot fail
	write("matrix", "component", "scope", "privilege", "vsphere_client", "propagate", "conditions", "sent", "role", "evidence", "why", "source")
	for _, r := range e.kept() {
		write(e.m.Name, string(r.Component), string(r.Scope), r.Privilege, UIName(r.Privilege), strconv.FormatBool(r.Propagate),
			strings.Join(component.Words(r.Conditions), " "), strconv.FormatBool(!r.Unknown), e.roleOf(r), r.Evidence, r.Why, r.Source)
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
			r.Component, r.Scope, r.Privilege, UIName(r.Privilege), r.Propagate, r.Conditions, r.Unknown, e.roleOf(r), r.Evidence, r.Why, r.Source,
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
