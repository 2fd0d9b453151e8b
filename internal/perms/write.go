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

// batches sends the permissions of one object in one request. The changes of an object wait for each other's needs, so
// that they become ready together; whichever comes first sends all that can be done, and each falls back to its own
// request when that fails, because a vCenter stops at the first element that it refuses.
type batches struct {
	session *vcenter.Session
	roles   Roles
	same    func(string) string
	byPath  map[string]*batch
}

type batch struct {
	once    sync.Once
	err     error
	waits   []string
	members []member
}

type member struct {
	want   Want
	change *plan.Change
}

func (b *batches) change(verb plan.Verb, w Want, before, after any) *plan.Change {
	if b.byPath == nil {
		b.byPath = map[string]*batch{}
	}
	group := b.byPath[w.At.Path()]
	if group == nil {
		group = &batch{}
		b.byPath[w.At.Path()] = group
	}
	needs := append(slices.Clone(w.Needs), plan.Key(b.session.Server, plan.Role, w.Role))
	group.waits = append(group.waits, needs...)
	c := &plan.Change{
		Verb: verb, Kind: plan.Permission, Object: w.At.Path(), Principal: w.Principal, Group: w.Group,
		Before: before, After: after, Note: w.Note, Displaces: w.Displaces,
		Provides: plan.Key(b.session.Server, plan.Permission, w.At.Path()+" "+named(w.Principal, w.Group)),
		Needs:    needs,
		Do:       func(ctx context.Context) error { return b.do(ctx, group, w) },
	}
	group.members = append(group.members, member{w, c})
	for _, m := range group.members {
		m.change.Waits = group.waits
	}
	return c
}

func (b *batches) do(ctx context.Context, group *batch, w Want) error {
	group.once.Do(func() {
		var ready []Want
		for _, m := range group.members {
			if m.change.Blocked() == nil {
				ready = append(ready, m.want)
			}
		}
		group.err = crash.Try(func() error { return b.send(ctx, ready...) }) // else the others of the batch would count as done
	})
	if group.err == nil {
		return nil
	}
	return b.patiently(ctx, w)
}

// Right after an account was made, a vCenter may not know it yet: it is asked again, at most so often.
var visible = []time.Duration{
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second,
}

func (b *batches) patiently(ctx context.Context, w Want) error {
	for n := 0; ; n++ {
		err := b.send(ctx, w)
		var unknown *types.UserNotFound
		if _, ok := fault.As(err, &unknown); !ok || n == len(visible) || unknown.Unresolved {
			return explain(err, w)
		}
		timer := time.NewTimer(visible[n])
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return explain(err, w)
		}
	}
}

func (b *batches) send(ctx context.Context, wants ...Want) error {
	req := &types.SetEntityPermissions{This: *b.session.Content.AuthorizationManager, Entity: vcenter.MOR(wants[0].At.Ref)}
	for _, w := range wants {
		role, ok := b.roles.ID(w.Role)
		if !ok {
			return fmt.Errorf("there is no role %s", w.Role)
		}
		req.Permission = append(req.Permission, types.Permission{
			Principal: w.Principal, Group: w.Group, RoleId: role, Propagate: w.Propagate,
		})
	}
	if err := b.unmoved(ctx, req, wants); err != nil {
		return err
	}
	_, err := methods.SetEntityPermissions(ctx, b.session, req)
	return err
}

// unmoved refuses to replace what somebody gave an adopted principal since the plan: setting a permission replaces
// whatever the principal has on the object. Ours are not asked about, so they cost no request.
func (b *batches) unmoved(ctx context.Context, req *types.SetEntityPermissions, wants []Want) error {
	if !slices.ContainsFunc(wants, func(w Want) bool { return w.Adopted }) {
		return nil
	}
	res, err := methods.RetrieveEntityPermissions(ctx, b.session, &types.RetrieveEntityPermissions{This: req.This, Entity: req.Entity})
	if err != nil {
		return err
	}
	for i, w := range wants {
		if !w.Adopted {
			continue
		}
		var now *types.Permission
		for _, p := range res.Returnval {
			if p.Group == w.Group && b.same(p.Principal) == b.same(w.Principal) {
				now = &p
			}
		}
		switch {
		case now == nil: // it has nothing there, so nothing is taken from it
		case w.had != nil && now.RoleId == w.had.RoleID && now.Propagate == w.had.Propagate:
		case now.RoleId == req.Permission[i].RoleId && now.Propagate == w.Propagate: // an attempt whose answer was lost
		default:
			return hint.Errorf("plan again", "somebody gave it %s there since the plan",
				plan.PermissionState{Role: b.roles.Name(now.RoleId), Propagate: now.Propagate})
		}
	}
	return nil
}

// named tells a group from a user of the same name.
func named(principal string, group bool) string {
	if group {
		return "group " + principal
	}
	return principal
}

