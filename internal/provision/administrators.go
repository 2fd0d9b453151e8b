package provision

import (
	"cmp"
	"context"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
)

// trace finds out by which groups the accounts became administrators, or powerful: who takes one out of a group that it is in through another
// changes nothing. Of a group among them it asks whether it is the administrator's own.
func (t *target) trace(ctx context.Context) error {
	t.Through = map[string][]string{}
	names := t.Request.Adopted()
	for _, u := range t.SSO.Users {
		names = append(names, u.Name+"@"+t.SSO.Domain)
	}
	for _, name := range names {
		groups := t.GroupsOf(access.Principal{Name: name})
		group := cmp.Or(t.Administrating(groups), t.Empowering(groups))
		if group == "" {
			continue
		}
		through, err := t.directory.Through(ctx, name, group)
		if err != nil {
			return err
		}
		t.Through[t.SSO.Same(name)] = through
		if found, asked := t.SSO.Principal(name); asked && found.Group && t.LoginGroups == nil {
			login, err := t.directory.Look(ctx, t.Administrator)
			if err != nil {
				return err
			}
			t.LoginGroups = login.Groups
		}
	}
	return nil
}
