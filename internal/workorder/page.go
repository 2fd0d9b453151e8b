package workorder

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// pages are named as what they become. A name goes into one through a function that quotes it.
//
//go:embed page/*.tmpl
var pages embed.FS

func (o *Order) page(name string, data any) (string, error) {
	t := template.New("")
	page := func(name string, data any) (string, error) {
		var out strings.Builder
		err := t.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	var seen []string
	t.Funcs(template.FuncMap{
		"code": markdown.Code, "cell": func(v any) string { return markdown.Cell(fmt.Sprint(v)) }, "fence": markdown.Fence,
		"sh": script.Shell, "govc": script.Govc, "ps": script.PowerShell,
		"line":  func(parts ...string) string { return term.Line(strings.Join(parts, "")) },
		"join":  func(words []string) string { return term.Line(strings.Join(words, ", ")) },
		"lines": func(lines []string) string { return strings.Join(lines, "\n") },
		"words": component.Words[component.Name], "count": term.Count, "contains": strings.Contains,
		"dir": path.Dir, "base": func(p string) string { return inventory.Written(path.Base(p)) },
		"ui": privileges.UIName, "implicit": privileges.ImplicitIDs, "rules": rules, "privileges": rows, "purpose": purpose,
		"description": func(a *Account) string { // without our mark: it belongs to its makers
			return "OpenShift cluster " + o.Spec.Cluster + ", " + strings.Join(component.Words(a.Components), ", ")
		},
		"work": func(c component.Name) string {
			of, _ := component.Find(c)
			return of.Purpose
		},
		"form": func(title string, entries []credfile.Blank) blanks {
			text, err := credfile.Template(entries)
			return blanks{title, text, err}
		},
		"page": page,
		"first": func(text string) bool {
			before := seen
			seen = append(seen, text)
			return !slices.Contains(before, text)
		},
	})
	if _, err := t.ParseFS(pages, "page/*.tmpl"); err != nil {
		return "", err
	}
	return page(name, data)
}

// blanks are a credentials file to be filled in.
type blanks struct {
	Title, Text string
	Err         error
}

// row is a privilege of a role that changes.
type row struct {
	ID, Why   string
	New, Gone bool
}

// rows are the privileges of a role, and then those that it loses.
func rows(c *plan.Change) []row {
	var all []row
	after, _ := c.After.(plan.RoleState)
	before, _ := c.Before.(plan.RoleState)
	for _, id := range after.Privileges {
		isNew := c.Verb == plan.Update && !slices.Contains(before.Privileges, id)
		all = append(all, row{ID: id, Why: because(id, c.Serves), New: isNew})
	}
	for _, id := range before.Privileges {
		if !slices.Contains(after.Privileges, id) {
			all = append(all, row{ID: id, Why: "this cluster does not need it", Gone: true})
		}
	}
	return all
}

// because is what a privilege allows, and the matrix' reasons for it.
func because(id string, rows []*privileges.Row) string {
	text := privileges.Operation(id)
	for _, r := range rows {
		if r.Privilege == id && r.Why != "" && !strings.Contains(text, r.Why) {
			text += " (" + string(r.Component) + ": " + r.Why + ")"
		}
	}
	return text
}

// purpose is why a permission stands where it does: what its role is for is said with the role.
func purpose(c *plan.Change) string {
	var who, on, parts, reading []string
	works := false
	for _, r := range c.Serves {
		who = lists.AppendNew(who, string(r.Component))
		works = works || !privileges.Implicit(r.Privilege)
		if r.Scope != access.ScopeAncestor {
			on = lists.AppendNew(on, string(r.Scope))
			if r.Why != "" {
				reading = lists.AppendNew(reading, r.Why)
			}
		}
	}
	components, scopes := strings.Join(who, ", "), strings.Join(on, ", ")
	switch {
	case len(c.Serves) == 0:
	case works:
		parts = []string{components + " works here: privileges of scope " + scopes}
	case len(on) == 0:
		parts = []string{components + " can find the objects below only if it can read this one"}
	default:
		parts = append([]string{components + " reads this " + scopes}, reading...)
	}
	if c.Note != "" {
		parts = append(parts, c.Note)
	}
	return strings.Join(parts, "; ")
}
