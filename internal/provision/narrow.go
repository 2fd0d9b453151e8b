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

// readSSO reads the accounts. Roles and permissions can be made without them, by an administrator
// of the vCenter alone, because the vCenter refuses missing principals. Removal needs the accounts.
func (j *Job) readSSO(ctx context.Context, t *target) error {
	q := t.at.Request
	// whether two names are one account decides the names of roles
	if q.Only == plan.Role && len(q.Adopted()) < 2 && len(t.at.VCenter.Accounts) == 0 {
		domain, _ := t.session.SSODomain(ctx) // needed to recognize our accounts
		t.directory, t.at.SSO = sso.Unread(t.session, domain, nil)
		t.at.Alone()
		if q.Undoing { // linked vCenters may share roles; their list needs no login
			return j.identify(ctx, t)
		}
		return nil
	}
	var err error
	names, filed := q.KnownNames(t.at.VCenter.Server)
	if t.directory, t.at.SSO, err = sso.Read(ctx, t.session, sso.Query{
		Names: lists.AppendNew(names, t.at.UserNames()...),
		Filed: filed, Principals: q.Adopted(), Groups: q.MemberOf(), Cluster: q.MarkedFor(), Made: q.Prune || q.Undoing,
		Lockout: q.Lock, Ages: q.Ages || q.Ordering, AgesOf: q.PasswordDiffers(t.at.VCenter.Server),
	}); err == nil {
		t.at.SettleUsers()
		if q.Only == plan.Role {
			t.at.SSO.Users = nil // not needed
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

// unread continues without accounts: linked vCenters and the domain's name need no login.
func (j *Job) unread(ctx context.Context, t *target, why error) error {
	domain, err := t.session.SSODomain(ctx)
	if err != nil {
		return why
	}
	t.directory, t.at.SSO = sso.Unread(t.session, domain, why)
	if q := t.at.Request; q.Only == "" || q.Only == plan.User {
		return j.identify(ctx, t)
	}
	t.at.Alone()
	return nil
}

// reads notes whether the administrator may change nothing, by its permission on the root folder.
func (t *target) reads(ctx context.Context) error {
	for _, p := range t.at.PermissionsOf(access.Principal{Name: t.at.Administrator}) {
		if role, known := t.at.Roles.ByID(p.RoleID); known && p.Entity == t.at.Root {
			t.at.Reads = len(privileges.Strip(role.Privileges)) == 0
			return nil
		}
	}
	held, err := t.session.Privileges(ctx, t.at.Root)
	if err != nil {
		return fmt.Errorf("%s: privileges of %s: %w", t.at.VCenter.Server, t.at.Administrator, err)
	}
	t.at.Reads = len(privileges.Strip(held[0])) == 0
	return nil
}

// trace finds the groups that make accounts administrators, or powerful, which are the direct ones
// because only leaving those has an effect. It also finds the administrator's groups among these.
func (t *target) trace(ctx context.Context) error {
	t.at.Through = map[string][]string{}
	names := t.at.Request.Adopted()
	for _, u := range t.at.SSO.Users {
		names = append(names, u.Name+"@"+t.at.SSO.Domain)
	}
	for _, name := range names {
		groups := t.at.GroupsOf(access.Principal{Name: name})
		group := cmp.Or(t.at.Administrating(groups), t.at.Empowering(groups))
		if group == "" {
			continue
		}
		through, err := t.directory.Through(ctx, name, group)
		if err != nil {
			return err
		}
		t.at.Through[t.at.SSO.Same(name)] = through
		if found, asked := t.at.SSO.Principal(name); asked && found.Group && t.at.LoginGroups == nil {
			login, err := t.directory.Look(ctx, t.at.Administrator)
			if err != nil {
				return err
			}
			t.at.LoginGroups = login.Groups
		}
	}
	return nil
}
