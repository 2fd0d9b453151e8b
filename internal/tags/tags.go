// Package tags is the tags by which OpenShift knows the regions and zones of its machines: what a vCenter has of them, and what
// gives objects those that are missing. It takes none away: other clusters, policies and people use them.
package tags

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/mo"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// The categories that OpenShift looks for, by these names (openshift/installer, pkg/types/vsphere).
const (
	Region = "openshift-region"
	Zone   = "openshift-zone"
)

// Categories are both, in the order in which they are planned.
func Categories() []string { return []string{Region, Zone} }

// State is what a vCenter has of the two categories.
type State struct {
	categories map[string]string       // ids by name
	ids        map[Tag]string          // of the tags
	on         map[inventory.Ref][]Tag // of the objects that were asked about
}

// Tag is one of a category.
type Tag struct{ Category, Name string }

// String is the tag as plans name it.
func (t Tag) String() string { return t.Category + "/" + t.Name }

// Has reports whether there is a category.
func (s *State) Has(category string) bool { return s.categories[category] != "" }

// At are the tags of a category that an object has itself, or else those of the nearest object above it that has any: OpenShift's
// components look from an object upwards.
func (s *State) At(o *inventory.Object, category string) []Tag {
	for _, at := range append([]*inventory.Object{o}, o.Ancestors()...) {
		if own := s.own(at.Ref, category); own != nil {
			return own
		}
	}
	return nil
}

func (s *State) own(ref inventory.Ref, category string) (own []Tag) {
	for _, t := range s.on[ref] {
		if t.Category == category {
			own = append(own, t)
		}
	}
	return own
}

// Read reads the two categories with their tags, and which of these the objects and those above them have.
func Read(ctx context.Context, session *vcenter.Session, objects []*inventory.Object) (*State, error) {
	api, err := session.REST(ctx)
	if err != nil {
		return nil, err
	}
	m := tags.NewManager(api)
	s := &State{categories: map[string]string{}, ids: map[Tag]string{}, on: map[inventory.Ref][]Tag{}}
	names, err := s.read(ctx, m)
	if err != nil {
		return nil, session.ExplainREST(err, "System.Read on the root folder")
	}
	if len(names) == 0 { // then no object has one
		return s, nil
	}
	var refs []mo.Reference
	asked := map[inventory.Ref]bool{}
	for _, o := range objects {
		for _, at := range append([]*inventory.Object{o}, o.Ancestors()...) {
			if at.Known() && !asked[at.Ref] {
				asked[at.Ref] = true
				refs = append(refs, vcenter.MOR(at.Ref))
			}
		}
	}
	if len(refs) == 0 {
		return s, nil
	}
	attached, err := m.ListAttachedTagsOnObjects(ctx, refs)
	if err != nil {
		return nil, session.ExplainREST(err, "System.Read on the objects")
	}
	for _, a := range attached {
		ref := vcenter.Ref(a.ObjectID.Reference())
		for _, id := range a.TagIDs {
			if t, ours := names[id]; ours {
				s.on[ref] = append(s.on[ref], t)
			}
		}
	}
	return s, nil
}

// read reads the categories and their tags, which it gives by their ids.
func (s *State) read(ctx context.Context, m *tags.Manager) (map[string]Tag, error) {
	categories, err := m.GetCategories(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]Tag{}
	for _, c := range categories {
		if !slices.Contains(Categories(), c.Name) {
			continue
		}
		s.categories[c.Name] = c.ID
		list, err := m.GetTagsForCategory(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			names[t.ID] = Tag{c.Name, t.Name}
			s.ids[names[t.ID]] = t.ID
		}
	}
	return names, nil
}

// Want is a tag that an object is to have; without one, a tag that is to exist.
type Want struct {
	Tag
	Object *inventory.Object
}

// Step is a change with what it is for.
type Step struct {
	*plan.Change
	Want
}

// Diff says which tags are missing. An object that has, itself, another tag of the category is left as it is, and a note says so: a
// component would find two, and whose the other is nobody knows.
func Diff(wants []Want, have *State) (steps []Step) {
	made := map[string]bool{}
	for _, w := range wants {
		c := &plan.Change{Verb: plan.Create, Kind: plan.Tag, Name: w.Tag.String()}
		if w.Object != nil {
			c.Object = w.Object.Path()
		}
		own := []Tag{}
		if w.Object != nil {
			own = have.own(w.Object.Ref, w.Category)
		}
		switch {
		case slices.ContainsFunc(steps, func(s Step) bool { return s.Tag == w.Tag && s.Change.Object == c.Object }):
			continue
		case w.Object == nil && have.ids[w.Tag] != "", w.Object != nil && slices.Equal(have.At(w.Object, w.Category), []Tag{w.Tag}):
			continue
		case len(own) > 0:
			c.Verb, c.Differs, c.Note = plan.Note, true, "not attached: "+c.Object+" has tag "+own[0].String()
		case !have.Has(w.Category) && !made[w.Category]:
			c.Note = "creates the category and the tag"
		case have.ids[w.Tag] == "" && !made[w.Tag.String()]:
			c.Note = "creates the tag"
		}
		if c.Acts() {
			made[w.Category], made[w.Tag.String()] = true, true
		}
		steps = append(steps, Step{c, w})
	}
	return steps
}

// Changes are those of steps.
func Changes(steps []Step) (all []*plan.Change) {
	for _, s := range steps {
		all = append(all, s.Change)
	}
	return all
}

// InPlace reports whether what a change of a plan makes is there already.
func (s *State) InPlace(c *plan.Change, o *inventory.Object) bool {
	for t := range s.ids {
		if t.String() == c.Name {
			return c.Object == "" || o != nil && slices.Contains(s.At(o, t.Category), t)
		}
	}
	return false
}
