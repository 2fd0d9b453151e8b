package sso

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// everyone is the group of the SSO domain that everybody is in who can log in; no list of members has them.
const everyone = "Everyone"

// Identity is a principal as its identity source has it.
type Identity struct {
	Name  string // DOMAIN\name, as a vCenter spells it
	Group bool
	id    ssotypes.PrincipalId
}

// Lockout is an SSO domain's rule for failed logins. The administrator of the domain is exempt from it.
type Lockout struct {
	MaxFailed   int           // failed logins that lock
	Within      time.Duration // failures further apart do not add up
	UnlockAfter time.Duration // 0 = an administrator has to unlock
}

// set stands before the day on which the password was set, behind the mark. SSO tells nobody how old a password is, and
// this record goes with the account: whoever looks at it, from whatever machine, sees the same.
const set = "; password set "

// dated is a description with the day on which the account's password is set.
func dated(description string, now time.Time) string {
	return description + set + now.UTC().Format(time.DateOnly)
}

// person reads an account. The record of its password is no part of the description.
func person(u *ssotypes.AdminPersonUser) *User {
	p := &User{Name: u.Id.Name, Disabled: u.Disabled, Locked: u.Locked}
	p.Description, p.PasswordSet = undated(u.Details.Description)
	return p
}

// undated takes the day away that dated put behind a description; zero if there is none.
func undated(description string) (string, time.Time) {
	if i := strings.LastIndex(description, set); i >= 0 {
		if day, err := time.Parse(time.DateOnly, description[i+len(set):]); err == nil {
			return description[:i], day
		}
	}
	return description, time.Time{}
}

var mark = regexp.MustCompile(`^OpenShift cluster (.+), component (.+); made by ocp-vsphere-admin$`)

// ParseMark reads cluster and component from the description of an account of ours.
func ParseMark(description string) (cluster string, c component.Name, ok bool) {
	m := mark.FindStringSubmatch(description)
	if m == nil {
		return "", "", false
	}
	return m[1], component.Name(m[2]), true
}

// asked tells why nothing can be asked, nil when it can.
func (c *Client) asked() error {
	switch {
	case c.sso != nil:
		return nil
	case c.why != nil:
		return c.why
	}
	return errors.New("the SSO administration was not asked")
}

