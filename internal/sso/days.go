package sso

import (
	"context"

	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// daysRequest is GetDaysRemainingUntilPasswordExpiration, which the WSDL of the SSO administration has and govmomi 0.56 has not.
type daysRequest struct {
	This   types.ManagedObjectReference `xml:"_this"`
	UserID ssotypes.PrincipalId         `xml:"userId"`
}

// GetDaysRemainingUntilPasswordExpirationBody is its envelope; the method is called as its type is.
type GetDaysRemainingUntilPasswordExpirationBody struct {
	Req    *daysRequest `xml:"urn:sso GetDaysRemainingUntilPasswordExpiration,omitempty"`
	Res    *daysAnswer  `xml:"GetDaysRemainingUntilPasswordExpirationResponse,omitempty"`
	Fault_ *soap.Fault  `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"` //nolint:revive // as govmomi's bodies
}

type daysAnswer struct {
	Returnval int32 `xml:"returnval"`
}

// Fault implements soap.HasFault.
func (b *GetDaysRemainingUntilPasswordExpirationBody) Fault() *soap.Fault { return b.Fault_ }

// DaysLeft asks how long the password of an account of the SSO domain still lasts: days, rounded up, 0 where it has expired,
// -1 where it never does. An SSO administration that refuses the question, or does not know it, is no error: then nothing
// is known, and the day that an account's own description records is what remains ([User].PasswordSet).
func (c *Client) DaysLeft(ctx context.Context, name string) (days int, known bool, err error) {
	if err := c.asked(); err != nil {
		return 0, false, err
	}
	req := GetDaysRemainingUntilPasswordExpirationBody{Req: &daysRequest{
		This: c.sso.Content.PrincipalManagementService, UserID: ssotypes.PrincipalId{Name: name, Domain: c.names.Domain},
	}}
	var res GetDaysRemainingUntilPasswordExpirationBody
	switch err := c.sso.RoundTrip(ctx, &req, &res); {
	case err == nil:
		return int(res.Res.Returnval), true, nil
	case vcenter.Refused(err):
		return 0, false, nil
	default:
		return 0, false, err
	}
}
