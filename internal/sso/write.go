package sso

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Attach adds the steps of changes of accounts. passwords gets those of created accounts, by the
// name of the change.
func (c *Client) Attach(steps plan.Steps, changes []*plan.Change, passwords map[string]secret.Secret) {
	for _, change := range changes {
		name, _ := c.names.Split(change.Name)
		before, _ := change.Before.(plan.UserState)
		after, _ := change.After.(plan.UserState)
		switch {
		case change.Kind == plan.Group && change.Verb == plan.Create:
			steps.Do(change, func(ctx context.Context) error { return c.createGroup(ctx, name, after.Description) })
		case change.Kind == plan.Group:
			steps.Do(change, func(ctx context.Context) error { return c.removeGroup(ctx, name, before.Description) })
		case change.Kind != plan.User:
		case change.Verb == plan.Create:
			steps.Do(change, func(ctx context.Context) error {
				err := c.create(ctx, name, after.Description, passwords[change.Name])
				if err == nil {
					err = c.enroll(ctx, name, after.MemberOf, true)
				}
				if err == nil && after.Disabled {
					err = c.SetDisabled(ctx, name, after.Description, true)
				}
				return err
			})
		case change.Verb == plan.Update && (before.Disabled != after.Disabled || before.MemberOf != after.MemberOf):
			steps.Do(change, func(ctx context.Context) error {
				if _, err := c.ours(ctx, name, before.Description); err != nil {
					return err
				}
				err := c.enroll(ctx, name, cmp.Or(after.MemberOf, before.MemberOf), after.MemberOf != "")
				if err == nil && before.Disabled != after.Disabled {
					err = c.SetDisabled(ctx, name, before.Description, after.Disabled)
				}
				return err
			})
		case change.Verb == plan.Delete:
			steps.Do(change, func(ctx context.Context) error {
				return c.remove(ctx, User{Name: name, Description: before.Description}, c.find)
			})
		}
	}
}

// create makes the account. If that fails and an account with our mark exists, it is ours with a
// lost answer or another run's: one login with its password tells.
func (c *Client) create(ctx context.Context, name, description string, password secret.Secret) error {
	_, err := ssomethods.CreateLocalPersonUser(ctx, c.sso, &ssotypes.CreateLocalPersonUser{
		This:        c.sso.Content.PrincipalManagementService,
		UserName:    name,
		UserDetails: ssotypes.AdminPersonDetails{Description: dated(description, time.Now(), password)},
		Password:    password.Reveal(),
	})
	if err == nil {
		return nil
	}
	u, findErr := c.find(ctx, name)
	if findErr != nil || u == nil || u.Description != description {
		return allowed(err)
	}
	opened, undecided := c.opens(ctx, u, password)
	switch {
	case undecided != nil:
		return hint.Wrap(fmt.Errorf("%w: %w; its saved password is kept (%w)", ErrUnproved, undecided, err),
			"apply again, then test the password with verify")
	case !opened:
		return hint.Wrap(fmt.Errorf("%w: %w", ErrTaken, err), "perhaps another run is in progress; plan again")
	}
	return nil
}

// enroll puts an account of ours into a group of the SSO domain, or takes it out; "" = no group.
// After a lost answer it reads the account's groups.
func (c *Client) enroll(ctx context.Context, name, group string, in bool) error {
	if group == "" {
		return nil
	}
	id := ssotypes.PrincipalId{Name: name, Domain: c.names.Domain}
	bare, _ := c.names.Split(group)
	var err error
	what := "make it a member of"
	if in {
		_, err = ssomethods.AddUserToLocalGroup(ctx, c.sso, &ssotypes.AddUserToLocalGroup{
			This: c.sso.Content.PrincipalManagementService, UserId: id, GroupName: bare,
		})
	} else {
		what = "take it out of"
		_, err = ssomethods.RemovePrincipalsFromLocalGroup(ctx, c.sso, &ssotypes.RemovePrincipalsFromLocalGroup{
			This: c.sso.Content.PrincipalManagementService, PrincipalsIds: []ssotypes.PrincipalId{id}, GroupName: bare,
		})
	}
	if err == nil && in {
		return nil
	}
	groups, findErr := c.parents(ctx, id)
	same := func(g string) bool { return c.names.Same(g) == c.names.Same(group) }
	if findErr == nil && slices.ContainsFunc(groups, same) == in {
		return nil
	}
	return fmt.Errorf("cannot %s group %s: %w", what, group,
		allowed(cmp.Or(err, findErr, errors.New("a group that is a member has it, too"))))
}

// opens tries the password of an account once. An account that refuses every password is not tried.
func (c *Client) opens(ctx context.Context, u *User, password secret.Secret) (opened bool, undecided error) {
	switch {
	case u.Locked:
		return false, errors.New("the account is locked")
	case u.Disabled:
		return false, errors.New("the account is disabled")
	}
	return c.session.ProvePassword(ctx, u.Name+"@"+c.names.Domain, password)
}

