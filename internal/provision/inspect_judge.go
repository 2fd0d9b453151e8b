package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// compare explains each object, asks the vCenter, and compares. A difference is read again for a while before it is
// believed, the permissions too: changed roles take effect a little later.
func (t *target) compare(ctx context.Context, who access.Subject, objects []*inventory.Object, expected []expectation, out *CheckedVCenter) error {
	for n := 0; ; n++ {
		answers, err := t.answers(ctx, out, objects)
		if err != nil {
			return err
		}
		out.Objects = out.Objects[:0]
		disagreed := false
		for i, o := range objects {
			c := t.explained(who, o)
			if answers != nil {
				c.hold(answers[i])
			}
			disagreed = disagreed || c.Answer == AnswerDisagreed
			if e := expected[i]; e.scope != "" {
				held := c.held()
				c.Scope, c.Missing, c.Excess = e.scope, without(e.need, held), without(held, union(e.need, e.allowed))
				if out.Administrator != "" {
					c.Excess = nil
				}
			}
			out.Objects = append(out.Objects, c)
		}
		if !disagreed {
			return nil
		}
		if out.Groups == nil || !again(ctx, t.session, n) { // without the groups it is no wonder
			out.note("vCenter's own answer differs from what its permissions explain: the cause may be a global permission, which this API does not list, or an unknown group")
			return nil
		}
		if err := t.reread(ctx); err != nil {
			return err
		}
	}
}

// answers are the vCenter's own, in one request; nil for a group, which it answers for nowhere.
func (t *target) answers(ctx context.Context, out *CheckedVCenter, objects []*inventory.Object) ([][]string, error) {
	if out.Group {
		out.note("vCenter itself was not asked, because it answers only for users; global permissions are not known")
		return nil, nil
	}
	refs := make([]inventory.Ref, len(objects))
	for i, o := range objects {
		refs[i] = o.Ref
	}
	answers, err := t.session.PrivilegesOf(ctx, out.Principal, refs...)
	if err != nil {
		return nil, fmt.Errorf("%s: privileges of %s: %w", t.spec.Server, out.Principal, err)
	}
	return answers, nil
}

// reread reads roles and permissions as they are by now.
func (t *target) reread(ctx context.Context) error {
	now := *t.snapshot
	var wg crash.Group
	var rolesErr, permsErr error
	var all []perms.Permission
	wg.Go(func() { now.roles, rolesErr = roles.Read(ctx, t.session) })
	wg.Go(func() { all, permsErr = perms.Read(ctx, t.session) })
	wg.Wait()
	if err := errors.Join(rolesErr, permsErr); err != nil {
		return err
	}
	now.perms = perms.Of(t.spec.Server, all, t.keyOf)
	t.snapshot = &now
	return nil
}

// explained is what the permissions say of one object.
func (s *snapshot) explained(who access.Subject, o *inventory.Object) CheckedObject {
	c := CheckedObject{Path: o.Path(), Type: o.Ref.Type, Answer: AnswerExplained, Privileges: []ThroughPrivilege{}, Grants: []CheckedGrant{}}
	through := map[string][]int{}
	for _, e := range s.explain(who, o) {
		role, _ := s.roles.ByID(e.Permission.RoleID)
		if e.Counts {
			for _, id := range union(role.Implicit(), role.Privileges) {
				through[id] = append(through[id], len(c.Grants))
			}
		}
		c.Grants = append(c.Grants, CheckedGrant{
			Object: e.At.Path(), Principal: e.Permission.Principal, Group: e.Permission.Group, Role: s.roles.Name(e.Permission.RoleID),
			Propagate: e.Permission.Propagate, Counts: e.Counts, Why: e.Why,
		})
	}
	for id, by := range through {
		c.Privileges = append(c.Privileges, ThroughPrivilege{id, by})
	}
	c.sort()
	return c
}

// hold compares with the vCenter's own answer. That is what holds; where it differs both sides are kept.
func (c *CheckedObject) hold(answer []string) {
	held := c.held()
	c.Answer = AnswerAgreed
	c.OnlyExplained, c.OnlyServer = without(held, answer), without(answer, held)
	if len(c.OnlyExplained)+len(c.OnlyServer) == 0 {
		c.OnlyExplained, c.OnlyServer = nil, nil
		return
	}
	c.Answer = AnswerDisagreed
	c.Privileges = slices.DeleteFunc(c.Privileges, func(p ThroughPrivilege) bool { return slices.Contains(c.OnlyExplained, p.ID) })
	for _, id := range c.OnlyServer {
		c.Privileges = append(c.Privileges, ThroughPrivilege{id, []int{}})
	}
	c.sort()
}

func (c *CheckedObject) held() []string {
	ids := make([]string, len(c.Privileges))
	for i, p := range c.Privileges {
		ids[i] = p.ID
	}
	return ids
}

func (c *CheckedObject) sort() {
	slices.SortFunc(c.Privileges, func(a, b ThroughPrivilege) int { return strings.Compare(a.ID, b.ID) })
}
