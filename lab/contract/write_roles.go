package contract

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// writeRoles are the rules about roles that need roles of our own.
func writeRoles() []Rule {
	rule := func(id, part, says string, try func(context.Context, *probe) outcome) Rule {
		return Rule{ID: id, Case: part, Says: says, Scratch: true, try: try}
	}
	return []Rule{
		rule("R1", "new role", "A new role also gets System.Anonymous, System.View and System.Read.", tryNewRole),
		rule("R2", "new role", "A new role with an unknown privilege is refused: InvalidArgument, privIds.", tryUnknownPrivilege),
		rule("R2", "update", "An update of a role with an unknown privilege is refused, with InvalidArgument or NotFound, and changes nothing.", tryUnknownInUpdate),
		rule("R3", "taken name", "A role cannot have the name of another: AlreadyExists.", tryTakenName),
		rule("R3", "case", "A role cannot have a name that differs from another's only in case: AlreadyExists. (inferred)", tryTakenNameInCase),
		rule("R4", "update", "An update of a role replaces all its privileges and its name.", tryUpdate),
		rule("R7", "in use", "A role in use is not removed: RemoveFailed.", tryRemoveUsed),
		rule("R7", "unknown role", "A role that does not exist cannot be removed: NotFound.", tryRemoveUnknown),
		rule("R8", "delay", "A change to a role soon takes effect for those who hold it.", tryRoleDelay),
	}
}

// roleOf reads a role by its id.
func (p *probe) roleOf(ctx context.Context, id int32) (*types.AuthorizationRole, answer) {
	roles, a := p.roles(ctx)
	for i := range roles {
		if roles[i].RoleId == id {
			return &roles[i], a
		}
	}
	return nil, a
}

// named reports whether a role of this run is there.
func (p *probe) named(ctx context.Context, end string) (bool, answer) {
	roles, a := p.roles(ctx)
	return slices.ContainsFunc(roles, func(r types.AuthorizationRole) bool { return r.Name == p.lab.name(end) }), a
}

// exactly compares the privileges of a role with ids and the three that every role has.
func exactly(r *types.AuthorizationRole, ids ...string) outcome {
	if r == nil {
		return differs("the role is not in the list")
	}
	want := slices.Sorted(slices.Values(slices.Concat(implicit, ids)))
	got := slices.Sorted(slices.Values(r.Privilege))
	return when(slices.Equal(want, got), "it has %s, not %s", listed(got), listed(want))
}

func tryNewRole(ctx context.Context, p *probe) outcome {
	id, a := p.makeRole(ctx, "r1", create)
	if !a.ok() {
		return a.unready()
	}
	r, a := p.roleOf(ctx, id)
	if !a.ok() {
		return a.unready()
	}
	return exactly(r, create)
}

// unknownPrivilege is none of any release.
const unknownPrivilege = "OcpContract.Unknown"

func tryUnknownPrivilege(ctx context.Context, p *probe) outcome {
	_, a := p.makeRole(ctx, "r2-add", create, unknownPrivilege)
	if got := a.with("InvalidArgument"); got.verdict != Holds {
		return got
	}
	var f *types.InvalidArgument
	if _, ok := fault.As(a.err, &f); !ok || f.InvalidProperty != "privIds" {
		return differs("the fault names another property")
	}
	made, a := p.named(ctx, "r2-add")
	if !a.ok() {
		return a.unready()
	}
	return when(!made, "the role was made all the same")
}

func (p *probe) update(ctx context.Context, id int32, end string, ids ...string) answer {
	_, a := send(ctx, p, methods.UpdateAuthorizationRole, &types.UpdateAuthorizationRole{
		This: *p.Content.AuthorizationManager, RoleId: id, NewName: p.lab.name(end), PrivIds: ids,
	})
	return a
}

