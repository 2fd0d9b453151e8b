package perms

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Writer does what steps say.
type Writer struct {
	session *vcenter.Session
	roles   Known
	key     func(principal string, group bool) string
}

// Known tells roles' names and ids, those made a moment ago too.
type Known interface {
	ID(name string) (int32, bool)
	Name(id int32) string
}

// NewWriter writes to a vCenter. key is that of [Of].
func NewWriter(s *vcenter.Session, roles Known, key func(principal string, group bool) string) *Writer {
	return &Writer{session: s, roles: roles, key: key}
}

// batch sends the permissions of one object in one request. Its steps become ready together; the
// first one sends all, and each sends its own if that fails at the first refused element.
type batch struct {
	once  sync.Once
	err   error
	steps []Step
	acts  []*plan.Step // of the steps
	needs []string     // of all of them
}

// Attach says in acts what does each of the steps.
func (w *Writer) Attach(acts plan.Steps, steps []Step) {
	byObject := map[string]*batch{}
	for _, step := range steps {
		if step.want == nil {
			acts.Do(step.Change, func(ctx context.Context) error { return w.takeAway(ctx, step) })
			continue
		}
		group := byObject[step.Object]
		if group == nil {
			group = &batch{}
			byObject[step.Object] = group
		}
		act := acts.Do(step.Change, func(ctx context.Context) error { return w.set(ctx, group, step) })
		group.steps, group.acts, group.needs = append(group.steps, step), append(group.acts, act),
			append(group.needs, step.Needs...)
	}
	for _, group := range byObject {
		for _, act := range group.acts {
			act.Waits = group.needs
		}
	}
}

func (w *Writer) set(ctx context.Context, group *batch, step Step) error {
	group.once.Do(func() {
		var ready []Step
		for i, other := range group.acts {
			if other.Blocked() == nil {
				ready = append(ready, group.steps[i])
			}
		}
		// else the batch's others would count as done
		group.err = crash.Try(func() error { return w.send(ctx, ready...) })
	})
	if group.err == nil {
		return nil
	}
	return w.patiently(ctx, step)
}

// A vCenter learns of a new account, and a linked one within a minute (R40), after these pauses.
var visible = []time.Duration{
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second,
	8 * time.Second, 15 * time.Second,
	20 * time.Second, 20 * time.Second, 20 * time.Second,
}

func (w *Writer) patiently(ctx context.Context, step Step) error {
	for n := 0; ; n++ {
		err := w.send(ctx, step)
		var unknown *types.UserNotFound
		if _, ok := fault.As(err, &unknown); !ok || n == len(visible) || unknown.Unresolved {
			return explain(err, *step.want)
		}
		if w.session.Pause(ctx, visible[n]) != nil {
			return explain(err, *step.want)
		}
	}
}

func (w *Writer) send(ctx context.Context, steps ...Step) error {
	req := &types.SetEntityPermissions{This: *w.session.Content.AuthorizationManager, Entity: vcenter.MOR(steps[0].want.At.Ref)}
	for _, step := range steps {
		role, ok := w.roles.ID(step.want.Role)
		if !ok {
			return fmt.Errorf("role %s does not exist", step.want.Role)
		}
		req.Permission = append(req.Permission, types.Permission{
			Principal: step.want.Principal, Group: step.want.Group, RoleId: role, Propagate: step.want.Propagate,
		})
	}
	if err := w.unmoved(ctx, req, steps); err != nil {
		return err
	}
	_, err := methods.SetEntityPermissions(ctx, w.session, req)
	return err
}

// unmoved refuses to replace another's permission of an adopted principal that came after the plan,
// because setting one replaces it. Our own cost no request.
func (w *Writer) unmoved(ctx context.Context, req *types.SetEntityPermissions, steps []Step) error {
	if !slices.ContainsFunc(steps, func(step Step) bool { return step.want.Adopted }) {
		return nil
	}
	res, err := methods.RetrieveEntityPermissions(ctx, w.session,
		&types.RetrieveEntityPermissions{This: req.This, Entity: req.Entity})
	if err != nil {
		return err
	}
	for i, step := range steps {
		if !step.want.Adopted {
			continue
		}
		now := w.find(res.Returnval, step.want.Key)
		switch {
		case now == nil: // it has nothing there, so nothing is taken from it
		case step.Had != nil && now.RoleId == step.Had.RoleID && now.Propagate == step.Had.Propagate:
		// an earlier attempt succeeded
		case now.RoleId == req.Permission[i].RoleId && now.Propagate == step.want.Propagate:
		default:
			return w.moved(now)
		}
	}
	return nil
}

