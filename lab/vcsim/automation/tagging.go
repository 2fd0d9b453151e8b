package automation

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/types"
)

const (
	taggingPath = "/rest/com/vmware/cis/tagging/"
	taggingID   = "com.vmware.cis.tagging."
)

// taggingOperations are the calls that OpenShift's components make, and what govc needs besides. Reading needs System.Read where a
// tag's rights are checked, on the root folder (R27), which is inferred; without it the lists are empty.
var taggingOperations = []operation{
	{method: http.MethodGet, path: taggingPath + "category", id: taggingID + "category.list", serve: (*Service).listCategories},
	{method: http.MethodGet, path: taggingPath + "category/{}", id: taggingID + "category.get", serve: (*Service).getCategory},
	{method: http.MethodPost, path: taggingPath + "category", id: taggingID + "category.create", serve: (*Service).createCategory},
	{method: http.MethodPatch, path: taggingPath + "category/{}", id: taggingID + "category.update", serve: (*Service).updateCategory},
	{method: http.MethodDelete, path: taggingPath + "category/{}", id: taggingID + "category.delete", serve: (*Service).deleteCategory},
	{method: http.MethodGet, path: taggingPath + "tag", id: taggingID + "tag.list", serve: (*Service).listTags},
	{method: http.MethodGet, path: taggingPath + "tag/{}", id: taggingID + "tag.get", serve: (*Service).getTag},
	{method: http.MethodPost, path: taggingPath + "tag", id: taggingID + "tag.create", serve: (*Service).createTag},
	{method: http.MethodPatch, path: taggingPath + "tag/{}", id: taggingID + "tag.update", serve: (*Service).updateTag},
	{method: http.MethodDelete, path: taggingPath + "tag/{}", id: taggingID + "tag.delete", serve: (*Service).deleteTag},
	{
		method: http.MethodPost, path: taggingPath + "tag/{}", action: listForCategory,
		id: taggingID + "tag.list_tags_for_category", serve: (*Service).listTagsForCategory,
	},
}

// Category is a category of tags.
type Category struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Cardinality string   `json:"cardinality"` // SINGLE: an object has one of its tags at most; MULTIPLE
	Types       []string `json:"associable_types"`
	UsedBy      []string `json:"used_by"`
}

