package contract

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// goneRole is the id of a role that was ours and is removed: no other role has it.
func (p *probe) goneRole(ctx context.Context, end string) (int32, answer) {
	id, a := p.makeRole(ctx, end+"-gone", create)
	if a.ok() {
		a = p.remove(ctx, id)
	}
	return id, a
}

func trySetUnknownRole(ctx context.Context, p *probe) outcome {
	at, _, a := p.place(ctx, "r15-role")
	if !a.ok() {
		return a.unready()
	}
	gone, a := p.goneRole(ctx, "r15")
	if !a.ok() {
		return a.unready()
	}
	return p.set(ctx, at, perm(p.principal("a"), gone, true)).with("NotFound")
}

func trySetView(ctx context.Context, p *probe) outcome {
	at, _, a := p.place(ctx, "r15-view")
	if !a.ok() {
		return a.unready()
	}
	return p.set(ctx, at, perm(p.principal("a"), view, true)).with("InvalidArgument")
}

func trySetGone(ctx context.Context, p *probe) outcome {
	at, role, a := p.place(ctx, "r15-gone")
	if !a.ok() {
		return a.unready()
	}
	if err := (&cleaner{probe: p}).destroy(ctx, at); err != nil {
		return untried("a folder could not be removed")
	}
	return p.set(ctx, at, perm(p.principal("a"), role, true)).with("ManagedObjectNotFound")
}

func trySetUnknownPrincipal(ctx context.Context, p *probe) outcome {
	at, role, a := p.place(ctx, "r32-nobody")
	if !a.ok() {
		return a.unready()
	}
	a = p.set(ctx, at, perm(p.principal("nobody"), role, true))
	if got := a.with("UserNotFound"); got.verdict != Holds {
		return got
	}
	var f *types.UserNotFound
	_, ok := fault.As(a.err, &f)
	return when(ok && !f.Unresolved, "the fault says that the directory could not be reached")
}

func (p *probe) unset(ctx context.Context, at moref, principal string, group bool) answer {
	_, a := send(ctx, p, methods.RemoveEntityPermission, &types.RemoveEntityPermission{
		This: *p.Content.AuthorizationManager, Entity: at, User: principal, IsGroup: group,
	})
	return a
}

func tryRemoveAbsent(ctx context.Context, p *probe) outcome {
	at, _, a := p.place(ctx, "r18-absent")
	if !a.ok() {
		return a.unready()
	}
	return p.unset(ctx, at, p.principal("a"), false).with("NotFound")
}

func tryRemovePresent(ctx context.Context, p *probe) outcome {
	at, role, a := p.place(ctx, "r18")
	if !a.ok() {
		return a.unready()
	}
	if a := p.set(ctx, at, permGroup(p.principal("g1"), role, true)); !a.ok() {
		return a.unready()
	}
	list, a := p.permissions(ctx, at, false)
	if !a.ok() {
		return a.unready()
	}
	if len(list) != 1 {
		return untried("the permission is not read back")
	}
	if a := p.unset(ctx, at, list[0].Principal, list[0].Group); !a.ok() {
		return a.unexpected()
	}
	list, a = p.permissions(ctx, at, false)
	if !a.ok() {
		return a.unready()
	}
	return when(len(list) == 0, "it is still there")
}

func tryMissing(ctx context.Context, p *probe) outcome {
	lesser, got := p.asLesser(ctx)
	if got.verdict != Holds {
		return got
	}
	at, a := p.below(ctx, "r44")
	if !a.ok() {
		return a.unready()
	}
	_, a = p.makeFolder(ctx, lesser, at, "r44-refused")
	if got := a.with("NoPermission"); got.verdict != Holds {
		return got
	}
	var f *types.NoPermission
	if _, ok := fault.As(a.err, &f); !ok {
		return differs("the fault cannot be read")
	}
	for _, m := range f.MissingPrivileges {
		if m.Entity == at && slices.Contains(m.PrivilegeIds, create) {
			return measured("in missingPrivileges")
		}
	}
	if p.lists() {
		return differs("missingPrivileges does not say %s on the folder", create)
	}
	if f.Object != nil && *f.Object == at && f.PrivilegeId == create {
		return measured("in object and privilegeId")
	}
	return differs("neither form says %s on the folder", create)
}

// lists reports whether the release is one that fills missingPrivileges: since 7.0.3.2, of which About says no more than 7.0.3.
func (p *probe) lists() bool {
	major, ok := p.api()
	return ok && major >= 8
}