// find is the permission of a principal among those of an object; nil if it has none.
func (w *Writer) find(all []types.Permission, key string) (found *types.Permission) {
	for _, p := range all {
		if w.key(p.Principal, p.Group) == key {
			found = &p
		}
	}
	return found
}

func (w *Writer) moved(now *types.Permission) error {
	return hint.Errorf("plan again", "somebody gave it %s there after the plan",
		plan.PermissionState{Role: w.roles.Name(now.RoleId), Propagate: now.Propagate})
}

func explain(err error, w Want) error {
	var unknown *types.UserNotFound
	switch {
	case err == nil:
		return nil
	case fault.Is(err, &types.AuthMinimumAdminPermission{}):
		return hint.Errorf("use a separate account for this component",
			"%s is already an administrator of this vCenter, or its last one: %w", w.Principal, err)
	case fault.Is(err, &types.InvalidArgument{}):
		return fmt.Errorf("permissions cannot be set on this object: %w", err)
	}
	if _, ok := fault.As(err, &unknown); ok {
		if unknown.Unresolved {
			return hint.Wrap(fmt.Errorf("the directory of %s cannot be reached: %w", w.Principal, err),
				"check that the identity source is reachable")
		}
		return hint.Wrap(fmt.Errorf("vCenter does not know %s: %w", named(w.Principal, w.Group), err),
			"run the same command again: new accounts can take a while to appear")
	}
	if missing := vcenter.MissingPrivileges(err); len(missing) > 0 {
		return hint.Errorf("the administrator needs Authorization.ModifyPermissions there and every privilege of the role",
			"not allowed, %s is missing: %w", strings.Join(missing[0].Privileges, ", "), err)
	}
	return err
}

// takeAway removes a permission of ours as it was read, or restores the one before it.
func (w *Writer) takeAway(ctx context.Context, step Step) error {
	p := *step.Had
	var former *types.Permission
	if after, ok := step.After.(plan.PermissionState); ok {
		role, known := w.roles.ID(after.Role)
		if !known {
			return fmt.Errorf("role %s does not exist", after.Role)
		}
		former = &types.Permission{Principal: p.Principal, Group: p.Group, RoleId: role, Propagate: after.Propagate}
	}
	if step.adopted || former != nil {
		if done, err := w.taken(ctx, p, former); done || err != nil {
			return err
		}
	}
	if former != nil {
		_, err := methods.SetEntityPermissions(ctx, w.session, &types.SetEntityPermissions{
			This: *w.session.Content.AuthorizationManager, Entity: vcenter.MOR(p.Entity), Permission: []types.Permission{*former},
		})
		return explain(err, Want{Principal: step.Principal, Group: p.Group})
	}
	_, err := methods.RemoveEntityPermission(ctx, w.session, &types.RemoveEntityPermission{
		This: *w.session.Content.AuthorizationManager, Entity: vcenter.MOR(p.Entity), User: p.Principal, IsGroup: p.Group,
	})
	switch {
	case err == nil, fault.Is(err, &types.ManagedObjectNotFound{}):
		return nil
	case fault.Is(err, &types.NotFound{}):
		if done, err := w.taken(ctx, p, nil); done || err != nil {
			return err
		}
		// It is listed all the same. Below 9.0 nothing else tells global ones apart.
		return hint.Errorf(GlobalRemedy,
			"it is a global permission, which vCenter lists here and does not remove here")
	}
	return explain(err, Want{Principal: step.Principal})
}

// taken refuses to remove or replace another's permission that replaced ours after the plan. done:
// nothing is left to do; after is the step's result, nil = nothing.
func (w *Writer) taken(ctx context.Context, p Permission, after *types.Permission) (done bool, err error) {
	res, err := methods.RetrieveEntityPermissions(ctx, w.session, &types.RetrieveEntityPermissions{
		This: *w.session.Content.AuthorizationManager, Entity: vcenter.MOR(p.Entity),
	})
	if fault.Is(err, &types.ManagedObjectNotFound{}) {
		return true, nil
	}
	if err != nil {
		return false, explain(err, Want{Principal: p.Principal})
	}
	switch now := w.find(res.Returnval, p.Key); {
	case now == nil && after != nil: // who took ours away may not want the one before it back either
		return false, hint.Errorf("plan again", "somebody removed it after the plan")
	case now == nil:
		return true, nil
	case now.RoleId == p.RoleID && now.Propagate == p.Propagate:
		return false, nil
	case after != nil && now.RoleId == after.RoleId && now.Propagate == after.Propagate:
		return true, nil
	default:
		return false, w.moved(now)
	}
}
