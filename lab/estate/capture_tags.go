package estate

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/vapi/tags"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// readTags reads all tags with what they are attached to, and the names of their categories by id.
func readTags(ctx context.Context, s *vcenter.Session) (all []tags.AttachedObjects, categories map[string]string, err error) {
	api, err := s.REST(ctx)
	if err != nil {
		return nil, nil, err
	}
	m := tags.NewManager(api)
	list, err := m.GetCategories(ctx)
	if err != nil {
		return nil, nil, s.ExplainREST(err, "System.Read on the root folder")
	}
	categories = map[string]string{}
	var ids []string
	names := map[string]*tags.Tag{}
	for _, c := range list {
		categories[c.ID] = c.Name
		of, err := m.GetTagsForCategory(ctx, c.ID)
		if err != nil {
			return nil, nil, s.ExplainREST(err, "System.Read on the root folder")
		}
		for i := range of {
			ids, names[of[i].ID] = append(ids, of[i].ID), &of[i]
		}
	}
	if ids == nil {
		return nil, categories, nil
	}
	all, err = m.ListAttachedObjectsOnTags(ctx, ids)
	for i := range all {
		all[i].Tag = names[all[i].TagID]
	}
	return all, categories, s.ExplainREST(err, "System.Read on the root folder")
}

// tags fills in the tags, with what is listed of the objects that have them, and the categories
// without a tag.
func (c *capture) tags(o *objects, all []tags.AttachedObjects, categories map[string]string) {
	left, used := 0, map[string]bool{}
	for _, a := range all {
		if a.Tag == nil {
			continue
		}
		t := Tag{Category: categories[a.Tag.CategoryID], Name: a.Tag.Name}
		if !writable(t.Category) || !writable(t.Name) {
			c.note("tag %q of category %q is omitted: the name cannot be written", t.Name, t.Category)
			continue
		}
		for _, ref := range a.ObjectIDs {
			at := o.tree.Object(vcenter.Ref(ref.Reference()))
			if at == nil || !o.listed[at] {
				left++
				continue
			}
			t.Objects = append(t.Objects, o.paths[at])
		}
		slices.Sort(t.Objects)
		t.Objects = slices.Compact(t.Objects)
		used[t.Category] = true
		c.v.Tags = append(c.v.Tags, t)
	}
	for _, category := range categories {
		if !used[category] && writable(category) {
			c.v.Tags = append(c.v.Tags, Tag{Category: category})
		}
	}
	if left > 0 {
		c.note("omitted: tags of %s outside the file", term.Count(left, "object"))
	}
}
