package contract

import (
	"context"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// noAccess is the id of the system role that takes rights away.
const noAccess = -5

// writeRights are the rules about effective rights that need permissions of our own. The account a is in the groups g1 and g2.
func writeRights() []Rule {
	rule := func(id, part, says string, c rightsCase) Rule {
		return Rule{ID: id, Case: part, Says: says, Scratch: true, try: c.try}
	}
	return []Rule{
		rule("R21", "groups unite", "The rights of several groups on one object add up.",
			rightsCase{name: "r21-groups", on: []given{{who: "g1", role: create}, {who: "g2", role: rename}}, want: []string{create, rename}}),
		rule("R21", "user first", "On one object an account's own permission overrides those of its groups.",
			rightsCase{name: "r21-user", on: []given{{who: "g1", role: create}, {who: "a", role: rename}}, want: []string{rename}}),
		rule("R22", "nearest", "A permission on an object overrides inherited ones.",
			rightsCase{name: "r22-near", above: []given{{who: "a", role: create, down: true}}, on: []given{{who: "a", role: rename}}, want: []string{rename}}),
		rule("R22", "no access", "NoAccess on an object overrides inherited permissions.",
			rightsCase{name: "r22-none", above: []given{{who: "a", role: create, down: true}}, on: []given{{who: "a", role: "NoAccess"}}, want: nil}),
		rule("R22", "group below", "A group's permission on a child overrides the account's own on the parent. (inferred)",
			rightsCase{name: "r22-group", above: []given{{who: "a", role: create, down: true}}, on: []given{{who: "g1", role: rename}}, want: []string{rename}}),
		rule("R23", "propagates", "A permission that propagates applies to the objects below.",
			rightsCase{name: "r23-down", above: []given{{who: "a", role: create, down: true}}, want: []string{create}}),
		rule("R23", "does not propagate", "A permission that does not propagate applies only to its object.",
			rightsCase{name: "r23-here", above: []given{{who: "a", role: create}}, want: nil}),
		{ID: "sight", Case: "hidden", Says: "An object without System.View is not found.", Scratch: true, try: trySight},
		{ID: "R48", Case: "delete", Says: "Deleting a folder requires Folder.Delete on its parent too.", Scratch: true, try: tryDeleteNeedsParent},
	}
}

// given is a permission that a case sets. role is a marker privilege, or NoAccess.
type given struct {
	who, role string
	down      bool // propagates
}

// rightsCase sets permissions on a folder and on the one above it, and compares what the account a may do on the folder.
type rightsCase struct {
	name      string
	above, on []given
	want      []string // marker privileges, sorted
}

func (c rightsCase) try(ctx context.Context, p *probe) outcome {
	if got := p.people(ctx); got.verdict != Holds {
		return asUntried(got)
	}
	upper, a := p.below(ctx, c.name+"-above")
	if !a.ok() {
		return a.unready()
	}
	at, a := p.makeFolder(ctx, p, upper, c.name)
	if !a.ok() {
		return a.unready()
	}
	for _, g := range c.above {
		if got := p.give(ctx, upper, g); got.verdict != Holds {
			return got
		}
		if got := p.expect(ctx, upper, g.role); got.verdict != Holds { // else what is not below would prove nothing
			return untried("the permission above has no effect: %s", got.detail)
		}
	}
	for _, g := range c.on {
		if got := p.give(ctx, at, g); got.verdict != Holds {
			return got
		}
	}
	return p.expect(ctx, at, c.want...)
}

func (p *probe) give(ctx context.Context, at moref, g given) outcome {
	perm, a := p.permission(ctx, g)
	if a.ok() {
		a = p.set(ctx, at, perm)
	}
	if !a.ok() {
		return a.unready()
	}
	return holds()
}

func (p *probe) permission(ctx context.Context, g given) (types.Permission, answer) {
	var id int32 = noAccess
	var a answer
	if g.role != "NoAccess" {
		id, a = p.role(ctx, "only-"+g.role, g.role)
	}
	return types.Permission{Principal: p.principal(g.who), Group: g.who != "a", RoleId: id, Propagate: g.down}, a
}

// compare reads once which marker privileges the account a has on an object.
func (p *probe) compare(ctx context.Context, at moref, want ...string) outcome {
	all, a := p.rights(ctx, p.principal("a"), at)
	if !a.ok() {
		return a.unready()
	}
	got := marked(all[0])
	return when(slices.Equal(got, want), "the account has %s, not %s", listed(got), listed(want))
}

// expect is compare until it holds or was waited long enough for.
func (p *probe) expect(ctx context.Context, at moref, want ...string) outcome {
	got, _ := p.until(ctx, func() outcome { return p.compare(ctx, at, want...) })
	return got
}

func tryDeleteNeedsParent(ctx context.Context, p *probe) outcome {
	lesser, got := p.asLesser(ctx)
	if got.verdict != Holds {
		return got
	}
	at, a := p.below(ctx, "r48")
	if !a.ok() {
		return a.unready()
	}
	id, a := p.role(ctx, "deletes", "Folder.Delete")
	if !a.ok() {
		return a.unready()
	}
	if a := p.set(ctx, at, perm(p.principal("lesser"), id, false)); !a.ok() {
		return a.unready()
	}
	got, _ = p.until(ctx, func() outcome {
		has, a := p.has(ctx, p.principal("lesser"), at, []string{"Folder.Delete"})
		if !a.ok() {
			return a.unready()
		}
		return when(len(has) == 1, "the permission has no effect")
	})
	if got.verdict != Holds {
		return untried("%s", got.detail)
	}
	_, a = send(ctx, lesser, methods.Destroy_Task, &types.Destroy_Task{This: at})
	return a.with("NoPermission")
}

func trySight(ctx context.Context, p *probe) outcome {
	lesser, got := p.asLesser(ctx)
	if got.verdict != Holds {
		return got
	}
	at, a := p.below(ctx, "sight")
	if !a.ok() {
		return a.unready()
	}
	path := strings.TrimSuffix(p.o.Scratch, "/") + "/" + p.lab.name("folder") + "/" + p.lab.name("sight")
	seen := func() (bool, answer) {
		res, a := send(ctx, lesser, methods.FindByInventoryPath, &types.FindByInventoryPath{This: *p.Content.SearchIndex, InventoryPath: path})
		return res.Returnval != nil, a
	}
	if there, a := seen(); !a.ok() || !there {
		return untried("the account does not find a folder that it may see")
	}
	if a := p.set(ctx, at, perm(p.principal("lesser"), noAccess, true)); !a.ok() {
		return a.unready()
	}
	got, _ = p.until(ctx, func() outcome {
		there, a := seen()
		if !a.ok() {
			return a.unexpected()
		}
		return when(!there, "the folder is found")
	})
	return got
}