// Tag is one tag.
type Tag struct {
	ID          string   `json:"id"`
	Category    string   `json:"category_id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	UsedBy      []string `json:"used_by"`
}

const single, multiple = "SINGLE", "MULTIPLE"

// The privileges of tagging.
const (
	createCategory = "InventoryService.Tagging.CreateCategory"
	editCategory   = "InventoryService.Tagging.EditCategory"
	deleteCategory = "InventoryService.Tagging.DeleteCategory"
	createTag      = "InventoryService.Tagging.CreateTag"
	editTag        = "InventoryService.Tagging.EditTag"
	deleteTag      = "InventoryService.Tagging.DeleteTag"
	attachTag      = "InventoryService.Tagging.AttachTag"
	attachable     = "InventoryService.Tagging.ObjectAttachable"
)

// tagging is what a vCenter has of tags, in the order in which they were made.
type tagging struct {
	mu         sync.Mutex
	categories []*Category
	tags       []*Tag
	on         map[types.ManagedObjectReference][]string // ids of the tags of an object
}

func newTagging() *tagging { return &tagging{on: map[types.ManagedObjectReference][]string{}} }

// category is the one of an id; nil where there is none, also where a name is given, as govmomi does when its search by name failed.
func (t *tagging) category(id string) *Category {
	for _, c := range t.categories {
		if c.ID == id {
			return c
		}
	}
	return nil
}

func (t *tagging) tag(id string) *Tag {
	for _, g := range t.tags {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// begin looks for the privileges of a call, and locks the tags for it. End with s.tagging.mu.Unlock where it gives no failure.
func (s *Service) begin(c *call, needs ...Need) *failure {
	if f := s.need(c, needs...); f != nil {
		return f
	}
	s.tagging.mu.Lock()
	return nil
}

func onRoot(privileges ...string) (needs []Need) {
	for _, p := range privileges {
		needs = append(needs, Need{Privilege: p})
	}
	return needs
}

func (s *Service) listCategories(c *call) (any, *failure) {
	if f := s.begin(c, onRoot(read)...); f != nil {
		return []string{}, nil // lists hold what one may read
	}
	defer s.tagging.mu.Unlock()
	ids := []string{}
	for _, one := range s.tagging.categories {
		ids = append(ids, one.ID)
	}
	return ids, nil
}

func (s *Service) getCategory(c *call) (any, *failure) {
	if f := s.begin(c, onRoot(read)...); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	if found := s.tagging.category(c.args[0]); found != nil {
		return *found, nil
	}
	return nil, failed(notFound, "There is no category "+c.args[0]+".")
}

// categorySpec is what creates or updates a category.
type categorySpec struct {
	Name, Description, Cardinality *string
	Types                          []string `json:"associable_types"`
	ID                             string   `json:"category_id"` // of a new one; "" = the service chooses
}

func (s *Service) createCategory(c *call) (any, *failure) {
	spec, f := specOf[categorySpec](c, createSpec)
	if f != nil {
		return nil, f
	}
	if of := text(spec.Cardinality); text(spec.Name) == "" || of != single && of != multiple {
		return nil, failed(invalidArgument, "A category has a name, and is SINGLE or MULTIPLE.")
	}
	if f := s.begin(c, onRoot(createCategory)...); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	return s.tagging.addCategory(Category{
		ID: spec.ID, Name: *spec.Name, Description: text(spec.Description), Cardinality: *spec.Cardinality,
		Types: spec.Types,
	})
}

// addCategory makes a category, and gives its id.
func (t *tagging) addCategory(made Category) (any, *failure) {
	if slices.ContainsFunc(t.categories, func(other *Category) bool { return other.Name == made.Name }) {
		return nil, failed(alreadyExists, "There is a category with the name "+made.Name+".")
	}
	id, f := idOf("Category", made.ID, t.category(made.ID) != nil)
	if f != nil {
		return nil, f
	}
	made.ID, made.UsedBy = id, []string{}
	if made.Types == nil {
		made.Types = []string{}
	}
	t.categories = append(t.categories, &made)
	return made.ID, nil
}

// updateCategory changes what is given. A category that allows several tags stays so, and types are only added (vSphere Automation API).
func (s *Service) updateCategory(c *call) (any, *failure) {
	spec, f := specOf[categorySpec](c, updateSpec)
	if f != nil {
		return nil, f
	}
	if f := s.begin(c, onRoot(editCategory)...); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	found := s.tagging.category(c.args[0])
	if found == nil {
		return nil, failed(notFound, "There is no category "+c.args[0]+".")
	}
	next := *found
	next.Name = given(spec.Name, next.Name)
	next.Description = given(spec.Description, next.Description)
	next.Cardinality = given(spec.Cardinality, next.Cardinality)
	if spec.Types != nil {
		next.Types = spec.Types
	}
	switch {
	case next.Name == "", next.Cardinality != single && next.Cardinality != multiple,
		found.Cardinality == multiple && next.Cardinality == single:
		return nil, failed(invalidArgument, "A category has a name, and one that is MULTIPLE stays it.")
	case slices.ContainsFunc(found.Types, func(kind string) bool { return !takes(next, kind) }) ||
		len(found.Types) == 0 && len(next.Types) > 0:
		return nil, failed(invalidArgument, "The types of a category can only be added to.")
	case slices.ContainsFunc(s.tagging.categories, func(other *Category) bool { return other != found && other.Name == next.Name }):
		return nil, failed(alreadyExists, "There is a category with the name "+next.Name+".")
	}
	*found = next
	return nil, nil //nolint:nilnil // neither a result nor an error
}

func (s *Service) deleteCategory(c *call) (any, *failure) {
	if f := s.begin(c, onRoot(deleteCategory)...); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	if s.tagging.category(c.args[0]) == nil {
		return nil, failed(notFound, "There is no category "+c.args[0]+".")
	}
	for _, g := range slices.Clone(s.tagging.tags) {
		if g.Category == c.args[0] {
			s.tagging.remove(g.ID)
		}
	}
	s.tagging.categories = slices.DeleteFunc(s.tagging.categories, func(one *Category) bool { return one.ID == c.args[0] })
	return nil, nil //nolint:nilnil // neither a result nor an error
}

func (s *Service) listTags(c *call) (any, *failure) {
	if f := s.begin(c, onRoot(read)...); f != nil {
		return []string{}, nil // lists hold what one may read
	}
	defer s.tagging.mu.Unlock()
	return s.tagging.ids(func(*Tag) bool { return true }), nil
}

// ids are those of some tags.
func (t *tagging) ids(of func(*Tag) bool) []string {
	ids := []string{}
	for _, g := range t.tags {
		if of(g) {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

func (s *Service) getTag(c *call) (any, *failure) {
	if f := s.begin(c, onRoot(read)...); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	if found := s.tagging.tag(c.args[0]); found != nil {
		return *found, nil
	}
	return nil, failed(notFound, "There is no tag "+c.args[0]+".")
}

// tagSpec is what creates or updates a tag.
type tagSpec struct {
	Name, Description *string
	Category          string `json:"category_id"`
	ID                string `json:"tag_id"` // of a new one; "" = the service chooses
}

func (s *Service) createTag(c *call) (any, *failure) {
	spec, f := specOf[tagSpec](c, createSpec)
	if f != nil {
		return nil, f
	}
	if text(spec.Name) == "" {
		return nil, failed(invalidArgument, "A tag has a name.")
	}
	if f := s.begin(c, onRoot(createTag)...); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	return s.tagging.addTag(Tag{
		ID: spec.ID, Name: *spec.Name, Description: text(spec.Description), Category: spec.Category,
	})
}

// addTag makes a tag, and gives its id.
func (t *tagging) addTag(made Tag) (any, *failure) {
	if t.category(made.Category) == nil {
		return nil, failed(notFound, "There is no category "+made.Category+".")
	}
	if t.taken(made) {
		return nil, failed(alreadyExists, "The category has a tag with the name "+made.Name+".")
	}
	id, f := idOf("Tag", made.ID, t.tag(made.ID) != nil)
	if f != nil {
		return nil, f
	}
	made.ID, made.UsedBy = id, []string{}
	t.tags = append(t.tags, &made)
	return made.ID, nil
}

// taken reports whether another tag of the category has the name.
func (t *tagging) taken(of Tag) bool {
	return slices.ContainsFunc(t.tags, func(other *Tag) bool {
		return other.ID != of.ID && other.Category == of.Category && other.Name == of.Name
	})
}

func (s *Service) updateTag(c *call) (any, *failure) {
	spec, f := specOf[tagSpec](c, updateSpec)
	if f != nil {
		return nil, f
	}
	if f := s.begin(c, onRoot(editTag)...); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	found := s.tagging.tag(c.args[0])
	if found == nil {
		return nil, failed(notFound, "There is no tag "+c.args[0]+".")
	}
	next := *found
	next.Name = given(spec.Name, next.Name)
	next.Description = given(spec.Description, next.Description)
	switch {
	case next.Name == "":
		return nil, failed(invalidArgument, "A tag has a name.")
	case s.tagging.taken(next):
		return nil, failed(alreadyExists, "The category has a tag with the name "+next.Name+".")
	}
	*found = next
	return nil, nil //nolint:nilnil // neither a result nor an error
}

func (s *Service) deleteTag(c *call) (any, *failure) {
	if f := s.begin(c, onRoot(deleteTag)...); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	if s.tagging.tag(c.args[0]) == nil {
		return nil, failed(notFound, "There is no tag "+c.args[0]+".")
	}
	s.tagging.remove(c.args[0])
	return nil, nil //nolint:nilnil // neither a result nor an error
}

// remove takes a tag away, from objects too.
func (t *tagging) remove(id string) {
	t.tags = slices.DeleteFunc(t.tags, func(g *Tag) bool { return g.ID == id })
	for ref := range t.on {
		t.drop(ref, id)
	}
}

func (t *tagging) drop(ref types.ManagedObjectReference, id string) {
	t.on[ref] = slices.DeleteFunc(t.on[ref], func(other string) bool { return other == id })
	if len(t.on[ref]) == 0 {
		delete(t.on, ref)
	}
}

func (s *Service) listTagsForCategory(c *call) (any, *failure) {
	var of struct {
		Category string `json:"category_id"`
	}
	if len(c.args) > 0 {
		of.Category = c.args[0]
	} else if f := decode(c, &of); f != nil {
		return nil, f
	}
	if f := s.begin(c, onRoot(read)...); f != nil {
		return nil, f
	}
	defer s.tagging.mu.Unlock()
	if s.tagging.category(of.Category) == nil {
		return nil, failed(notFound, "There is no category "+of.Category+".")
	}
	return s.tagging.ids(func(g *Tag) bool { return g.Category == of.Category }), nil
}

// takes reports whether objects of a type can have tags of a category; one that names no types takes all. Clients write types with
// and without the prefix of their namespace.
func takes(c Category, kind string) bool {
	bareType := func(s string) string { return strings.TrimPrefix(s, "urn:vim25:") }
	return len(c.Types) == 0 || slices.ContainsFunc(c.Types, func(t string) bool { return bareType(t) == bareType(kind) })
}

// compareRefs orders objects.
func compareRefs(a, b types.ManagedObjectReference) int {
	return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(a.Value, b.Value))
}
