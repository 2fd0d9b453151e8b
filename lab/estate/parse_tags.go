package estate

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// tags reads the tags, of objects that are listed or come with others.
func (p *places) tags(o yamldoc.Object) {
	items, _ := o.List("tags")
	lines := map[[2]string]int{}
	for _, item := range items {
		f := item.Object("category", "name", "objects")
		category, name := f.Text("category"), f.Text("name")
		p.missing(category)
		if f.Has("objects") { // else it is a category without a tag
			p.missing(name)
		}
		key := [2]string{category.Value, name.Value}
		if line := lines[key]; line > 0 {
			p.At(name.Place, "%s is listed twice in category %s, first on line %d: list all its objects there", hint.Quote(name.Value), hint.Quote(category.Value), line)
		}
		lines[key] = name.Line
		t := Tag{Category: category.Value, Name: name.Value}
		objects, _ := f.Texts("objects")
		for _, at := range objects {
			if p.at[at.Value] == nil {
				p.At(at.Place, "nothing is listed at %s: list it under objects", hint.Quote(at.Value))
			}
			t.Objects = append(t.Objects, at.Value)
		}
		p.v.Tags = append(p.v.Tags, t)
	}
}