func explain(err error, w Want) error {
	var unknown *types.UserNotFound
	switch {
	case err == nil:
		return nil
	case fault.Is(err, &types.AuthMinimumAdminPermission{}):
		return hint.Errorf("use an account of its own for this component",
			"%s is an administrator of this vCenter already, or its last one: %w", w.Principal, err)
	case fault.Is(err, &types.InvalidArgument{}):
		return fmt.Errorf("the vCenter takes no permission there: %w", err)
	}
	if _, ok := fault.As(err, &unknown); ok {
		if unknown.Unresolved {
			return hint.Wrap(fmt.Errorf("the directory of %s cannot be reached: %w", w.Principal, err), "is the identity source up?")
		}
		return hint.Wrap(fmt.Errorf("the vCenter does not know %s: %w", named(w.Principal, w.Group), err), "run the same command again, new accounts can take a while to be seen")
	}
	if missing := vcenter.MissingPrivileges(err); len(missing) > 0 {
		return hint.Errorf("the administrator needs Authorization.ModifyPermissions there and every privilege that the role holds",
			"not allowed, %s is missing: %w", strings.Join(missing[0].Privileges, ", "), err)
	}
	return err
}

// Remove is the change that takes a permission of ours away, principal and group flag exactly as they were read. That it is
// gone already is success. Where something else stood there before us, that comes back; the role may be gone by then.
func (s *State) Remove(p Permission, principal, path string, r Roles, former *plan.PermissionState, adopted bool) *plan.Change {
	c := &plan.Change{
		Verb: plan.Delete, Kind: plan.Permission, Object: path, Principal: principal, Group: p.Group,
		Before:   plan.PermissionState{Role: r.Name(p.RoleID), Propagate: p.Propagate},
		Provides: s.Key(p),
	}
	c.Do = func(ctx context.Context) error {
		if adopted {
			if gone, err := s.unmoved(ctx, p, r, nil); gone || err != nil {
				return err
			}
		}
		return s.remove(ctx, p, principal)
	}
	if former == nil {
		return c
	}
	role, ok := r.ID(former.Role)
	if !ok {
		c.Note = "role " + former.Role + ", which it had here before, is gone and cannot be given back"
		return c
	}
	c.Verb, c.After, c.Note = plan.Update, *former, "gives back what it had before"
	c.Do = func(ctx context.Context) error {
		if done, err := s.unmoved(ctx, p, r, &Permission{Entity: p.Entity, Principal: p.Principal, Group: p.Group, RoleID: role, Propagate: former.Propagate}); done || err != nil {
			return err
		}
		_, err := methods.SetEntityPermissions(ctx, s.session, &types.SetEntityPermissions{
			This: *s.session.Content.AuthorizationManager, Entity: vcenter.MOR(p.Entity),
			Permission: []types.Permission{{Principal: p.Principal, Group: p.Group, RoleId: role, Propagate: former.Propagate}},
		})
		return explain(err, Want{Principal: principal, Group: p.Group})
	}
	return c
}

// unmoved refuses to take away or to replace what somebody gave an adopted principal in place of ours since the plan. done
// tells that there is nothing to do any more: after is what the change makes of it, nil = nothing.
func (s *State) unmoved(ctx context.Context, p Permission, r Roles, after *Permission) (done bool, err error) {
	res, err := methods.RetrieveEntityPermissions(ctx, s.session, &types.RetrieveEntityPermissions{This: *s.session.Content.AuthorizationManager, Entity: vcenter.MOR(p.Entity)})
	if fault.Is(err, &types.ManagedObjectNotFound{}) {
		return true, nil
	}
	if err != nil {
		return false, explain(err, Want{Principal: p.Principal})
	}
	for _, now := range res.Returnval {
		if now.Group != p.Group || s.same(now.Principal) != s.same(p.Principal) {
			continue
		}
		switch {
		case now.RoleId == p.RoleID && now.Propagate == p.Propagate:
			return false, nil
		case after != nil && now.RoleId == after.RoleID && now.Propagate == after.Propagate:
			return true, nil
		}
		return false, hint.Errorf("plan again", "somebody gave it %s there since the plan",
			plan.PermissionState{Role: r.Name(now.RoleId), Propagate: now.Propagate})
	}
	if after != nil { // who took ours away may not want the one before it back either
		return false, hint.Errorf("plan again", "somebody took it away since the plan")
	}
	return true, nil
}

func (s *State) remove(ctx context.Context, p Permission, principal string) error {
	_, err := methods.RemoveEntityPermission(ctx, s.session, &types.RemoveEntityPermission{
		This: *s.session.Content.AuthorizationManager, Entity: vcenter.MOR(p.Entity), User: p.Principal, IsGroup: p.Group,
	})
	if err == nil || fault.Is(err, &types.NotFound{}) || fault.Is(err, &types.ManagedObjectNotFound{}) {
		return nil
	}
	return explain(err, Want{Principal: principal})
}
