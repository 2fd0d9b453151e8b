package privileges

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// pages are the templates, each named like its output. They quote each name, or put it on one line
// of a comment.
//
//go:embed export/*.tmpl
var pages embed.FS

type role struct {
	RoleDef
	ByScope []scopeGroup
}

// About says what the role is for.
func (r role) About() string {
	text := fmt.Sprintf("%s, on %s", r.Component, strings.Join(component.Words(r.Scopes), ", "))
	if r.Propagate {
		return text + "; its permission propagates"
	}
	return text + "; its permission does not propagate"
}

// scopeGroup is the part of a role's privileges that one scope asks for.
type scopeGroup struct {
	Scope      Scope
	Privileges []privilege
}

type privilege struct {
	ID   string
	Last bool // of the role
}

func (e *export) script(f Format) (string, error) {
	roles := make([]role, len(e.o.Roles))
	for i, d := range e.o.Roles {
		roles[i] = role{d, d.byScope()}
	}
	file := map[Format]string{
		FormatGovc: "govc.sh.tmpl", FormatPowerCLI: "powercli.ps1.tmpl", FormatTerraform: "terraform.tf.tmpl", FormatAnsible: "ansible.yaml.tmpl",
	}[f]
	return fill(file, struct {
		*Matrix
		Assumed  string
		VCenters []Address
		Roles    []role
		Omitted  []string // see omitted
	}{e.m, e.assumed(), e.o.VCenters, roles, e.omitted()})
}

// byScope groups a role's privileges by the first of its scopes that asks for them.
func (d RoleDef) byScope() []scopeGroup {
	groups := make([]scopeGroup, len(d.Scopes))
	for i, s := range d.Scopes {
		groups[i].Scope = s
	}
	for _, id := range d.Privileges {
		at := slices.IndexFunc(d.Scopes, func(s Scope) bool {
			return slices.ContainsFunc(d.Rows, func(r Row) bool { return r.Privilege == id && r.Scope == s })
		})
		at = max(at, 0) // a template has no rows of its own scope
		groups[at].Privileges = append(groups[at].Privileges, privilege{ID: id})
	}
	groups = slices.DeleteFunc(groups, func(g scopeGroup) bool { return len(g.Privileges) == 0 })
	last := groups[len(groups)-1].Privileges // a role has one at least
	last[len(last)-1].Last = true
	return groups
}

func fill(file string, data any) (string, error) {
	t := template.New(file)
	var used sources
	t.Funcs(template.FuncMap{
		"sh": script.Sh, "ps1": script.Ps1, "hcl": script.HCL, "ansible": script.Ansible, "md": md, "ui": UIName,
		"line":    func(parts ...string) string { return oneLine(strings.Join(parts, "")) },
		"bare":    func(sentence string) string { return strings.TrimSuffix(sentence, ".") },
		"next":    func(i int) int { return i + 1 },
		"mark":    used.mark,
		"sources": func() []string { return used },
		"column":  func(g scopeGroup) ([]string, error) { return column(t, g) },
	})
	var out strings.Builder
	if _, err := t.ParseFS(pages, "export/head.tmpl", "export/"+file); err != nil {
		return "", err
	}
	err := t.Execute(&out, data)
	return out.String(), err
}

// column writes privileges as the page does, the vSphere Client's names as comments in one column.
func column(t *template.Template, g scopeGroup) ([]string, error) {
	lines := make([]string, len(g.Privileges))
	width := 0
	for i, p := range g.Privileges {
		var line strings.Builder
		if err := t.ExecuteTemplate(&line, "privilege", p); err != nil {
			return nil, err
		}
		lines[i] = line.String()
		width = max(width, len(lines[i]))
	}
	for i, p := range g.Privileges {
		if ui := UIName(p.ID); ui != "" {
			lines[i] = fmt.Sprintf("%-*s # %s", width, lines[i], ui)
		}
	}
	return lines, nil
}

// oneLine keeps a text from leaving the comment that it stands in.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cf)
	}), " ")
}
