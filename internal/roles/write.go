package roles

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Writer executes a plan's changes of the roles in a state. It knows the roles that it makes.
type Writer struct {
	session *vcenter.Session
	manager types.ManagedObjectReference
	planned *State

	mu    sync.Mutex
	known *State // with those made since; it is replaced, never changed

	beforeUpdates, beforeRemovals reread
}

// NewWriter changes what a state tells.
func NewWriter(s *vcenter.Session, planned *State) *Writer {
	return &Writer{session: s, manager: *s.Content.AuthorizationManager, planned: planned, known: planned}
}

// ID of the role with an exact name, those made a moment ago too.
func (w *Writer) ID(name string) (int32, bool) {
	r, ok := w.now().ByName(name)
	return r.ID, ok
}

// Name of the role with an id; the id itself in words when the role is gone.
func (w *Writer) Name(id int32) string { return w.now().Name(id) }

// Attach says in steps what does each of the changes of roles.
func (w *Writer) Attach(steps plan.Steps, changes []*plan.Change) {
	for _, c := range changes {
		if c.Kind != plan.Role {
			continue
		}
		before, _ := w.planned.ByName(c.Name)
		after, _ := c.After.(plan.RoleState)
		switch c.Verb {
		case plan.Create:
			steps.Do(c, func(ctx context.Context) error { return w.add(ctx, Want{Name: c.Name, Privileges: after.Privileges}) })
		case plan.Update:
			steps.Do(c, func(ctx context.Context) error { return w.set(ctx, before, after.Privileges) })
		case plan.Delete:
			steps.Do(c, func(ctx context.Context) error { return w.remove(ctx, before) })
		}
	}
}

// reload adds the vCenter's roles to the known ones: its answer may lack new ones.
func (w *Writer) reload(ctx context.Context) error {
	all, _, err := read(ctx, w.session)
	if err != nil {
		return err
	}
	w.remember(all...)
	return nil
}

func (w *Writer) now() *State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known
}

func (w *Writer) remember(roles ...Role) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known = Of(w.known.server, append(w.known.All(), roles...), w.known.catalogue)
}

// add creates a role. An existing one with these privileges is success: a reply may be lost.
func (w *Writer) add(ctx context.Context, want Want) error {
	res, err := methods.AddAuthorizationRole(ctx, w.session, &types.AddAuthorizationRole{
		This: w.manager, Name: want.Name, PrivIds: want.Privileges,
	})
	if err == nil {
		// it would be granted instead
		if other, known := w.now().ByID(res.Returnval); known && other.Name != want.Name {
			return fmt.Errorf("vCenter answered with the id of role %s", other.Name)
		}
		w.remember(Role{ID: res.Returnval, Name: want.Name, Privileges: want.Privileges})
		return nil
	}
	if !fault.Is(err, &types.AlreadyExists{}) {
		return explain(err, want)
	}
	if err := w.reload(ctx); err != nil {
		return err
	}
	switch r, ok := w.now().ByName(want.Name); {
	case !ok:
		return explain(err, want)
	case !slices.Equal(r.Privileges, want.Privileges):
		return errMoved("somebody created a role with this name after the plan, with other privileges")
	}
	return nil
}

func explain(err error, w Want) error {
	if fault.Is(err, &types.InvalidArgument{}) {
		return fmt.Errorf("vCenter refused one of its privileges (%s): %w", strings.Join(w.Privileges, ", "), err)
	}
	if missing := vcenter.MissingPrivileges(err); len(missing) > 0 {
		return hint.Errorf("the administrator needs Authorization.ModifyRoles and every privilege of the role",
			"not allowed, %s is missing: %w", strings.Join(missing[0].Privileges, ", "), err)
	}
	return err
}

func (w *Writer) set(ctx context.Context, r Role, target []string) error {
	if err := w.unmoved(ctx, &w.beforeUpdates, r); err != nil {
		return err
	}
	ids := target
	if len(ids) == 0 { // what an update with an empty list does is documented nowhere
		ids = r.Implicit()
	}
	_, err := methods.UpdateAuthorizationRole(ctx, w.session, &types.UpdateAuthorizationRole{
		This: w.manager, RoleId: r.ID, NewName: r.Name, PrivIds: ids,
	})
	if err != nil {
		return explain(err, Want{Name: r.Name, Privileges: target})
	}
	r.Privileges = target
	w.remember(r)
	return nil
}

func (w *Writer) remove(ctx context.Context, r Role) error {
	if err := w.unmoved(ctx, &w.beforeRemovals, r); err != nil {
		return err
	}
	_, err := methods.RemoveAuthorizationRole(ctx, w.session, &types.RemoveAuthorizationRole{
		This: w.manager, RoleId: r.ID, FailIfUsed: true,
	})
	switch {
	case err == nil, fault.Is(err, &types.NotFound{}):
		return nil
	case fault.Is(err, &types.RemoveFailed{}):
		return hint.Wrap(fmt.Errorf("it is in use: %w", err),
			"somebody was given the role after the plan; plan again")
	}
	return err
}

type reread struct {
	once sync.Once
	err  error
}

func errMoved(what string) error { return hint.Errorf("plan again", "%s", what) }

// unmoved refuses to overwrite another's change of a role after the plan: vCenter has no such
// condition, so the roles are read again before the first write.
func (w *Writer) unmoved(ctx context.Context, again *reread, planned Role) error {
	again.once.Do(func() { again.err = w.reload(ctx) })
	if again.err != nil {
		return again.err
	}
	if now, ok := w.now().ByID(planned.ID); ok &&
		(now.Name != planned.Name || !slices.Equal(now.Privileges, planned.Privileges)) {
		return errMoved("somebody changed it after the plan")
	}
	return nil
}
