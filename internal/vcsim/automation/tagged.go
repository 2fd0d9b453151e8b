package automation

import (
	"errors"
	"slices"

	"github.com/vmware/govmomi/vim25/types"
)

// Tag gives an object a tag, behind everybody's back. The category, which allows several tags of an object, and the tag are made where they
// are missing.
func (s *Service) Tag(ref types.ManagedObjectReference, category, name string) error {
	t := s.tagging
	t.mu.Lock()
	defer t.mu.Unlock()
	c := slices.IndexFunc(t.categories, func(c *Category) bool { return c.Name == category })
	if c < 0 {
		c = len(t.categories)
		if _, f := t.addCategory(Category{Name: category, Cardinality: multiple}); f != nil {
			return errors.New(f.text)
		}
	}
	of := t.categories[c].ID
	g := slices.IndexFunc(t.tags, func(g *Tag) bool { return g.Category == of && g.Name == name })
	if g < 0 {
		g = len(t.tags)
		if _, f := t.addTag(Tag{Name: name, Category: of}); f != nil {
			return errors.New(f.text)
		}
	}
	if f := t.attach(ref, t.tags[g]); f != nil {
		return errors.New(f.text)
	}
	return nil
}
