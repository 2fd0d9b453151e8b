package sso

import (
	"context"
	"errors"

	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// DaysRequest is GetDaysRemainingUntilPasswordExpiration, which the WSDL of the SSO administration has and govmomi 0.56 has not.
type DaysRequest struct {
	This   types.ManagedObjectReference `xml:"_this"`
	UserID ssotypes.PrincipalId         `xml:"userId"`
}

// DaysResponse is its answer: days, rounded up, 0 where the password has expired, -1 where it never does.
type DaysResponse struct {
	Returnval int32 `xml:"returnval"`
}

// GetDaysRemainingUntilPasswordExpirationBody is its envelope; the method is called as its type is.
type GetDaysRemainingUntilPasswordExpirationBody struct {
	Req    *DaysRequest  `xml:"urn:sso GetDaysRemainingUntilPasswordExpiration,omitempty"`
	Res    *DaysResponse `xml:"GetDaysRemainingUntilPasswordExpirationResponse,omitempty"`
	Fault_ *soap.Fault   `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"` //nolint:revive // as govmomi's bodies
}

// Fault implements soap.HasFault.
func (b *GetDaysRemainingUntilPasswordExpirationBody) Fault() *soap.Fault { return b.Fault_ }

// GetDaysRemainingUntilPasswordExpiration calls it, as govmomi's methods call theirs.
func GetDaysRemainingUntilPasswordExpiration(ctx context.Context, rt soap.RoundTripper, req *DaysRequest) (*DaysResponse, error) {
	var res GetDaysRemainingUntilPasswordExpirationBody
	if err := rt.RoundTrip(ctx, &GetDaysRemainingUntilPasswordExpirationBody{Req: req}, &res); err != nil {
		return nil, err
	}
	return res.Res, nil
}

// DaysLeft asks how long the password of an account of the SSO domain still lasts: days, rounded up, 0 where it has expired,
// -1 where it never does. An SSO administration that refuses the question, or does not know it, is no error: then nothing
// is known, and the day that an account's own description records is what remains ([User].PasswordSet).
func (c *Client) DaysLeft(ctx context.Context, name string) (days int, known bool, err error) {
	res, err := GetDaysRemainingUntilPasswordExpiration(ctx, c.sso, &DaysRequest{
		This: c.sso.Content.PrincipalManagementService, UserID: ssotypes.PrincipalId{Name: name, Domain: c.names.Domain},
	})
	switch {
	case err == nil:
		return int(res.Returnval), true, nil
	case vcenter.Refused(err):
		return 0, false, nil
	default:
		return 0, false, err
	}
}

// AskDaysLeft fills in how long the passwords of accounts of the SSO domain still last, as far as SSO tells: a request for
// each, all at once.
func (c *Client) AskDaysLeft(ctx context.Context, users ...*User) error {
	errs := make([]error, len(users))
	var wg crash.Group
	for i, u := range users {
		wg.Go(func() {
			days, known, err := c.DaysLeft(ctx, u.Name)
			if errs[i] = err; known {
				u.DaysLeft = &days
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Expired reports whether SSO was asked and says that the password has expired.
func (u User) Expired() bool { return u.DaysLeft != nil && *u.DaysLeft == 0 }
