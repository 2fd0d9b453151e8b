package contract

import (
	"context"
	"strings"
	"time"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Faults of the SSO administration, as its WSDL has them.
const (
	invalidPrincipal = "SsoFaultInvalidPrincipalFault"
	noSSOPermission  = "SsoFaultNoPermission"
	policyViolation  = "SsoAdminFaultPasswordPolicyViolationFault"
)

// writeAccounts are the rules about accounts and logins that need accounts of our own.
func writeAccounts() []Rule {
	rule := func(id, part, says string, try func(context.Context, *probe) outcome) Rule {
		return Rule{ID: id, Case: part, Says: says, Scratch: true, try: try}
	}
	return []Rule{
		rule("R32", "delay", "A new account can soon be given a permission.", tryAccountDelay),
		rule("R34", "administrators", "Only members of the SSO group Administrators can create a group: "+noSSOPermission+".", tryNoAdministrator),
		rule("R35", "violation", "A password that violates the policy is refused: "+policyViolation+".", tryShortPassword),
		rule("R35", "history", "An administrator may reset an account to its current password.", trySamePassword),
		rule("R37", "account", "A new account is neither disabled nor locked.", tryNewAccount),
		rule("R37", "days left", "SSO reports in how many days a password expires.", tryDaysLeft),
		rule("R39", "taken name", "An account cannot have the name of another: "+invalidPrincipal+".", tryTakenAccount),
		rule("R39", "case", "An account cannot have a name that differs from another's only in case: "+invalidPrincipal+". (inferred)", tryTakenAccountInCase),
		rule("R39", "absent", "An account that does not exist cannot be deleted: "+invalidPrincipal+".", tryDeleteAbsent),
		rule("names", "signs", "An account name cannot contain any of ^ < > & % ` @ \\.", tryBadNames),
		rule("groups", "Everyone", "Every account is a member of Everyone, which cannot be found as a group.", tryEveryone),
		rule("groups", "nested", "FindNestedParentGroups takes accounts, not groups: "+invalidPrincipal+".", tryNestedOfGroup),
		rule("R42", "no permission", "The right password of an account without a permission is refused: NoPermission.", tryBareLogin),
	}
}

func tryAccountDelay(ctx context.Context, p *probe) outcome {
	if a := p.makeUser(ctx, "r32"); !a.ok() {
		return a.unready()
	}
	got, took := p.waitForAccount(ctx, "r32")
	if got.verdict != Holds {
		return got
	}
	ms := took.Round(time.Millisecond).Milliseconds()
	p.report.Delays.NewAccount = &ms
	return measured("after %d ms", ms)
}

func tryNoAdministrator(ctx context.Context, p *probe) outcome {
	lesser, got := p.asLesser(ctx)
	if got.verdict != Holds {
		return got
	}
	other, err := lesser.SSO(ctx)
	if err != nil {
		return untried("the account cannot log in on the SSO administration")
	}
	return p.makeGroup(ctx, other, "r34").with(noSSOPermission)
}

func tryShortPassword(ctx context.Context, p *probe) outcome {
	if got := p.user(ctx, "a"); got.verdict != Holds { // the policy is read with it
		return asUntried(got)
	}
	whole := []rune(p.lab.accounts["a"].Reveal())
	if p.lab.policy.MinLength < 2 {
		return untried("the policy asks for no length")
	}
	short := secret.New(string(whole[:min(len(whole), p.lab.policy.MinLength-1)]))
	return p.createUser(ctx, "r35-short", short).with(policyViolation)
}

func trySamePassword(ctx context.Context, p *probe) outcome {
	if a := p.makeUser(ctx, "r35"); !a.ok() {
		return a.unready()
	}
	_, a := send(ctx, p.sso, ssomethods.ResetLocalPersonUserPassword, &ssotypes.ResetLocalPersonUserPassword{
		This: p.sso.Content.PrincipalManagementService, UserName: p.lab.name("r35"), NewPassword: p.lab.accounts["r35"].Reveal(),
	})
	return a.accepted()
}

func tryNewAccount(ctx context.Context, p *probe) outcome {
	if a := p.makeUser(ctx, "r37"); !a.ok() {
		return a.unready()
	}
	res, a := send(ctx, p.sso, ssomethods.FindPersonUser, &ssotypes.FindPersonUser{
		This: p.sso.Content.PrincipalDiscoveryService, UserId: ssotypes.PrincipalId{Name: p.lab.name("r37"), Domain: p.sso.Domain},
	})
	switch {
	case !a.ok():
		return a.unready()
	case res.Returnval == nil:
		return differs("it is not found")
	}
	return when(!res.Returnval.Disabled && !res.Returnval.Locked, "disabled: %t, locked: %t", res.Returnval.Disabled, res.Returnval.Locked)
}

func tryTakenAccount(ctx context.Context, p *probe) outcome {
	if a := p.makeUser(ctx, "r39"); !a.ok() {
		return a.unready()
	}
	return p.createUser(ctx, "r39", p.lab.accounts["r39"]).with(invalidPrincipal)
}

func tryTakenAccountInCase(ctx context.Context, p *probe) outcome {
	if a := p.makeUser(ctx, "r39-case"); !a.ok() {
		return a.unready()
	}
	return p.createUser(ctx, strings.ToUpper("r39-case"), p.lab.accounts["r39-case"]).with(invalidPrincipal)
}

func tryDeleteAbsent(ctx context.Context, p *probe) outcome {
	_, a := send(ctx, p.sso, ssomethods.DeleteLocalPrincipal, &ssotypes.DeleteLocalPrincipal{
		This: p.sso.Content.PrincipalManagementService, PrincipalName: p.lab.name("r39-absent"),
	})
	return a.with(invalidPrincipal)
}

// badSigns are refused in names of accounts (vmware/lightwave, admin-interfaces).
const badSigns = "^<>&%`@\\"

func tryBadNames(ctx context.Context, p *probe) outcome {
	if got := p.user(ctx, "a"); got.verdict != Holds {
		return asUntried(got)
	}
	for _, sign := range badSigns {
		a := p.createUser(ctx, "signs-"+string(sign)+"-bad", p.lab.accounts["a"])
		if a.ok() {
			return differs("an account with %c in its name was made", sign)
		}
		if !a.refused() {
			return a.unready()
		}
	}
	return holds()
}

func tryEveryone(ctx context.Context, p *probe) outcome {
	if got := p.people(ctx); got.verdict != Holds {
		return asUntried(got)
	}
	res, a := send(ctx, p.sso, ssomethods.FindDirectParentGroups, &ssotypes.FindDirectParentGroups{
		This: p.sso.Content.PrincipalDiscoveryService, PrincipalId: ssotypes.PrincipalId{Name: p.lab.name("a"), Domain: p.sso.Domain},
	})
	if !a.ok() {
		return a.unexpected()
	}
	above := false
	for _, g := range res.Returnval {
		above = above || strings.EqualFold(g.Id.Name, "Everyone")
	}
	found, a := send(ctx, p.sso, ssomethods.FindGroup, &ssotypes.FindGroup{
		This: p.sso.Content.PrincipalDiscoveryService, GroupId: ssotypes.PrincipalId{Name: "Everyone", Domain: p.sso.Domain},
	})
	if !a.ok() {
		return a.unexpected()
	}
	return when(above && found.Returnval == nil, "above an account: %t, found as a group: %t", above, found.Returnval != nil)
}

func tryNestedOfGroup(ctx context.Context, p *probe) outcome {
	if got := p.people(ctx); got.verdict != Holds {
		return asUntried(got)
	}
	_, a := send(ctx, p.sso, ssomethods.FindNestedParentGroups, &ssotypes.FindNestedParentGroups{
		This: p.sso.Content.PrincipalDiscoveryService, UserId: ssotypes.PrincipalId{Name: p.lab.name("g1"), Domain: p.sso.Domain},
	})
	return a.with(invalidPrincipal)
}

func tryBareLogin(ctx context.Context, p *probe) outcome {
	if p.o.Login == nil {
		return untried("no second login is possible")
	}
	if a := p.makeUser(ctx, "bare"); !a.ok() {
		return a.unready()
	}
	a := answer{method: "Login"}
	s, err := p.o.Login(vcenter.WithFaultName(ctx, &a.fault), p.lab.name("bare")+"@"+p.sso.Domain, p.lab.accounts["bare"])
	if a.err = err; err == nil {
		s.Close(ctx)
		if has, seen := p.has(ctx, p.principal("bare"), p.Content.RootFolder, []string{"System.View"}); !seen.ok() || len(has) > 0 {
			return untried("a new account has rights on the root folder through a group")
		}
	}
	return a.with("NoPermission")
}
