package provision

import (
	"context"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// InPlace reports whether a vCenter, as Plan has read it, is already what a change of another plan makes of it. A change
// whose state cannot be told is not.
func (j *Job) InPlace(ctx context.Context, server string, c *plan.Change) bool {
	t := j.target(server)
	if t == nil || t.err != nil || c.Kind != plan.Folder && (c.After == nil) != (c.Verb == plan.Delete) {
		return false
	}
	switch c.Kind {
	case plan.Folder:
		return c.Verb == plan.Create && t.inventory.At(c.Name) != nil
	case plan.Role:
		role, exists := t.roles.ByName(c.Name)
		after, kept := c.After.(plan.RoleState)
		return exists == kept && (!kept || sameElements(role.Privileges, after.Privileges))
	case plan.User:
		return t.userInPlace(ctx, c)
	case plan.Permission:
		return t.permissionInPlace(c)
	case plan.Privilege:
	}
	return false
}

func (t *target) userInPlace(ctx context.Context, c *plan.Change) bool {
	name, domain := t.sso.Split(c.Name)
	after, kept := c.After.(plan.UserState)
	switch {
	case t.sso.Users == nil || !strings.EqualFold(domain, t.sso.Domain):
		return false
	case kept:
		user, exists := t.sso.Users[strings.ToLower(name)]
		return exists && user.Description == after.Description && user.Disabled == after.Disabled
	}
	ours, err := t.directory.AllMarked(ctx) // one that is removed need not be an account of the specification
	return err == nil && !slices.ContainsFunc(ours, func(u sso.User) bool { return strings.EqualFold(u.Name, name) })
}

func (s *target) permissionInPlace(c *plan.Change) bool {
	who := access.Principal{Name: c.Principal, Group: c.Group}
	after, kept := c.After.(plan.PermissionState)
	for _, p := range s.permissionsOf(who) {
		if s.path(p.Entity) == c.Object {
			return kept && after == plan.PermissionState{Role: s.roles.Name(p.RoleID), Propagate: p.Propagate}
		}
	}
	return !kept
}

func sameElements(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
