package contract

import (
	"context"

	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/soap"
)

// GetDaysRemainingUntilPasswordExpiration is a method that the WSDL of the SSO administration has and govmomi 0.56 has not.
type GetDaysRemainingUntilPasswordExpiration struct {
	This   moref                `xml:"_this"`
	UserID ssotypes.PrincipalId `xml:"userId"`
}

// GetDaysRemainingUntilPasswordExpirationBody is its envelope.
type GetDaysRemainingUntilPasswordExpirationBody struct {
	Req    *GetDaysRemainingUntilPasswordExpiration `xml:"urn:sso GetDaysRemainingUntilPasswordExpiration,omitempty"`
	Res    *daysLeft                                `xml:"GetDaysRemainingUntilPasswordExpirationResponse,omitempty"`
	Fault_ *soap.Fault                              `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"` //nolint:revive // as govmomi's bodies
}

type daysLeft struct {
	Returnval int32 `xml:"returnval"`
}

// Fault implements soap.HasFault.
func (b *GetDaysRemainingUntilPasswordExpirationBody) Fault() *soap.Fault { return b.Fault_ }

func getDaysLeft(ctx context.Context, rt soap.RoundTripper, req *GetDaysRemainingUntilPasswordExpiration) (*daysLeft, error) {
	var res GetDaysRemainingUntilPasswordExpirationBody
	if err := rt.RoundTrip(ctx, &GetDaysRemainingUntilPasswordExpirationBody{Req: req}, &res); err != nil {
		return nil, err
	}
	return res.Res, nil
}

func tryDaysLeft(ctx context.Context, p *probe) outcome {
	if a := p.makeUser(ctx, "r37-days"); !a.ok() {
		return a.unready()
	}
	if p.lab.policy.LifetimeDays <= 0 {
		return untried("passwords never expire here")
	}
	res, a := send(ctx, p.sso, getDaysLeft, &GetDaysRemainingUntilPasswordExpiration{
		This: p.sso.Content.PrincipalManagementService, UserID: ssotypes.PrincipalId{Name: p.lab.name("r37-days"), Domain: p.sso.Domain},
	})
	if !a.ok() {
		return a.unexpected()
	}
	return when(res.Returnval >= 0 && int(res.Returnval) <= p.lab.policy.LifetimeDays,
		"a new password lasts %d days more, of %d", res.Returnval, p.lab.policy.LifetimeDays)
}
