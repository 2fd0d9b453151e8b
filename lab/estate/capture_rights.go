package estate

import (
	"cmp"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// rights fills in the permissions, and lists their principals.
func (c *capture) rights(o *objects, roles map[int32]string) {
	machines, vanished := 0, 0
	seen := map[Permission]bool{} // without role and propagation
	for _, p := range slices.Concat(c.permissions.All, c.permissions.Global) {
		at := o.tree.Object(p.Entity)
		if p.Entity == inventory.Global.Ref {
			at = inventory.Global
		}
		role, known := roles[p.RoleID]
		switch {
		case at == inventory.Global && known:
		case at == nil || !o.listed[at] && p.Entity.Type != machine:
			vanished++
			continue
		case !o.listed[at]:
			machines++
			continue
		case !known || ungrantable(role):
			c.note("the permission of %s on %s is omitted: its role does not exist", p.Principal, at.Path())
			continue
		}
		if _, why := at.Unassignable(); why != "" {
			c.note("the permission of %s on %s is omitted: it has no effect, because %s", p.Principal, at.Path(), why)
			continue
		}
		path := cmp.Or(o.paths[at], at.Path())
		var name string
		if p.Group {
			name = c.group(p.Principal)
		} else {
			name = c.user(p.Principal, false, "")
		}
		if one := (Permission{Object: path, Principal: name, Group: p.Group}); name != "" && !seen[one] {
			seen[one] = true
			c.v.Permissions = append(c.v.Permissions, Permission{path, name, p.Group, role, p.Propagate})
		}
	}
	if why := c.permissions.Unseen; why != "" {
		c.note("%s", perms.NotKnown(why))
	}
	if machines > 0 {
		c.note("permissions on virtual machines are omitted with the machines (%d): include them with --machines", machines)
	}
	if vanished > 0 {
		c.note("omitted: %s on objects that are not visible or were left out", term.Count(vanished, "permission"))
	}
}
