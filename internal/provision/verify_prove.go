package provision

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// expected is what accounts are judged by on a vCenter.
func (s *snapshot) expected(d *desired) *verify.Expected {
	return &verify.Expected{
		Wanted: d.Wanted, Works: d.works, Named: d.named, Version: s.version, Inventory: s.inventory, Roles: s.roles, Perms: s.perms,
		Explain: s.explain, Standing: s.standing, Administers: s.administers,
	}
}

// prove looks with an account's own eyes and has judged what it sees. A difference is read again for a while before it is
// believed.
func (t *target) prove(ctx context.Context, e *verify.Expected, a *account, objects []*inventory.Object, ours func(perms.Permission) bool, checks []verify.Check, results []verify.Preflight) (verify.Account, error) {
	v := verify.Account{
		Component: strings.Join(component.Words(a.components), ","), Principal: a.principal(), Member: a.member, Login: a.result, Reason: a.reason, Objects: []verify.Object{},
	}
	leftovers := e.Leftovers(a.who.Key, ours)
	if a.session == nil || a.result != login.OK {
		v.Objects = append(v.Objects, leftovers...)
		return v, nil
	}
	v.Permissions = len(e.Satisfying(a.who))
	for _, p := range a.principals {
		groups := t.groupsOf(p)
		v.Administrator = t.administrating(groups)
		if group := cmp.Or(v.Administrator, t.empowering(groups)); group != "" {
			v.Reason = "a member of " + group
			break
		}
	}
	needed := e.Objects(a.who)
	for _, c := range checks {
		if c.Key == a.who.Key {
			needed = lists.AppendNew(needed, c.Object)
		}
	}
	by := verify.Case{Components: a.components, Who: a.who, Holder: t.withGroups(a), Objects: slices.Concat(needed, objects), Leftovers: leftovers}
	needed = lists.AppendNew(needed, e.WorkedOn(a.components)...)
	for n := 0; ; n++ {
		seen, err := a.look(ctx, e.Wanted, needed, objects)
		if vcenter.Unanswered(err) {
			return v, err
		}
		if err != nil {
			v.Login = strings.ReplaceAll(err.Error(), "\n", "; ")
			return v, nil
		}
		passed := e.Judge(&v, by, seen)
		for i, c := range checks {
			if c.Key == a.who.Key {
				results[i] = c.Replay(seen[c.Object])
				passed = passed && len(results[i].Missing) == 0
			}
		}
		if passed || !again(ctx, a.session, n) {
			v.Objects = append(v.Objects, leftovers...)
			return v, nil
		}
	}
}

// withGroups is the account with all groups that it is known to be in.
func (s *snapshot) withGroups(a *account) access.Subject {
	who := a.who
	who.Groups = slices.Clone(who.Groups)
	for _, p := range a.principals {
		who.Groups = append(who.Groups, s.subject(p, s.groupsOf(p)).Groups...)
	}
	return who
}
