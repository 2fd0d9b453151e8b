package sso

import (
	"context"
	"errors"
	"fmt"
	"time"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Attach says in steps what does the changes of accounts. passwords has those of accounts that are created, by the name of the change,
// when the steps are done.
func (c *Client) Attach(steps plan.Steps, changes []*plan.Change, passwords map[string]secret.Secret) {
	for _, change := range changes {
		name, _ := c.names.Split(change.Name)
		before, _ := change.Before.(plan.UserState)
		after, _ := change.After.(plan.UserState)
		switch {
		case change.Kind != plan.User:
		case change.Verb == plan.Create:
			steps.Do(change, func(ctx context.Context) error {
				err := c.create(ctx, name, after.Description, passwords[change.Name])
				if err == nil && after.Disabled {
					err = c.SetDisabled(ctx, name, after.Description, true)
				}
				return err
			})
		case change.Verb == plan.Update && before.Disabled != after.Disabled:
			steps.Do(change, func(ctx context.Context) error { return c.SetDisabled(ctx, name, before.Description, after.Disabled) })
		case change.Verb == plan.Delete:
			steps.Do(change, func(ctx context.Context) error {
				return c.remove(ctx, User{Name: name, Description: before.Description})
			})
		}
	}
}

// create makes the account. When that fails and an account with our mark is there all the same, it may be the one that
// this request made, its answer being lost on the way, or another run's: its password opens it or does not, and one login
// tells.
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

// remove deletes an account. One whose mark changed since it was read is somebody else's by then, and stays.
func (c *Client) remove(ctx context.Context, u User) error {
	switch now, err := c.find(ctx, u.Name); {
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
	if left, findErr := c.find(ctx, u.Name); findErr == nil && left == nil {
		return nil
	}
	return allowed(err)
}

// SetDisabled disables an account with this mark, or enables it. Its password, groups and permissions stay,
// and its sessions go on: only logins are refused. One that is as asked for already is left alone. An answer that was lost
// is settled by reading the account: an error means that it is not known to be as asked for, [ErrNotOurs] that it is gone or
// bears another mark by now.
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
		_, err = ssomethods.DisableUserAccount(ctx, c.sso, &ssotypes.DisableUserAccount{This: c.sso.Content.PrincipalManagementService, UserId: id})
	} else {
		_, err = ssomethods.EnableUserAccount(ctx, c.sso, &ssotypes.EnableUserAccount{This: c.sso.Content.PrincipalManagementService, UserId: id})
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