// AllMarked lists the accounts of the SSO domain that carry our mark, of whatever cluster, by name. The search of the SSO
// administration is not relied on: it gets everybody, and the descriptions are read here.
func (c *Client) AllMarked(ctx context.Context) ([]User, error) {
	if err := c.asked(); err != nil {
		return nil, err
	}
	res, err := ssomethods.FindPersonUsers(ctx, c.sso, &ssotypes.FindPersonUsers{
		This:     c.sso.Content.PrincipalDiscoveryService,
		Criteria: ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria{Domain: c.names.Domain},
		Limit:    math.MaxInt32,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: SSO: accounts: %w", c.session.Server, allowed(err))
	}
	var ours []User
	for _, u := range res.Returnval {
		p := person(&u)
		if _, _, ok := ParseMark(p.Description); ok && strings.EqualFold(u.Id.Domain, c.names.Domain) {
			ours = append(ours, *p)
		}
	}
	slices.SortFunc(ours, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	return ours, nil
}

// OfCluster lists the accounts of the SSO domain that carry our mark for one cluster, by name, whatever they are called. The
// search of the SSO administration looks at descriptions too (recorded in VMware's Lightwave, the source of vCenter SSO);
// one that did not would hide accounts here that a specification no longer names, and nothing else.
func (c *Client) OfCluster(ctx context.Context, cluster string) ([]User, error) {
	if err := c.asked(); err != nil {
		return nil, err
	}
	res, err := ssomethods.FindUsers(ctx, c.sso, &ssotypes.FindUsers{
		This:     c.sso.Content.PrincipalDiscoveryService,
		Criteria: ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria{SearchString: "OpenShift cluster " + cluster + ",", Domain: c.names.Domain},
		Limit:    searchLimit,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: SSO: accounts of cluster %s: %w", c.session.Server, cluster, allowed(err))
	}
	var ours []User
	for _, u := range res.Returnval {
		description, day := undated(u.Description)
		if of, _, ok := ParseMark(description); ok && of == cluster && strings.EqualFold(u.Id.Domain, c.names.Domain) {
			ours = append(ours, User{Name: u.Id.Name, Description: description, PasswordSet: day})
		}
	}
	slices.SortFunc(ours, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	return ours, nil
}

// Person is an account of any identity source; nil if there is none. What a vCenter says of the lock of an account in
// somebody else's directory is documented nowhere.
func (c *Client) Person(ctx context.Context, principal string) (*User, error) {
	if err := c.asked(); err != nil {
		return nil, err
	}
	res, err := ssomethods.FindPersonUser(ctx, c.sso, &ssotypes.FindPersonUser{
		This: c.sso.Content.PrincipalDiscoveryService, UserId: c.names.principalID(principal),
	})
	if err != nil || res.Returnval == nil {
		return nil, err
	}
	return person(res.Returnval), nil
}

// Lockout reads the rule for failed logins.
func (c *Client) Lockout(ctx context.Context) (Lockout, error) {
	if err := c.asked(); err != nil {
		return Lockout{}, err
	}
	res, err := ssomethods.GetLockoutPolicy(ctx, c.sso, &ssotypes.GetLockoutPolicy{This: c.sso.Content.LockoutPolicyService})
	if err != nil {
		return Lockout{}, fmt.Errorf("%s: SSO: lockout policy: %w", c.session.Server, allowed(err))
	}
	p := res.Returnval
	return Lockout{
		MaxFailed: int(p.MaxFailedAttempts), Within: time.Duration(p.FailedAttemptIntervalSec) * time.Second,
		UnlockAfter: time.Duration(p.AutoUnlockIntervalSec) * time.Second,
	}, nil
}

// Resolve finds a principal in the identity sources, a user before a group of the same name unless a group is asked for;
// nil if there is none.
func (c *Client) Resolve(ctx context.Context, principal string, group bool) (*Identity, error) {
	if err := c.asked(); err != nil {
		return nil, err
	}
	id := c.names.principalID(principal)
	var users *ssotypes.FindUserResponse
	var groups *ssotypes.FindGroupResponse
	var userErr, groupErr error
	var wg crash.Group
	wg.Go(func() {
		users, userErr = ssomethods.FindUser(ctx, c.sso, &ssotypes.FindUser{This: c.sso.Content.PrincipalDiscoveryService, UserId: id})
	})
	wg.Go(func() {
		groups, groupErr = ssomethods.FindGroup(ctx, c.sso, &ssotypes.FindGroup{This: c.sso.Content.PrincipalDiscoveryService, GroupId: id})
	})
	wg.Wait()
	switch {
	case userErr == nil && users.Returnval != nil && !group:
		return identity(users.Returnval.Id, users.Returnval.Alias, false), nil
	case groupErr == nil && groups.Returnval != nil:
		return identity(groups.Returnval.Id, groups.Returnval.Alias, true), nil
	}
	if err := errors.Join(userErr, groupErr); err != nil {
		return nil, fmt.Errorf("%s: SSO: principal %s: %w", c.session.Server, principal, allowed(err))
	}
	return nil, nil //nolint:nilnil // nobody is a fine answer
}

// identity takes the alias of the domain where there is one: vCenters spell principals with it.
func identity(id ssotypes.PrincipalId, alias *ssotypes.PrincipalId, group bool) *Identity {
	domain := id.Domain
	if alias != nil && alias.Domain != "" {
		domain = alias.Domain
	}
	return &Identity{Name: strings.ToUpper(domain) + `\` + id.Name, Group: group, id: id}
}

// Groups lists all groups of a principal, name@domain, through other groups too, sorted. For users that has the group of
// everybody, whom no list of members names.
func (c *Client) Groups(ctx context.Context, who *Identity) ([]string, error) {
	if err := c.asked(); err != nil {
		return nil, err
	}
	if who.Group {
		return c.climb(ctx, who)
	}
	res, err := ssomethods.FindNestedParentGroups(ctx, c.sso, &ssotypes.FindNestedParentGroups{
		This: c.sso.Content.PrincipalDiscoveryService, UserId: who.id,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: SSO: groups of %s: %w", c.session.Server, who.Name, allowed(err))
	}
	groups := []string{everyone + "@" + c.names.Domain}
	for _, g := range res.Returnval {
		groups = append(groups, g.Id.Name+"@"+g.Id.Domain)
	}
	slices.Sort(groups)
	return slices.CompactFunc(groups, func(a, b string) bool { return c.names.Same(a) == c.names.Same(b) }), nil
}

// mostGroups is how many groups a directory lets anybody be in: Windows refuses a login with more (Microsoft, "Logging on
// a user account that is a member of more than 1,010 groups may fail"). A vCenter that tells ever more is not believed.
const mostGroups = 1010

// climb asks for direct parents until there are no new ones: the nested ones are told of users only.
func (c *Client) climb(ctx context.Context, who *Identity) ([]string, error) {
	seen := map[string]bool{c.names.Same(who.id.Name + "@" + who.id.Domain): true}
	groups := []string{}
	for queue := []ssotypes.PrincipalId{who.id}; len(queue) > 0; queue = queue[1:] {
		if len(groups) > mostGroups {
			return nil, fmt.Errorf("%s: SSO: groups of %s: more than %d", c.session.Server, who.Name, mostGroups)
		}
		res, err := ssomethods.FindDirectParentGroups(ctx, c.sso, &ssotypes.FindDirectParentGroups{
			This: c.sso.Content.PrincipalDiscoveryService, PrincipalId: queue[0],
		})
		if err != nil {
			return nil, fmt.Errorf("%s: SSO: groups of %s: %w", c.session.Server, who.Name, allowed(err))
		}
		for _, g := range res.Returnval {
			name := g.Id.Name + "@" + g.Id.Domain
			if !seen[c.names.Same(name)] {
				seen[c.names.Same(name)] = true
				groups, queue = append(groups, name), append(queue, g.Id)
			}
		}
	}
	slices.Sort(groups)
	return groups, nil
}
