package vcsim

import (
	"errors"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// entrust makes the accounts, roles and permissions of contents, behind everybody's back: nothing has to satisfy a policy,
// and linked vCenters, which share their accounts, each bring them.
func (v *VCenter) entrust(c *Contents) error {
	for _, s := range c.Sources {
		if err := v.dir.AddIdentitySource(s); err != nil && !errors.Is(err, directory.ErrDuplicate) {
			return fmt.Errorf("identity source %s: %w", s.Name, err)
		}
	}
	if err := enrol(v.dir, c); err != nil {
		return err
	}
	ids := map[string]int32{}
	for _, r := range v.authz.roleList() {
		ids[r.Name] = r.RoleId
	}
	for _, r := range c.Roles {
		id, err := v.authz.addRole(r.Name, r.Privileges)
		if err != nil {
			return fmt.Errorf("role %s: %w", r.Name, err)
		}
		ids[r.Name] = id
	}
	for _, p := range c.Permissions {
		if err := v.permit(p, ids); err != nil {
			return fmt.Errorf("permission of %s on %s: %w", p.Principal, p.Path, err)
		}
	}
	return nil
}

// enrol makes users and groups, and then the members.
func enrol(d *directory.Directory, c *Contents) error {
	for _, u := range c.Users {
		err := exist(d, u.Name, false)
		if err == nil && u.Description != "" {
			err = d.SetDetails(u.Name, directory.Details{Description: u.Description})
		}
		if err == nil && u.Password != "" {
			err = d.SetPassword(u.Name, u.Password)
		}
		if err == nil && u.Disabled {
			err = d.SetDisabled(u.Name, true)
		}
		if err != nil {
			return fmt.Errorf("user %s: %w", u.Name, err)
		}
	}
	for _, g := range c.Groups {
		if err := exist(d, g.Name, true); err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
	}
	for _, g := range c.Groups {
		for _, list := range []struct {
			members []string
			groups  bool
		}{{g.Users, false}, {g.Groups, true}} {
			for _, m := range list.members {
				err := exist(d, m, list.groups)
				if err == nil {
					err = d.AddMember(g.Name, m, list.groups)
				}
				if err != nil {
					return fmt.Errorf("member %s of group %s: %w", m, g.Name, err)
				}
			}
		}
	}
	return nil
}

// exist makes a principal that is not there. No password opens it.
func exist(d *directory.Directory, name string, group bool) error {
	if group {
		if _, there := d.Group(name); there {
			return nil
		}
		return d.AddGroup(name, "")
	}
	if _, there := d.User(name); there {
		return nil
	}
	return d.AddUser(name, "", directory.Details{})
}

func (v *VCenter) permit(p Permission, ids map[string]int32) error {
	ref, ok := globalObject, p.Path == GlobalPath
	if !ok {
		ref, ok = v.find(p.Path)
	}
	if !ok {
		return errors.New("there is no such object")
	}
	id, ok := ids[p.Role]
	if !ok {
		return fmt.Errorf("role %s does not exist", p.Role)
	}
	if err := exist(v.dir, p.Principal, p.Group); err != nil {
		return err
	}
	who := v.authz.principal(p.Principal, p.Group)
	if ref == globalObject {
		return v.authz.grantGlobally(grant{key: who.Key(), principal: who, propagate: p.Propagate}, p.Role)
	}
	return v.authz.setPermission(ref, who, id, p.Propagate)
}