func tryUnknownInUpdate(ctx context.Context, p *probe) outcome {
	id, a := p.makeRole(ctx, "r2-update", create)
	if !a.ok() {
		return a.unready()
	}
	if got := p.update(ctx, id, "r2-update", rename, unknownPrivilege).with("InvalidArgument", "NotFound"); got.verdict != Holds {
		return got
	}
	r, a := p.roleOf(ctx, id)
	if !a.ok() {
		return a.unready()
	}
	return exactly(r, create)
}

func tryTakenName(ctx context.Context, p *probe) outcome {
	if _, a := p.makeRole(ctx, "r3", create); !a.ok() {
		return a.unready()
	}
	_, a := p.makeRole(ctx, "r3", rename)
	return a.with("AlreadyExists")
}

func tryTakenNameInCase(ctx context.Context, p *probe) outcome {
	if _, a := p.makeRole(ctx, "r3-case", create); !a.ok() {
		return a.unready()
	}
	_, a := p.makeRole(ctx, strings.ToUpper("r3-case"), create)
	return a.with("AlreadyExists")
}

func tryUpdate(ctx context.Context, p *probe) outcome {
	id, a := p.makeRole(ctx, "r4", create, rename)
	if !a.ok() {
		return a.unready()
	}
	if a := p.update(ctx, id, "r4-renamed", move); !a.ok() {
		return a.unexpected()
	}
	r, a := p.roleOf(ctx, id)
	if !a.ok() {
		return a.unready()
	}
	if r != nil && r.Name != p.lab.name("r4-renamed") {
		return differs("the name stayed")
	}
	return exactly(r, move)
}

func (p *probe) remove(ctx context.Context, id int32) answer {
	_, a := send(ctx, p, methods.RemoveAuthorizationRole, &types.RemoveAuthorizationRole{
		This: *p.Content.AuthorizationManager, RoleId: id, FailIfUsed: true,
	})
	return a
}

func tryRemoveUsed(ctx context.Context, p *probe) outcome {
	if got := p.user(ctx, "a"); got.verdict != Holds {
		return asUntried(got)
	}
	id, a := p.makeRole(ctx, "r7", create)
	if !a.ok() {
		return a.unready()
	}
	at, a := p.below(ctx, "r7")
	if !a.ok() {
		return a.unready()
	}
	if a := p.set(ctx, at, perm(p.principal("a"), id, false)); !a.ok() {
		return a.unready()
	}
	if got := p.remove(ctx, id).with("RemoveFailed"); got.verdict != Holds {
		return got
	}
	r, a := p.roleOf(ctx, id)
	if !a.ok() {
		return a.unready()
	}
	return when(r != nil, "the role is gone all the same")
}

func tryRemoveUnknown(ctx context.Context, p *probe) outcome {
	id, a := p.makeRole(ctx, "r7-gone", create) // an id that was ours cannot be somebody else's role
	if !a.ok() {
		return a.unready()
	}
	if a := p.remove(ctx, id); !a.ok() {
		return a.unready()
	}
	return p.remove(ctx, id).with("NotFound")
}

func tryRoleDelay(ctx context.Context, p *probe) outcome {
	if got := p.people(ctx); got.verdict != Holds {
		return asUntried(got)
	}
	id, a := p.makeRole(ctx, "r8", create)
	if !a.ok() {
		return a.unready()
	}
	at, a := p.below(ctx, "r8")
	if !a.ok() {
		return a.unready()
	}
	if a := p.set(ctx, at, perm(p.principal("a"), id, false)); !a.ok() {
		return a.unready()
	}
	if got := p.expect(ctx, at, create); got.verdict != Holds {
		return untried("the permission itself has no effect: %s", got.detail)
	}
	if a := p.update(ctx, id, "r8", rename); !a.ok() {
		return a.unready()
	}
	got, took := p.until(ctx, func() outcome { return p.compare(ctx, at, rename) })
	if got.verdict != Holds {
		return got
	}
	ms := took.Round(time.Millisecond).Milliseconds()
	p.report.Delays.Role = &ms
	return measured("after %d ms", ms)
}
