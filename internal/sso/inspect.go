package sso

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vmware/govmomi/fault"
	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Everyone is the SSO domain's implicit group of all who can log in. No list of members and no
// look-up has it, and asking for its groups is refused, though it is among the direct groups of all
// others (vmware/lightwave@1ff3bea, interface PrincipalDiscovery).
const Everyone = "Everyone"

func (c *Client) isEveryone(id ssotypes.PrincipalId) bool {
	return strings.EqualFold(id.Name, Everyone) && strings.EqualFold(id.Domain, c.names.Domain)
}

// present takes away the error of a look-up that says no more than that the principal is not there.
func present(err error) error {
	if absent(err) {
		return nil
	}
	return err
}

// absent reports whether the SSO administration says that a principal is missing. NotFound is that
// of govmomi's simulator.
func absent(err error) bool {
	return vcenter.IsInvalidPrincipal(err) || fault.Is(err, &types.NotFound{})
}

// Identity is a principal as its identity source has it.
type Identity struct {
	Name  string // DOMAIN\name, as a vCenter spells it
	Group bool
	id    ssotypes.PrincipalId
}

// Lockout is an SSO domain's rule for failed logins. The domain's administrator is exempt.
type Lockout struct {
	MaxFailed   int           // failed logins that lock
	Within      time.Duration // failures further apart do not add up
	UnlockAfter time.Duration // 0 = an administrator has to unlock
}

// set stands, after the mark, before the day on which the password was set. SSO does not tell a
// password's age, so the account's description keeps it for every machine.
const set = "; password set "

// tagged stands before the password's tag ([secret.Secret.Tag]), which shows outdated copies.
const tagged = ", tag "

// dated adds to a description the day on which the password is set, and its tag if any. An unknown
// day is zero, written 0001-01-01 before a tag.
func dated(description string, now time.Time, password secret.Secret) string {
	tag := password.Tag()
	if tag != "" {
		tag = tagged + tag
	} else if now.IsZero() {
		return description
	}
	return description + set + now.UTC().Format(time.DateOnly) + tag
}

// person reads an account. The record of its password is no part of the description.
func person(u *ssotypes.AdminPersonUser) *User {
	p := &User{Name: u.Id.Name, Disabled: u.Disabled, Locked: u.Locked}
	p.Description, p.PasswordSet, p.PasswordTag = undated(u.Details.Description)
	return p
}

// undated splits off the day and the tag that dated added; zero if there are none.
func undated(description string) (bare string, day time.Time, tag string) {
	if i := strings.LastIndex(description, set); i >= 0 {
		text, tag, _ := strings.Cut(description[i+len(set):], tagged)
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return description[:i], day, tag
		}
	}
	return description, time.Time{}, ""
}

var mark = pattern.Of(`^OpenShift cluster (.+), component (.+); made by ocp-vsphere-admin$`)

// ParseMark reads cluster and component from the description of an account of ours.
func ParseMark(description string) (cluster string, c component.Name, ok bool) {
	m := mark().FindStringSubmatch(description)
	if m == nil {
		return "", "", false
	}
	return m[1], component.Name(m[2]), true
}

// Origin says where an account with a name of ours, but another mark, comes from: "was created for
// cluster prod (csi-driver)", if names run into each other, or by another administrator.
func (u User) Origin() string {
	if cluster, c, ok := ParseMark(u.Description); ok {
		return fmt.Sprintf("was created for cluster %s (%s)", cluster, c)
	}
	return fmt.Sprintf("was not created by this tool (its description is %q)", u.Description)
}

// Person is an account of any identity source; nil if there is none. Answers about locks in other
// directories are undocumented.
func (c *Client) Person(ctx context.Context, principal string) (*User, error) {
	return c.findID(ctx, c.names.principalID(principal))
}

// Lockout reads the rule for failed logins.
func (c *Client) Lockout(ctx context.Context) (Lockout, error) {
	res, err := ssomethods.GetLockoutPolicy(ctx, c.sso,
		&ssotypes.GetLockoutPolicy{This: c.sso.Content.LockoutPolicyService})
	if err != nil {
		return Lockout{}, fmt.Errorf("%s: SSO: lockout policy: %w", c.session.Server, allowed(err))
	}
	p := res.Returnval
	return Lockout{
		MaxFailed: int(p.MaxFailedAttempts), Within: time.Duration(p.FailedAttemptIntervalSec) * time.Second,
		UnlockAfter: time.Duration(p.AutoUnlockIntervalSec) * time.Second,
	}, nil
}

