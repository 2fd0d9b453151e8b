package sso

import (
	"cmp"
	"context"
	"strings"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// groupsOf lists the groups of the SSO domain with our mark for a cluster, as [Client.OfCluster]
// lists accounts.
func (c *Client) groupsOf(ctx context.Context, cluster string) (ours []User, err error) {
	res, err := ssomethods.FindGroups(ctx, c.sso, &ssotypes.FindGroups{
		This: c.sso.Content.PrincipalDiscoveryService, Criteria: c.marked(cluster), Limit: searchLimit,
	})
	if err != nil {
		return nil, err
	}
	for _, g := range res.Returnval {
		of, _, ok := ParseMark(g.Details.Description)
		if ok && of == cluster && strings.EqualFold(g.Id.Domain, c.names.Domain) {
			ours = append(ours, User{Name: g.Id.Name, Description: g.Details.Description})
		}
	}
	return ours, nil
}

// findGroup is a group of the SSO domain; nil if there is none.
func (c *Client) findGroup(ctx context.Context, name string) (*User, error) {
	res, err := ssomethods.FindGroup(ctx, c.sso, &ssotypes.FindGroup{
		This:    c.sso.Content.PrincipalDiscoveryService,
		GroupId: ssotypes.PrincipalId{Name: name, Domain: c.names.Domain},
	})
	if err = present(err); err != nil || res == nil || res.Returnval == nil {
		return nil, err
	}
	return &User{Name: name, Description: res.Returnval.Details.Description}, nil
}

// createGroup makes a group; after a lost answer the next run finds it by its mark.
func (c *Client) createGroup(ctx context.Context, name, description string) error {
	_, err := ssomethods.CreateLocalGroup(ctx, c.sso, &ssotypes.CreateLocalGroup{
		This: c.sso.Content.PrincipalManagementService, GroupName: name,
		GroupDetails: ssotypes.AdminGroupDetails{Description: description},
	})
	return allowed(err)
}

// removeGroup deletes a group of ours that has no members.
func (c *Client) removeGroup(ctx context.Context, name, description string) error {
	if members, err := c.Members(ctx, name); err != nil || len(members) > 0 {
		return cmp.Or(err, hint.Errorf("plan again", "it has members: %s", strings.Join(members, ", ")))
	}
	return c.remove(ctx, User{Name: name, Description: description}, c.findGroup)
}
