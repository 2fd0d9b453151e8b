package tags

import (
	"context"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// writer does the steps on one vCenter, one after the other: several may need the same tag.
type writer struct {
	session *vcenter.Session
	mu      sync.Mutex
	known   *State
}

// Attach says in steps what does each of the changes. known is what they were made from.
func Attach(acts plan.Steps, session *vcenter.Session, known *State, steps []Step) {
	w := &writer{session: session, known: known}
	for _, s := range steps {
		acts.Do(s.Change, func(ctx context.Context) error { return w.do(ctx, s.Want) })
	}
}

func (w *writer) do(ctx context.Context, want Want) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	api, err := w.session.REST(ctx)
	if err != nil {
		return err
	}
	m := tags.NewManager(api)
	if !w.known.Has(want.Category) {
		err := w.create(ctx, m, "InventoryService.Tagging.CreateCategory on the root folder", func() error {
			id, err := m.CreateCategory(ctx, &tags.Category{
				Name: want.Category, Description: want.Purpose(),
				Cardinality: "SINGLE", AssociableTypes: []string{},
			})
			w.known.categories[want.Category] = id
			return err
		})
		if err != nil {
			delete(w.known.categories, want.Category)
			return err
		}
	}
	if w.known.ids[want.Tag] == "" {
		err := w.create(ctx, m, "InventoryService.Tagging.CreateTag on the root folder", func() error {
			id, err := m.CreateTag(ctx, &tags.Tag{Name: want.Name, CategoryID: w.known.categories[want.Category]})
			w.known.ids[want.Tag] = id
			return err
		})
		if err != nil {
			delete(w.known.ids, want.Tag)
			return err
		}
	}
	if want.Object == nil {
		return nil
	}
	err = m.AttachTag(ctx, w.known.ids[want.Tag], vcenter.MOR(want.Object.Ref))
	return w.session.ExplainREST(err, "InventoryService.Tagging.AttachTag on the root folder, or ObjectAttachable on "+want.Object.Path())
}

// create makes an object or finds another's of the same name: linked vCenters share tags.
func (w *writer) create(ctx context.Context, m *tags.Manager, privilege string, do func() error) error {
	err := do()
	if err == nil || rest.IsStatusError(err, 403) || !strings.Contains(err.Error(), "already_exists") {
		return w.session.ExplainREST(err, privilege)
	}
	_, err = w.known.read(ctx, m)
	return w.session.ExplainREST(err, "System.Read on the root folder")
}