// Resolve finds a principal in the identity sources, a user before a group of the same name unless
// group is set; nil if there is none.
func (c *Client) Resolve(ctx context.Context, principal string, group bool) (*Identity, error) {
	id := c.names.principalID(principal)
	var users *ssotypes.FindUserResponse
	var groups *ssotypes.FindGroupResponse
	var userErr, groupErr error
	var wg crash.Group
	wg.Go(func() {
		users, userErr = ssomethods.FindUser(ctx, c.sso,
			&ssotypes.FindUser{This: c.sso.Content.PrincipalDiscoveryService, UserId: id})
	})
	wg.Go(func() {
		groups, groupErr = ssomethods.FindGroup(ctx, c.sso,
			&ssotypes.FindGroup{This: c.sso.Content.PrincipalDiscoveryService, GroupId: id})
	})
	wg.Wait()
	switch {
	case userErr == nil && users.Returnval != nil && !group:
		return identity(users.Returnval.Id, users.Returnval.Alias, false), nil
	case groupErr == nil && groups.Returnval != nil:
		return identity(groups.Returnval.Id, groups.Returnval.Alias, true), nil
	}
	if err := errors.Join(present(userErr), present(groupErr)); err != nil {
		return nil, fmt.Errorf("%s: SSO: principal %s: %w", c.session.Server, principal, allowed(err))
	}
	if c.isEveryone(id) {
		return identity(ssotypes.PrincipalId{Name: Everyone, Domain: c.names.Domain}, nil, true), nil
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

// Groups lists all groups of a principal, name@domain, nested ones too, sorted. For users it adds
// everyone.
func (c *Client) Groups(ctx context.Context, who *Identity) ([]string, error) {
	read := c.parents
	if who.Group {
		read = c.climb
	}
	groups, err := read(ctx, who.id)
	if err != nil {
		return nil, fmt.Errorf("%s: SSO: groups of %s: %w", c.session.Server, who.Name, allowed(err))
	}
	if who.Group {
		return groups, nil
	}
	groups = append(groups, Everyone+"@"+c.names.Domain)
	slices.Sort(groups)
	return slices.CompactFunc(groups, func(a, b string) bool { return c.names.Same(a) == c.names.Same(b) }), nil
}

// mostGroups is the most groups of a user: Windows refuses a login with more (Microsoft, "Logging
// on a user account that is a member of more than 1,010 groups may fail"). More are an error of the
// vCenter.
const mostGroups = 1010

// climb asks for the groups of a group, level by level, because nested ones are told of users only.
// A group that is refused has none: Everyone, or one that is gone.
func (c *Client) climb(ctx context.Context, of ssotypes.PrincipalId) ([]string, error) {
	key := func(id ssotypes.PrincipalId) string { return strings.ToLower(id.Name + "@" + id.Domain) }
	seen := map[string]bool{key(of): true}
	groups := []string{}
	for queue := []ssotypes.PrincipalId{of}; len(queue) > 0; queue = queue[1:] {
		if c.isEveryone(queue[0]) {
			continue
		}
		if len(groups) > mostGroups {
			return nil, fmt.Errorf("more than %d", mostGroups)
		}
		direct, err := c.direct(ctx, queue[0])
		if err != nil {
			return nil, err
		}
		for _, id := range direct {
			if !seen[key(id)] {
				seen[key(id)] = true
				groups, queue = append(groups, id.Name+"@"+id.Domain), append(queue, id)
			}
		}
	}
	slices.Sort(groups)
	return groups, nil
}

// direct are the groups that a principal was put into itself; one that is not there has none.
func (c *Client) direct(ctx context.Context, id ssotypes.PrincipalId) ([]ssotypes.PrincipalId, error) {
	res, err := ssomethods.FindDirectParentGroups(ctx, c.sso, &ssotypes.FindDirectParentGroups{
		This: c.sso.Content.PrincipalDiscoveryService, PrincipalId: id,
	})
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []ssotypes.PrincipalId
	for _, g := range res.Returnval {
		ids = append(ids, g.Id)
	}
	return ids, nil
}

// Through are the direct groups of a principal that are the group, or members of it.
func (c *Client) Through(ctx context.Context, principal, group string) ([]string, error) {
	ids, err := c.direct(ctx, c.names.principalID(principal))
	if err != nil {
		return nil, fmt.Errorf("%s: SSO: groups of %s: %w", c.session.Server, principal, allowed(err))
	}
	var through []string
	for _, id := range ids {
		name := id.Name + "@" + id.Domain
		above, err := c.climb(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("%s: SSO: groups of %s: %w", c.session.Server, name, allowed(err))
		}
		if slices.ContainsFunc(append(above, name),
			func(g string) bool { return c.names.Same(g) == c.names.Same(group) }) {
			through = append(through, name)
		}
	}
	slices.Sort(through)
	return through, nil
}

// Members are the direct members of a group of the SSO domain, sorted: name@domain, groups as
// "group name@domain". None if the group does not exist.
func (c *Client) Members(ctx context.Context, group string) ([]string, error) {
	id, at := c.names.principalID(group), c.sso.Content.PrincipalDiscoveryService
	users, err := ssomethods.FindUsersInGroup(ctx, c.sso,
		&ssotypes.FindUsersInGroup{This: at, GroupId: id, Limit: math.MaxInt32})
	if err = present(err); err != nil {
		return nil, fmt.Errorf("%s: SSO: members of %s: %w", c.session.Server, group, allowed(err))
	}
	groups, err := ssomethods.FindGroupsInGroup(ctx, c.sso,
		&ssotypes.FindGroupsInGroup{This: at, GroupId: id, Limit: math.MaxInt32})
	if err = present(err); err != nil {
		return nil, fmt.Errorf("%s: SSO: members of %s: %w", c.session.Server, group, allowed(err))
	}
	members := []string{}
	if users != nil {
		for _, u := range users.Returnval {
			members = append(members, u.Id.Name+"@"+u.Id.Domain)
		}
	}
	if groups != nil {
		for _, g := range groups.Returnval {
			members = append(members, "group "+g.Id.Name+"@"+g.Id.Domain)
		}
	}
	slices.Sort(members)
	return members, nil
}
