package contract

import (
	"context"

	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

func tryDaysLeft(ctx context.Context, p *probe) outcome {
	if a := p.makeUser(ctx, "r37-days"); !a.ok() {
		return a.unready()
	}
	if p.lab.policy.LifetimeDays <= 0 {
		return untried("passwords never expire here")
	}
	res, a := send(ctx, p.sso, sso.GetDaysRemainingUntilPasswordExpiration, &sso.DaysRequest{
		This: p.sso.Content.PrincipalManagementService, UserID: ssotypes.PrincipalId{Name: p.lab.name("r37-days"), Domain: p.sso.Domain},
	})
	if !a.ok() {
		return a.unexpected()
	}
	return when(res.Returnval >= 0 && int(res.Returnval) <= p.lab.policy.LifetimeDays,
		"a new password lasts %d days more, of %d", res.Returnval, p.lab.policy.LifetimeDays)
}
