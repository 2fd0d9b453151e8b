package contract

import (
	"context"
	"strings"
)

// view is the id of the system role View, which no permission can have.
const view = -3

// writePermissions are the rules about permissions that need objects and accounts of our own.
func writePermissions() []Rule {
	rule := func(id, part, says string, try func(context.Context, *probe) outcome) Rule {
		return Rule{ID: id, Case: part, Says: says, Scratch: true, try: func(ctx context.Context, p *probe) outcome {
			if got := p.people(ctx); got.verdict != Holds {
				return asUntried(got)
			}
			return try(ctx, p)
		}}
	}
	return []Rule{
		rule("R10", "escalation", "Nobody can grant a privilege that they do not hold: NoPermission.", tryEscalation),
		rule("R11", "others", "Setting a permission keeps those of other principals.", tryOthersStay),
		rule("R11", "again", "Setting a principal's permission again replaces the existing one.", tryOnePerPrincipal),
		rule("R11", "twice", "If a principal is named twice in one call, the last permission counts.", tryTwiceInOneCall),
		rule("R12", "order", "The permissions of a call are set in order; the first failure ends the call, and earlier ones stay.", tryOrder),
		rule("R15", "unknown role", "A permission cannot have a role that does not exist: NotFound.", trySetUnknownRole),
		rule("R15", "role View", "A permission cannot have the role View: InvalidArgument.", trySetView),
		rule("R15", "no object", "A permission cannot be set on an object that was removed: ManagedObjectNotFound.", trySetGone),
		rule("R32", "unknown principal", "A permission cannot have a principal that no identity source has: UserNotFound, without unresolved.", trySetUnknownPrincipal),
		rule("R18", "absent", "A permission that does not exist cannot be removed: NotFound.", tryRemoveAbsent),
		rule("R18", "present", "A permission can be removed by the principal's name as it is listed.", tryRemovePresent),
		rule("R20", "below", "Of two permissions on a parent, the one that propagates is listed on the child.", tryReadBelow),
		rule("R44", "missing privileges", "NoPermission says which privilege is missing on which object.", tryMissing),
	}
}

// place is a folder for a try and a role that gives one privilege.
func (p *probe) place(ctx context.Context, end string) (at moref, role int32, a answer) {
	if role, a = p.role(ctx, "only-"+create, create); a.ok() {
		at, a = p.below(ctx, end)
	}
	return at, role, a
}

// carried are the permissions of an object as role ids by the end of the principal's name.
func (p *probe) carried(ctx context.Context, at moref, inherited bool) (map[string]int32, answer) {
	list, a := p.permissions(ctx, at, inherited)
	found := map[string]int32{}
	for _, perm := range list {
		_, name, _ := domainAndName(perm.Principal)
		if end, ours := strings.CutPrefix(strings.ToLower(name), p.lab.prefix); ours {
			found[end] = perm.RoleId
		}
	}
	return found, a
}

func tryEscalation(ctx context.Context, p *probe) outcome {
	lesser, got := p.asLesser(ctx)
	if got.verdict != Holds {
		return got
	}
	at, more, a := p.place(ctx, "r10")
	if !a.ok() {
		return a.unready()
	}
	own, a := p.role(ctx, "lesser", "Authorization.ModifyPermissions")
	if !a.ok() {
		return a.unready()
	}
	switch a := lesser.set(ctx, at, perm(p.principal("a"), own, false)); {
	case !a.ok() && !a.refused():
		return a.unready()
	case !a.ok():
		return differs("granting what one holds oneself: %s", a.text())
	}
	return lesser.set(ctx, at, perm(p.principal("lesser"), more, false)).with("NoPermission")
}

func tryOthersStay(ctx context.Context, p *probe) outcome {
	at, role, a := p.place(ctx, "r11-others")
	if !a.ok() {
		return a.unready()
	}
	if a := p.set(ctx, at, perm(p.principal("a"), role, true)); !a.ok() {
		return a.unready()
	}
	if a := p.set(ctx, at, permGroup(p.principal("g1"), role, true)); !a.ok() {
		return a.unready()
	}
	found, a := p.carried(ctx, at, false)
	if !a.ok() {
		return a.unready()
	}
	return when(len(found) == 2, "of two permissions that were set one after the other %d are there", len(found))
}

func tryOnePerPrincipal(ctx context.Context, p *probe) outcome {
	at, first, a := p.place(ctx, "r11-again")
	if !a.ok() {
		return a.unready()
	}
	second, a := p.role(ctx, "only-"+rename, rename)
	if !a.ok() {
		return a.unready()
	}
	for _, role := range []int32{first, second} {
		if a := p.set(ctx, at, perm(p.principal("a"), role, true)); !a.ok() {
			return a.unready()
		}
	}
	return p.carries(ctx, at, 1, second)
}

// carries wants so many permissions on an object, and the one of the account a to have a role.
func (p *probe) carries(ctx context.Context, at moref, n int, role int32) outcome {
	list, a := p.permissions(ctx, at, false)
	if !a.ok() {
		return a.unready()
	}
	if len(list) != n {
		return differs("the object has %d permissions, not %d", len(list), n)
	}
	found, a := p.carried(ctx, at, false)
	if !a.ok() {
		return a.unready()
	}
	return when(found["a"] == role, "the account has another role there")
}

func tryTwiceInOneCall(ctx context.Context, p *probe) outcome {
	at, first, a := p.place(ctx, "r11-twice")
	if !a.ok() {
		return a.unready()
	}
	second, a := p.role(ctx, "only-"+rename, rename)
	if !a.ok() {
		return a.unready()
	}
	if a := p.set(ctx, at, perm(p.principal("a"), first, true), perm(p.principal("a"), second, true)); !a.ok() {
		return a.unexpected()
	}
	return p.carries(ctx, at, 1, second)
}

func tryOrder(ctx context.Context, p *probe) outcome {
	at, role, a := p.place(ctx, "r12")
	if !a.ok() {
		return a.unready()
	}
	gone, a := p.goneRole(ctx, "r12")
	if !a.ok() {
		return a.unready()
	}
	a = p.set(ctx, at, perm(p.principal("a"), role, true), permGroup(p.principal("g1"), gone, true), permGroup(p.principal("g2"), role, true))
	if !a.refused() {
		return a.unexpected()
	}
	found, a := p.carried(ctx, at, false)
	if !a.ok() {
		return a.unready()
	}
	_, before := found["a"]
	_, behind := found["g2"]
	return when(before && !behind, "the one before the failure is there: %t, the one behind it: %t", before, behind)
}

func tryReadBelow(ctx context.Context, p *probe) outcome {
	above, role, a := p.place(ctx, "r20-above")
	if !a.ok() {
		return a.unready()
	}
	at, a := p.makeFolder(ctx, p, above, "r20")
	if !a.ok() {
		return a.unready()
	}
	if a := p.set(ctx, above, permGroup(p.principal("g1"), role, true), permGroup(p.principal("g2"), role, false)); !a.ok() {
		return a.unready()
	}
	found, a := p.carried(ctx, at, true)
	if !a.ok() {
		return a.unready()
	}
	_, propagates := found["g1"]
	_, stays := found["g2"]
	return when(propagates && !stays, "the one that propagates is read: %t, the other: %t", propagates, stays)
}
