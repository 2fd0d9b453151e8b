package contract

import (
	"context"
	"slices"
	"time"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// makeUser makes an account of this run with a new password that the policy takes.
func (p *probe) makeUser(ctx context.Context, end string) answer {
	if p.lab.policy == nil {
		w, a := p.policy(ctx)
		if !a.ok() {
			return a
		}
		p.lab.policy = w
	}
	password, err := p.lab.policy.sso().Generate()
	if err != nil {
		return answer{method: "the password policy", err: err}
	}
	a := p.createUser(ctx, end, password)
	if a.ok() {
		p.lab.accounts[end] = password
	}
	return a
}

func (p *probe) createUser(ctx context.Context, end string, password secret.Secret) answer {
	_, a := send(ctx, p.sso, ssomethods.CreateLocalPersonUser, &ssotypes.CreateLocalPersonUser{
		This: p.sso.Content.PrincipalManagementService, UserName: p.lab.name(end),
		UserDetails: ssotypes.AdminPersonDetails{Description: mark(p.o.ID), FirstName: "contract", LastName: p.o.ID},
		Password:    password.Reveal(),
	})
	return a
}

func (p *probe) makeGroup(ctx context.Context, who *vcenter.SSO, end string) answer {
	_, a := send(ctx, who, ssomethods.CreateLocalGroup, &ssotypes.CreateLocalGroup{
		This: who.Content.PrincipalManagementService, GroupName: p.lab.name(end),
		GroupDetails: ssotypes.AdminGroupDetails{Description: mark(p.o.ID)},
	})
	return a
}

// join puts an account of this run into a group of it.
func (p *probe) join(ctx context.Context, group, user string) answer {
	_, a := send(ctx, p.sso, ssomethods.AddUserToLocalGroup, &ssotypes.AddUserToLocalGroup{
		This: p.sso.Content.PrincipalManagementService, GroupName: p.lab.name(group),
		UserId: ssotypes.PrincipalId{Name: p.lab.name(user), Domain: p.sso.Domain},
	})
	return a
}

// once remembers what a preparation came to: the tries that share it must not make it twice.
func (p *probe) once(what string, f func() outcome) outcome {
	got, done := p.lab.ready[what]
	if !done {
		got = f()
		p.lab.ready[what] = got
	}
	return got
}

// user makes an account that tries share, and waits until permissions take it (R32).
func (p *probe) user(ctx context.Context, end string) outcome {
	return p.once(end, func() outcome {
		if a := p.makeUser(ctx, end); !a.ok() {
			return a.unready()
		}
		got, _ := p.waitForAccount(ctx, end)
		return got
	})
}

// waitForAccount waits until a permission takes a new account, and says how long that was.
func (p *probe) waitForAccount(ctx context.Context, end string) (outcome, time.Duration) {
	id, a := p.role(ctx, "settle", "System.Read")
	if !a.ok() {
		return a.unready(), 0
	}
	at, a := p.below(ctx, "settle-"+end)
	if !a.ok() {
		return a.unready(), 0
	}
	return p.until(ctx, func() outcome {
		a := p.set(ctx, at, perm(p.principal(end), id, false))
		switch {
		case a.ok():
			return holds()
		case a.refused() && a.fault == "UserNotFound":
			return differs("a permission does not take a new account for %s", p.o.Wait)
		}
		return a.unready()
	})
}

// people are the account a in the groups g1 and g2, which the tries about rights share. They have no rights before.
func (p *probe) people(ctx context.Context) outcome {
	return p.once("people", func() outcome {
		if got := p.user(ctx, "a"); got.verdict != Holds {
			return asUntried(got)
		}
		for _, g := range []string{"g1", "g2"} {
			if a := p.makeGroup(ctx, p.sso, g); !a.ok() {
				return a.unready()
			}
			if a := p.join(ctx, g, "a"); !a.ok() {
				return a.unready()
			}
		}
		all, a := p.rights(ctx, p.principal("a"), p.lab.folder)
		if !a.ok() {
			return a.unready()
		}
		if had := marked(all[0]); len(had) > 0 {
			return untried("a new account has %s in the scratch folder already", listed(had))
		}
		return holds()
	})
}

// asUntried is what a preparation that did not hold means for the try that needs it.
func asUntried(got outcome) outcome {
	return untried("an account could not be prepared: %s", got.detail)
}

// marked are those of ids that tell the roles of a try apart.
func marked(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !slices.Contains(markers, id) })
}

// asLesser opens the session of an account that may set permissions in the folder of the run and read it, and no more.
func (p *probe) asLesser(ctx context.Context) (*probe, outcome) {
	got := p.once("lesser login", func() outcome {
		if p.o.Login == nil {
			return untried("no second login is possible")
		}
		if got := p.user(ctx, "lesser"); got.verdict != Holds {
			return asUntried(got)
		}
		id, a := p.role(ctx, "lesser", "Authorization.ModifyPermissions")
		if !a.ok() {
			return a.unready()
		}
		if a := p.set(ctx, p.lab.folder, perm(p.principal("lesser"), id, true)); !a.ok() {
			return a.unready()
		}
		got, _ := p.until(ctx, func() outcome {
			a := answer{method: "Login"}
			p.lab.lesser, a.err = p.o.Login(vcenter.WithFaultName(ctx, &a.fault), p.lab.name("lesser")+"@"+p.sso.Domain, p.lab.accounts["lesser"])
			if a.fault == "NoPermission" {
				return differs("%s", a.text()) // the permission has no effect yet
			}
			if !a.ok() {
				return a.unready()
			}
			return holds()
		})
		return got
	})
	if got.verdict != Holds {
		return nil, asUntried(got)
	}
	return &probe{Session: p.lab.lesser, o: p.o, report: p.report, lab: p.lab, sso: p.sso}, holds()
}