// remove deletes an account or a group, unless its mark changed since it was read.
func (c *Client) remove(ctx context.Context, u User, find func(context.Context, string) (*User, error)) error {
	switch now, err := find(ctx, u.Name); {
	case err != nil:
		return allowed(err)
	case now == nil:
		return nil
	case now.Description != u.Description:
		return hint.Errorf("plan again", "somebody created it again or changed its description after the plan")
	}
	_, err := ssomethods.DeleteLocalPrincipal(ctx, c.sso, &ssotypes.DeleteLocalPrincipal{
		This: c.sso.Content.PrincipalManagementService, PrincipalName: u.Name,
	})
	if err == nil {
		return nil
	}
	if left, findErr := find(ctx, u.Name); findErr == nil && left == nil {
		return nil
	}
	return allowed(err)
}

// SetDisabled disables or enables an account with this mark. It keeps password, groups, permissions
// and sessions: only logins are refused. After a lost answer it reads the account. An error means
// that its state is unknown, [ErrNotOurs] that it is gone or has another mark.
func (c *Client) SetDisabled(ctx context.Context, name, mark string, disabled bool) error {
	switch u, err := c.ours(ctx, name, mark); {
	case err != nil:
		return err
	case u.Disabled == disabled:
		return nil
	}
	id := ssotypes.PrincipalId{Name: name, Domain: c.names.Domain}
	var err error
	if disabled {
		_, err = ssomethods.DisableUserAccount(ctx, c.sso,
			&ssotypes.DisableUserAccount{This: c.sso.Content.PrincipalManagementService, UserId: id})
	} else {
		_, err = ssomethods.EnableUserAccount(ctx, c.sso,
			&ssotypes.EnableUserAccount{This: c.sso.Content.PrincipalManagementService, UserId: id})
	}
	if err == nil {
		return nil
	}
	if u, findErr := c.ours(ctx, name, mark); findErr == nil && u.Disabled == disabled {
		return nil
	}
	return still(err)
}

// Bears reports whether an account of this name is there and bears this mark.
func (c *Client) Bears(ctx context.Context, name, mark string) (bool, error) {
	u, err := c.find(ctx, name)
	if err != nil {
		return false, allowed(err)
	}
	return u != nil && u.Description == mark, nil
}

// ErrNotOurs says that an account is gone, or has another mark than when it was planned.
var ErrNotOurs = errors.New("the account is no longer the one that this tool created")

// Reset sets the password of an account with this mark, as the administrator; it is idempotent.
// With an error, perhaps reports whether the password may be set, because the answer was lost. note
// writes its tag and its day, zero if unknown, after the mark; it is nil if the account could not
// be read.
func (c *Client) Reset(ctx context.Context, name, mark string,
	password secret.Secret,
) (note func(context.Context, time.Time) error, perhaps bool, err error) {
	u, err := c.ours(ctx, name, mark)
	if err != nil {
		return nil, false, err
	}
	note = func(ctx context.Context, day time.Time) error {
		details := u.Details // the service replaces all of them
		details.Description = dated(mark, day, password)
		_, err := ssomethods.UpdateLocalPersonUserDetails(ctx, c.sso, &ssotypes.UpdateLocalPersonUserDetails{
			This: c.sso.Content.PrincipalManagementService, UserName: name, UserDetails: details,
		})
		return still(err)
	}
	_, err = ssomethods.ResetLocalPersonUserPassword(ctx, c.sso, &ssotypes.ResetLocalPersonUserPassword{
		This: c.sso.Content.PrincipalManagementService, UserName: name, NewPassword: password.Reveal(),
	})
	return note, err != nil && !vcenter.Refused(err), still(err)
}

// still says of an account that went away after it was read that it is gone.
func still(err error) error {
	if absent(err) {
		return fmt.Errorf("%w: it does not exist", ErrNotOurs)
	}
	return allowed(err)
}

// Barred says why an account refuses its own password: "locked", "disabled" or "expired", "" if
// none or if SSO does not tell the password's life.
func (c *Client) Barred(ctx context.Context, name string) (string, error) {
	u, err := c.find(ctx, name)
	switch {
	case err != nil || u == nil:
		return "", allowed(err)
	case u.Disabled:
		return "disabled", nil
	case u.Locked:
		return "locked", nil
	}
	if err := c.AskDaysLeft(ctx, u); err != nil {
		return "", err
	}
	if u.Expired() {
		return "expired", nil
	}
	return "", nil
}

// ours reads an account anew, which has to bear the mark.
func (c *Client) ours(ctx context.Context, name, mark string) (*ssotypes.AdminPersonUser, error) {
	res, err := ssomethods.FindPersonUser(ctx, c.sso, &ssotypes.FindPersonUser{
		This: c.sso.Content.PrincipalDiscoveryService, UserId: ssotypes.PrincipalId{Name: name, Domain: c.names.Domain},
	})
	switch {
	case err != nil:
		return nil, still(err)
	case res.Returnval == nil:
		return nil, fmt.Errorf("%w: it does not exist", ErrNotOurs)
	}
	if found := person(res.Returnval).Description; found != mark {
		return nil, fmt.Errorf("%w: its description is %q", ErrNotOurs, found)
	}
	return res.Returnval, nil
}
