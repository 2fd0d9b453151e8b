package provision

import (
	"context"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// InPlace reports whether a vCenter, as Plan has read it, is already what a change of another plan makes of it. A change
// whose state cannot be told is not.
func (j *Job) InPlace(ctx context.Context, server string, c *plan.Change) bool {
	t := j.target(server)
	if t == nil || t.Err != nil || c.Kind != plan.Folder && c.Kind != plan.Tag && (c.After == nil) != (c.Verb == plan.Delete) {
		return false
	}
	switch c.Kind {
	case plan.Folder:
		return c.Verb == plan.Create && t.Inventory.At(c.Name) != nil
	case plan.Tag:
		return c.Verb == plan.Create && t.Tags != nil && t.Tags.InPlace(c, t.Inventory.At(c.Object))
	case plan.Role:
		role, exists := t.Roles.ByName(c.Name)
		after, kept := c.After.(plan.RoleState)
		return exists == kept && (!kept || slices.Equal(role.Privileges, lists.Union(after.Privileges, nil)))
	case plan.User:
		return t.userInPlace(ctx, c)
	case plan.Permission:
		return t.permissionInPlace(c)
	case plan.Privilege:
	}
	return false
}

func (t *target) userInPlace(ctx context.Context, c *plan.Change) bool {
	name, domain := t.SSO.Split(c.Name)
	after, kept := c.After.(plan.UserState)
	switch {
	case t.SSO.Users == nil || !strings.EqualFold(domain, t.SSO.Domain):
		return false
	case kept:
		user, exists := t.SSO.Users[strings.ToLower(name)]
		return exists && user.Description == after.Description && user.Disabled == after.Disabled
	}
	ours, err := t.directory.AllMarked(ctx) // one that is removed need not be an account of the specification
	return err == nil && !slices.ContainsFunc(ours, func(u sso.User) bool { return strings.EqualFold(u.Name, name) })
}

func (s *target) permissionInPlace(c *plan.Change) bool {
	who := access.Principal{Name: c.Principal, Group: c.Group}
	after, kept := c.After.(plan.PermissionState)
	for _, p := range s.PermissionsOf(who) {
		if s.Path(p.Entity) == c.Object {
			return kept && after == plan.PermissionState{Role: s.Roles.Name(p.RoleID), Propagate: p.Propagate}
		}
	}
	return !kept
}
