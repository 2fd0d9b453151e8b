package sso

import (
	"context"
	"errors"
	"fmt"
	"time"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// ErrNotOurs says that an account is not the one of ours that was planned for: it is gone, or it bears another mark.
var ErrNotOurs = errors.New("the account is no longer the one that this tool created")

// Reset gives an account that bears this mark another password, as the administrator: the old one is not needed, and
// setting the same password once more changes nothing. With an error, perhaps reports whether the password may have been set
// all the same, because an answer was lost. note writes its tag down behind the mark, and the day on which it was set, zero where that
// is not known; nil where the account could not be read.
func (c *Client) Reset(ctx context.Context, name, mark string, password secret.Secret) (note func(context.Context, time.Time) error, perhaps bool, err error) {
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

// Barred says why an account refuses its own password: "locked", "disabled" or "expired", "" when none of them. Whether a
// password has expired is not known of an SSO administration that does not tell how long it lasts.
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
