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
	g, err := t.define(category, name)
	if err != nil {
		return err
	}
	if f := t.attach(ref, g); f != nil {
		return errors.New(f.text)
	}
	return nil
}

// Define makes a tag where it is missing, and its category, which allows several tags of an
// object; without a name, the category alone.
func (s *Service) Define(category, name string) error {
	s.tagging.mu.Lock()
	defer s.tagging.mu.Unlock()
	_, err := s.tagging.define(category, name)
	return err
}

func (t *tagging) define(category, name string) (*Tag, error) {
	c := slices.IndexFunc(t.categories, func(c *Category) bool { return c.Name == category })
	if c < 0 {
		c = len(t.categories)
		if _, f := t.addCategory(Category{Name: category, Cardinality: multiple}); f != nil {
			return nil, errors.New(f.text)
		}
	}
	if name == "" {
		return nil, nil //nolint:nilnil // a category is not a tag
	}
	of := t.categories[c].ID
	g := slices.IndexFunc(t.tags, func(g *Tag) bool { return g.Category == of && g.Name == name })
	if g < 0 {
		g = len(t.tags)
		if _, f := t.addTag(Tag{Name: name, Category: of}); f != nil {
			return nil, errors.New(f.text)
		}
	}
	return t.tags[g], nil
}

// Labels are all tags with the objects that have them, and categories without a tag, whose Name is "".
func (s *Service) Labels() (all []Label) {
	t := s.tagging
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.categories {
		own := len(all)
		for _, g := range t.tags {
			if g.Category != c.ID {
				continue
			}
			l := Label{Category: c.Name, Name: g.Name}
			for ref, ids := range t.on {
				if slices.Contains(ids, g.ID) {
					l.On = append(l.On, ref)
				}
			}
			slices.SortFunc(l.On, compareRefs)
			all = append(all, l)
		}
		if len(all) == own {
			all = append(all, Label{Category: c.Name})
		}
	}
	return all
}

// Label is a tag with the objects that have it.
type Label struct {
	Category, Name string
	On             []types.ManagedObjectReference
}
