package sso

import (
	"context"
	"fmt"
	"math"
	"slices"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
)

// Members are the direct members of a group of the SSO domain, sorted: name@domain, groups as "group name@domain". None where there
// is no such group.
func (c *Client) Members(ctx context.Context, group string) ([]string, error) {
	id, at := c.names.principalID(group), c.sso.Content.PrincipalDiscoveryService
	users, err := ssomethods.FindUsersInGroup(ctx, c.sso, &ssotypes.FindUsersInGroup{This: at, GroupId: id, Limit: math.MaxInt32})
	if err = present(err); err != nil {
		return nil, fmt.Errorf("%s: SSO: members of %s: %w", c.session.Server, group, allowed(err))
	}
	groups, err := ssomethods.FindGroupsInGroup(ctx, c.sso, &ssotypes.FindGroupsInGroup{This: at, GroupId: id, Limit: math.MaxInt32})
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
