package privileges_test

import (
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// privilegeDiffPage says what the matrix default grants beyond the design.
func privilegeDiffPage(t *testing.T) string {
	t.Helper()
	var data struct {
		OnlyA, OnlyB, Both int
		Tables             [][]privileges.Difference // each of one component and scope
		Ancestors          *privileges.AncestorDifference
	}
	all, ancestors := privileges.Diff(loadMatrix(t, "enhancement"), loadMatrix(t, "default"))
	data.Ancestors = ancestors
	for i, d := range all {
		switch {
		case d.B == nil:
			data.OnlyA++
		case d.A == nil:
			data.OnlyB++
		default:
			data.Both++
		}
		if i == 0 || all[i-1].Component != d.Component || all[i-1].Scope != d.Scope {
			data.Tables = append(data.Tables, nil)
		}
		last := len(data.Tables) - 1
		data.Tables[last] = append(data.Tables[last], d)
	}
	var sources []string
	markup := strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`, "#", `\#`)
	page, err := template.New("enhancement-to-default.md.tmpl").Funcs(template.FuncMap{
		"md": markup.Replace, "ui": privileges.UIName, "sources": func() []string { return sources },
		"join": func(list any) string {
			if components, ok := list.([]component.Name); ok {
				list = component.Words(components)
			}
			return strings.Join(list.([]string), ", ")
		},
		"mark": func(source string) int {
			if !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
			return slices.Index(sources, source) + 1
		},
	}).ParseFiles("testdata/enhancement-to-default.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := page.Execute(&out, data); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
