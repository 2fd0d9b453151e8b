// Package tags is about the tags by which OpenShift knows the regions and zones of its machines: it
// reads them and adds missing ones. It removes none, because others use them.
package tags

import (
	"context"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/mo"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
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

// Purpose is the description of its category.
func (t Tag) Purpose() string {
	return map[string]string{Region: "OpenShift region", Zone: "OpenShift zone"}[t.Category]
}

// Has reports whether there is a category.
func (s *State) Has(category string) bool { return s.categories[category] != "" }

// At are an object's own tags of a category, else those of the nearest object above with any.
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

// Read reads the two categories with their tags, and those of the objects and all above them.
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
	From   *inventory.Object // where components begin to look for it, upwards; nil = at Object
	For    string            // the failure domain
}

// way are the objects where components look before or when they come to that of a want.
func (w Want) way() (all []*inventory.Object) {
	if w.Object == nil || w.From == nil || w.From == w.Object {
		return []*inventory.Object{w.Object}
	}
	for at := w.From; at != nil && at != w.Object; at = at.Parent {
		all = append(all, at)
	}
	return append(all, w.Object)
}

// Step is a change with what it is for.
type Step struct {
	*plan.Change
	Want
}

// Diff returns the missing tags. An object with its own other tag of the category is skipped with a
// finding, because a component would find two, and so is one with another tag below.
func Diff(wants []Want, have *State) (steps []Step, stays []*finding.Finding) {
	made := map[string]bool{}
	for _, w := range wants {
		c := &plan.Change{Verb: plan.Create, Kind: plan.Tag, Name: w.Tag.String()}
		if w.Object != nil {
			c.Object = w.Object.Path()
		}
		other, on := have.other(w)
		switch {
		case other != "":
			f := c.Tell(finding.StaysBehind, "not attached: "+on.Path()+" has tag "+w.Category+"/"+other+
				"; if no other cluster or policy uses it there, detach it and run apply again: "+
				Detach(Tag{w.Category, other}, on))
			if !slices.ContainsFunc(stays,
				func(g *finding.Finding) bool { return *g.Object == *f.Object && g.Text == f.Text }) {
				stays = append(stays, f)
			}
			continue
		case w.Object == nil && have.ids[w.Tag] != "",
			w.Object != nil && slices.Equal(have.At(w.Object, w.Category), []Tag{w.Tag}):
			continue
		case !have.Has(w.Category) && !made[w.Category]:
			c.Note = "creates the category and the tag"
		case have.ids[w.Tag] == "" && !made[w.Tag.String()]:
			c.Note = "creates the tag"
		}
		if slices.ContainsFunc(steps, func(s Step) bool {
			return s.Tag == w.Tag && s.Change.Object == c.Object
		}) {
			continue
		}
		made[w.Category], made[w.Tag.String()] = true, true
		steps = append(steps, Step{c, w})
	}
	return steps, stays
}

// other is a tag that components would find instead of the wanted one, or beside it; "" = none.
func (s *State) other(w Want) (string, *inventory.Object) {
	for _, at := range w.way() {
		if at == nil {
			continue
		}
		for _, t := range s.own(at.Ref, w.Category) {
			if t != w.Tag {
				return t.Name, at
			}
		}
	}
	return "", nil
}

// Instead is what components find instead of the wanted tag, and its object; or nil.
func (s *State) Instead(w Want) (Tag, *inventory.Object) {
	if w.Object == nil {
		return Tag{}, nil
	}
	way := w.way()
	for _, at := range append(way, w.Object.Ancestors()...) {
		own := s.own(at.Ref, w.Category)
		for _, t := range own {
			if t != w.Tag {
				return t, at
			}
		}
		if own != nil {
			break
		}
	}
	return Tag{}, nil
}

// Detach is the command that takes a tag from an object.
func Detach(t Tag, o *inventory.Object) string {
	return script.Line("govc", "tags.detach", "-c", t.Category, t.Name) + " " + script.Govc(o.Path())
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

// Contradiction is that an object is to have two tags of a category. What Text says, Remedy ends.
type Contradiction struct{ Text, Remedy string }

// Contradictions are those among wants for an object and category: a machine has one of each.
func Contradictions(wants []Want) (all []Contradiction) {
	for i, w := range wants {
		if w.Object == nil || slices.ContainsFunc(wants[:i], func(v Want) bool {
			return v.Object == w.Object && v.Category == w.Category
		}) {
			continue
		}
		if c := contradiction(wants, w.Object, w.Category); c != nil {
			all = append(all, *c)
		}
	}
	return all
}

func contradiction(wants []Want, on *inventory.Object, category string) *Contradiction {
	var order []Tag
	domains := map[Tag][]string{}
	for _, w := range wants {
		if w.Category == category && slices.Contains(w.way(), on) {
			order = lists.AppendNew(order, w.Tag)
			domains[w.Tag] = lists.AppendNew(domains[w.Tag], w.For)
		}
	}
	if len(order) < 2 {
		return nil
	}
	var values []string
	for _, t := range order {
		noun := " (failure domain "
		if len(domains[t]) > 1 {
			noun = " (failure domains "
		}
		values = append(values, t.String()+noun+strings.Join(domains[t], ", ")+")")
	}
	remedy := "give these failure domains the same region, or place them in different datacenters"
	if category == Zone {
		remedy = "give these failure domains the same zone, place them in different clusters, " +
			"or make their zones host groups (hostGroup: true)"
	}
	return &Contradiction{on.Path() + " cannot have both " + strings.Join(values, " and "), remedy}
}
