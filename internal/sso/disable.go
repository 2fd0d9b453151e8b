package sso

import (
	"context"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
)

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
