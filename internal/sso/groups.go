package sso

import (
	"context"
	"fmt"
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
		This: c.sso.Content.PrincipalDiscoveryService, GroupId: ssotypes.PrincipalId{Name: name, Domain: c.names.Domain},
	})
	if err = present(err); err != nil || res == nil || res.Returnval == nil {
		return nil, err
	}
	return &User{Name: name, Description: res.Returnval.Details.Description}, nil
}

// createGroup makes a group; one with our mark is ours with a lost answer, or another run's.
func (c *Client) createGroup(ctx context.Context, name, description string) error {
	_, err := ssomethods.CreateLocalGroup(ctx, c.sso, &ssotypes.CreateLocalGroup{
		This: c.sso.Content.PrincipalManagementService, GroupName: name,
		GroupDetails: ssotypes.AdminGroupDetails{Description: description},
	})
	if err == nil {
		return nil
	}
	if g, findErr := c.findGroup(ctx, name); findErr == nil && g != nil && g.Description == description {
		return nil
	}
	return allowed(err)
}

// removeGroup deletes a group of ours that has no members.
func (c *Client) removeGroup(ctx context.Context, name, description string) error {
	members, err := c.Members(ctx, name)
	switch {
	case err != nil:
		return err
	case len(members) > 0:
		return hint.Wrap(fmt.Errorf("it has members: %s", strings.Join(members, ", ")), "plan again")
	}
	return c.remove(ctx, User{Name: name, Description: description}, c.findGroup)
}
