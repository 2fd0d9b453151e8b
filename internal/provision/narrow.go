package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// readSSO reads the accounts. Roles are made without them, and permissions can be: whoever administers the vCenter need
// not administer its SSO domain, and the vCenter itself refuses a principal that does not exist. Nothing is removed
// without reading whose it is.
func (j *Job) readSSO(ctx context.Context, t *target) error {
	q := t.Request
	if q.Only == plan.Role && len(q.Adopted()) < 2 && len(t.VCenter.Accounts) == 0 { // whether two names mean one account decides what roles are called
		domain, _ := t.session.SSODomain(ctx) // only tells our accounts from others
		t.directory, t.SSO = sso.Unread(t.session, domain, nil)
		t.Alone()
		if q.Undoing { // linked vCenters may share their roles; the lookup service tells without a login who they are
			return j.identify(ctx, t)
		}
		return nil
	}
	var err error
	if t.directory, t.SSO, err = sso.Read(ctx, t.session, sso.Query{Names: lists.AppendNew(q.KnownNames(t.VCenter.Server), t.UserNames()...), Principals: q.Adopted(), Cluster: q.MarkedFor(), Lockout: q.Lock, Ages: q.Ages || q.Ordering, AgesOf: q.PasswordDiffers(t.VCenter.Server)}); err == nil {
		t.SettleUsers()
		if q.Only == plan.Role {
			t.SSO.Users = nil // they do not matter
		}
		return j.identify(ctx, t)
	}
	spared := q.Looking || q.Only == plan.Role || q.Only == plan.Permission && !q.Undoing || q.Only == "" && !q.OwnsAny()
	if !errors.Is(err, vcenter.ErrCannotSSO) {
		return err
	}
	if !spared {
		return hint.Wrap(err, "or leave the accounts to others: components.NAME.principal and group: false for each component")
	}
	return j.unread(ctx, t, err)
}

// unread goes on without the accounts: what vCenters share is known without a login, and of the domain no more than its name.
func (j *Job) unread(ctx context.Context, t *target, why error) error {
	domain, err := t.session.SSODomain(ctx)
	if err != nil {
		return why
	}
	t.directory, t.SSO = sso.Unread(t.session, domain, why)
	if q := t.Request; q.Only == "" || q.Only == plan.User {
		return j.identify(ctx, t)
	}
	t.Alone()
	return nil
}

// reads notes whether the administrator's login may change nothing at the root folder. Its own permission there tells without a request.
func (t *target) reads(ctx context.Context) error {
	for _, p := range t.PermissionsOf(access.Principal{Name: t.Administrator}) {
		if role, known := t.Roles.ByID(p.RoleID); known && p.Entity == t.Root {
			t.Reads = len(privileges.Strip(role.Privileges)) == 0
			return nil
		}
	}
	held, err := t.session.Privileges(ctx, t.Root)
	if err != nil {
		return fmt.Errorf("%s: privileges of %s: %w", t.VCenter.Server, t.Administrator, err)
	}
	t.Reads = len(privileges.Strip(held[0])) == 0
	return nil
}

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
