package contract

import (
	"context"
	"strings"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// readSSO are the rules about the SSO domain that reading tries.
func readSSO() []Rule {
	rule := func(id, part, says string, try func(context.Context, *probe) outcome) Rule {
		return Rule{ID: id, Case: part, Says: says, try: needSSO(try)}
	}
	return []Rule{
		rule("R33", "domain", "The URL of the SSO administration ends with the SSO domain's name, which is the system domain.", tryDomain),
		rule("R35", "policy", "The password policy does not contradict itself.", tryPolicy),
		rule("R36", "lockout", "The lockout policy can be read.", tryLockout),
		rule("R38", "exact", "FindPersonUser finds a complete name, in any case.", tryExact),
		rule("R38", "part of a name", "FindPersonUser does not find a part of a name.", tryPart),
		rule("R38", "search", "FindPersonUsers finds a part of a name.", trySearch),
		rule("R40", "registrations", "The lookup service lists the vCenters of the SSO domain, without a login.", tryRegistrations),
	}
}

func tryDomain(ctx context.Context, p *probe) outcome {
	res, a := send(ctx, p.sso, ssomethods.Get, &ssotypes.Get{This: p.sso.Content.IdentitySourceManagementService})
	if !a.ok() {
		return a.unready()
	}
	for _, d := range res.Returnval.System.Domains {
		if strings.EqualFold(d.Name, p.sso.Domain) {
			return holds()
		}
	}
	return differs("the system domain has another name")
}

// policy reads the password policy, for the report too.
func (p *probe) policy(ctx context.Context) (*Passwords, answer) {
	res, a := send(ctx, p.sso, ssomethods.GetLocalPasswordPolicy, &ssotypes.GetLocalPasswordPolicy{This: p.sso.Content.PasswordPolicyService})
	if !a.ok() {
		return nil, a
	}
	f := res.Returnval.PasswordFormat
	return &Passwords{
		MinLength: int(f.LengthRestriction.MinLength), MaxLength: int(f.LengthRestriction.MaxLength),
		MinAlphabetic: int(f.AlphabeticRestriction.MinAlphabeticCount),
		MinUpper:      int(f.AlphabeticRestriction.MinUppercaseCount), MinLower: int(f.AlphabeticRestriction.MinLowercaseCount),
		MinNumeric: int(f.MinNumericCount), MinSpecial: int(f.MinSpecialCharCount),
		MaxIdenticalAdjacent: int(f.MaxIdenticalAdjacentCharacters),
		ProhibitedPrevious:   int(res.Returnval.ProhibitedPreviousPasswordsCount), LifetimeDays: int(res.Returnval.PasswordLifetimeDays),
	}, a
}

// sso is the policy as the generator of passwords takes it.
func (w *Passwords) sso() sso.Policy {
	return sso.Policy{
		MinLength: w.MinLength, MaxLength: w.MaxLength, MinAlphabetic: w.MinAlphabetic, MinUpper: w.MinUpper, MinLower: w.MinLower,
		MinNumeric: w.MinNumeric, MinSpecial: w.MinSpecial, MaxIdenticalAdjacent: w.MaxIdenticalAdjacent,
		ProhibitedOld: w.ProhibitedPrevious, LifetimeDays: w.LifetimeDays,
	}
}

func tryPolicy(ctx context.Context, p *probe) outcome {
	w, a := p.policy(ctx)
	if !a.ok() {
		return a.unready()
	}
	p.report.Passwords = w
	switch {
	case w.MinAlphabetic < w.MinUpper+w.MinLower:
		return differs("%d letters are fewer than %d upper-case and %d lower-case ones", w.MinAlphabetic, w.MinUpper, w.MinLower)
	case w.MinLength < w.MinAlphabetic+w.MinNumeric+w.MinSpecial:
		return differs("%d characters are fewer than %d letters, %d digits and %d special ones", w.MinLength, w.MinAlphabetic, w.MinNumeric, w.MinSpecial)
	case w.MaxLength < w.MinLength:
		return differs("at most %d characters, at least %d", w.MaxLength, w.MinLength)
	case w.MinLength == 0 || w.MaxIdenticalAdjacent == 0:
		return differs("at least %d characters and %d identical neighbours: neither can be 0", w.MinLength, w.MaxIdenticalAdjacent)
	}
	return holds()
}

func tryLockout(ctx context.Context, p *probe) outcome {
	res, a := send(ctx, p.sso, ssomethods.GetLockoutPolicy, &ssotypes.GetLockoutPolicy{This: p.sso.Content.LockoutPolicyService})
	if !a.ok() {
		return a.unexpected()
	}
	l := &Lockout{
		MaxFailed: int(res.Returnval.MaxFailedAttempts), WithinSeconds: res.Returnval.FailedAttemptIntervalSec,
		UnlockAfterSeconds: res.Returnval.AutoUnlockIntervalSec,
	}
	p.report.Lockout = l
	return when(l.MaxFailed >= 0 && l.WithinSeconds >= 0 && l.UnlockAfterSeconds >= 0, "a number of it is negative")
}

// person is the name of an account of the SSO domain that is there: the session's own, where it is one.
func (p *probe) person() (name string, got outcome, ok bool) {
	domain, name, ok := domainAndName(p.User)
	if !ok || !strings.EqualFold(domain, p.sso.Domain) || len(name) < 3 {
		return "", untried("the account is not one of the SSO domain"), false
	}
	return name, outcome{}, true
}

func (p *probe) find(ctx context.Context, name string) (bool, answer) {
	res, a := send(ctx, p.sso, ssomethods.FindPersonUser, &ssotypes.FindPersonUser{
		This: p.sso.Content.PrincipalDiscoveryService, UserId: ssotypes.PrincipalId{Name: name, Domain: p.sso.Domain},
	})
	return res.Returnval != nil, a
}

func (p *probe) search(ctx context.Context, text string) ([]ssotypes.AdminPersonUser, answer) {
	res, a := send(ctx, p.sso, ssomethods.FindPersonUsers, &ssotypes.FindPersonUsers{
		This:     p.sso.Content.PrincipalDiscoveryService,
		Criteria: ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria{SearchString: text, Domain: p.sso.Domain}, Limit: 5000,
	})
	return res.Returnval, a
}

func tryExact(ctx context.Context, p *probe) outcome {
	name, got, ok := p.person()
	if !ok {
		return got
	}
	found, a := p.find(ctx, strings.ToUpper(name))
	if !a.ok() {
		return a.unready()
	}
	return when(found, "the session's own account is not found in upper case")
}

func tryPart(ctx context.Context, p *probe) outcome {
	name, got, ok := p.person()
	if !ok {
		return got
	}
	part := name[:len(name)-1]
	all, a := p.search(ctx, part)
	if !a.ok() {
		return a.unready()
	}
	for _, u := range all {
		if strings.EqualFold(u.Id.Name, part) {
			return untried("there is an account whose name is a part of the session's own")
		}
	}
	found, a := p.find(ctx, part)
	if !a.ok() {
		return a.unexpected()
	}
	return when(!found, "an account was found by a part of its name")
}

func trySearch(ctx context.Context, p *probe) outcome {
	name, got, ok := p.person()
	if !ok {
		return got
	}
	all, a := p.search(ctx, name[1:len(name)-1])
	if !a.ok() {
		return a.unready()
	}
	for _, u := range all {
		if strings.EqualFold(u.Id.Name, name) {
			return holds()
		}
	}
	return differs("the session's own account is not found by a part of its name")
}

func tryRegistrations(ctx context.Context, p *probe) outcome {
	servers, err := p.PeerServers(ctx)
	if err != nil {
		return untried("the lookup service did not answer")
	}
	if len(servers) == 0 {
		return differs("it lists no vCenter")
	}
	return measured("vCenters in the SSO domain: %d", len(servers))
}
