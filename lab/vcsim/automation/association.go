package automation

import (
	"maps"
	"net/http"
	"slices"

	"github.com/vmware/govmomi/vim25/types"
)

// associationOperations are those of tags on objects.
var associationOperations = []operation{
	{method: http.MethodPost, path: taggingPath + "tag-association/{}", action: "attach", id: taggingID + "tag_association.attach", serve: (*Service).attach},
	{method: http.MethodPost, path: taggingPath + "tag-association/{}", action: "detach", id: taggingID + "tag_association.detach", serve: (*Service).detach},
	{method: http.MethodPost, path: taggingPath + "tag-association", action: "list-attached-tags", id: taggingID + "tag_association.list_attached_tags", serve: (*Service).listAttachedTags},
	{method: http.MethodPost, path: taggingPath + "tag-association", action: "list-attached-tags-on-objects", id: taggingID + "tag_association.list_attached_tags_on_objects", serve: (*Service).listAttachedTagsOnObjects},
	{method: http.MethodPost, path: taggingPath + "tag-association/{}", action: "list-attached-objects", id: taggingID + "tag_association.list_attached_objects", serve: (*Service).listAttachedObjects},
	{method: http.MethodPost, path: taggingPath + "tag-association", action: "list-attached-objects-on-tags", id: taggingID + "tag_association.list_attached_objects_on_tags", serve: (*Service).listAttachedObjectsOnTags},
}

// TagsIn gives the names of the tags that an object has in a category, which is given by its name.
func (s *Service) TagsIn(ref types.ManagedObjectReference, category string) (names []string) {
	s.tagging.mu.Lock()
	defer s.tagging.mu.Unlock()
	for _, id := range s.tagging.on[ref] {
		if g := s.tagging.tag(id); s.tagging.category(g.Category).Name == category {
			names = append(names, g.Name)
		}
	}
	return names
}

// object is an object of the inventory as the API names it.
type object struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

func (o object) ref() types.ManagedObjectReference {
	return types.ManagedObjectReference{Type: o.Type, Value: o.ID}
}

// tagged is an object with its tags.
type tagged struct {
	Object object   `json:"object_id"`
	Tags   []string `json:"tag_ids"`
}

// object reads the object that a call names.
func (s *Service) object(c *call) (types.ManagedObjectReference, *failure) {
	var in struct {
		Object *object `json:"object_id"`
	}
	if f := decode(c, &in); f != nil {
		return types.ManagedObjectReference{}, f
	}
	if in.Object == nil || !s.Inventory.Exists(in.Object.ref()) {
		return types.ManagedObjectReference{}, failed(notFound, "There is no such object.")
	}
	return in.Object.ref(), nil
}

// associate begins a change of the tags of an object: it needs AttachTag where a tag's rights are checked, and ObjectAttachable on
// the object. Which of several tags a change of one is for does not matter to the rights.
func (s *Service) associate(c *call) (ref types.ManagedObjectReference, g *Tag, f *failure) {
	if ref, f = s.object(c); f != nil {
		return ref, nil, f
	}
	if f := s.begin(c, append(onRoot(attachTag), Need{ref, attachable})...); f != nil {
		return ref, nil, f
	}
	if g = s.tagging.tag(c.args[0]); g == nil {
		s.tagging.mu.Unlock()
		return ref, nil, failed(notFound, "There is no tag "+c.args[0]+".")
	}
	return ref, g, nil
}

func (s *Service) attach(c *call) (any, *failure) {
	ref, g, f := s.associate(c)
	if f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	return nil, s.tagging.attach(ref, g)
}

// attach gives an object a tag; twice is no error.
func (t *tagging) attach(ref types.ManagedObjectReference, g *Tag) *failure {
	of := t.category(g.Category)
	other := slices.ContainsFunc(t.on[ref], func(id string) bool { return id != g.ID && t.tag(id).Category == of.ID })
	switch {
	case !takes(*of, ref.Type):
		return failed(invalidArgument, "Tags of category "+of.Name+" are not for objects of type "+ref.Type+".")
	case of.Cardinality == single && other:
		return failed(invalidArgument, "The object has another tag of category "+of.Name+" already.")
	case !slices.Contains(t.on[ref], g.ID):
		t.on[ref] = append(t.on[ref], g.ID)
	}
	return nil
}

func (s *Service) detach(c *call) (any, *failure) {
	ref, g, f := s.associate(c)
	if f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	s.tagging.drop(ref, g.ID)
	return nil, nil //nolint:nilnil // neither a result nor an error
}

// listAttachedTags needs to read the object; that it is refused otherwise, and not empty, is inferred.
func (s *Service) listAttachedTags(c *call) (any, *failure) {
	ref, f := s.object(c)
	if f != nil {
		return nil, f
	}
	if f := s.begin(c, Need{ref, read}); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	return append([]string{}, s.tagging.on[ref]...), nil
}

// listAttachedTagsOnObjects leaves out objects without tags, and those that the caller may not read.
func (s *Service) listAttachedTagsOnObjects(c *call) (any, *failure) {
	var in struct {
		Objects []object `json:"object_ids"`
	}
	if f := decode(c, &in); f != nil {
		return nil, f
	}
	var readable []object
	for _, o := range in.Objects {
		known := !slices.Contains(readable, o) && s.Inventory.Exists(o.ref())
		if known && s.need(c, Need{o.ref(), read}) == nil {
			readable = append(readable, o)
		}
	}
	s.tagging.mu.Lock()
	defer s.tagging.mu.Unlock()
	found := []tagged{}
	for _, o := range readable {
		if ids := s.tagging.on[o.ref()]; len(ids) > 0 {
			found = append(found, tagged{o, slices.Clone(ids)})
		}
	}
	return found, nil
}

// listAttachedObjects leaves out those that the caller may not read.
func (s *Service) listAttachedObjects(c *call) (any, *failure) {
	found, f := s.attachedObjects(c, c.args[:1])
	if f != nil {
		return nil, f
	}
	return found[0].Objects, nil
}

// tagOn is a tag with objects that have it.
type tagOn struct {
	Tag     string   `json:"tag_id"`
	Objects []object `json:"object_ids"`
}

// listAttachedObjectsOnTags is listAttachedObjects for several tags; openshift-install finds what it removes by it.
func (s *Service) listAttachedObjectsOnTags(c *call) (any, *failure) {
	var in struct {
		Tags []string `json:"tag_ids"`
	}
	if f := decode(c, &in); f != nil {
		return nil, f
	}
	return s.attachedObjects(c, in.Tags)
}

func (s *Service) attachedObjects(c *call, tags []string) ([]tagOn, *failure) {
	if f := s.begin(c, onRoot(read)...); f != nil {
		return nil, f
	}
	found := []tagOn{}
	for _, tag := range tags {
		if s.tagging.tag(tag) == nil {
			s.tagging.mu.Unlock()
			return nil, failed(notFound, "There is no tag "+tag+".")
		}
		one := tagOn{tag, []object{}}
		for _, ref := range slices.SortedFunc(maps.Keys(s.tagging.on), compareRefs) {
			if slices.Contains(s.tagging.on[ref], tag) {
				one.Objects = append(one.Objects, object{ref.Type, ref.Value})
			}
		}
		found = append(found, one)
	}
	s.tagging.mu.Unlock()
	for i := range found {
		found[i].Objects = slices.DeleteFunc(found[i].Objects, func(o object) bool {
			return !s.Inventory.Exists(o.ref()) || s.need(c, Need{o.ref(), read}) != nil
		})
	}
	return found, nil
}
