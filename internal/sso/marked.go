package sso

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// mostAnswers is the most accounts of an answer (vmware/lightwave@1ff3bea, interface
// PrincipalDiscovery: PD_BULK_QUERY_MAX_SIZE). Only its length tells that an answer was cut.
const mostAnswers = 5000

// leastAlike is how long what names begin with is at least, so that a search finds few others.
const leastAlike = 4

// AllMarked lists the accounts of the SSO domain with our mark, of all clusters, by name. It reads
// all accounts and filters by description. In a domain with more accounts than one answer holds, it
// searches for the mark, which has to find an account known to have it; if there is none and
// nothing is found, it returns an error.
func (c *Client) AllMarked(ctx context.Context) ([]User, error) {
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
	if len(res.Returnval) >= mostAnswers {
		if ours, err = c.beyond(ctx, ours); err != nil {
			return nil, fmt.Errorf("%s: SSO: accounts: %w", c.session.Server, allowed(err))
		}
	}
	slices.SortFunc(ours, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	return ours, nil
}

// beyond adds the accounts of ours that an answer of limited length left out.
func (c *Client) beyond(ctx context.Context, ours []User) ([]User, error) {
	res, err := ssomethods.FindUsers(ctx, c.sso, &ssotypes.FindUsers{
		This:     c.sso.Content.PrincipalDiscoveryService,
		Criteria: ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria{SearchString: maker, Domain: c.names.Domain},
		Limit:    math.MaxInt32,
	})
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, u := range ours {
		known[strings.ToLower(u.Name)] = true
	}
	var more []string
	proved := 0
	for _, u := range res.Returnval {
		description, _, _ := undated(u.Description)
		switch _, _, ok := ParseMark(description); {
		case !ok || !strings.EqualFold(u.Id.Domain, c.names.Domain):
		case known[strings.ToLower(u.Id.Name)]:
			proved++
		default:
			more = append(more, u.Id.Name)
		}
	}
	if len(res.Returnval) >= mostAnswers || proved < len(ours) || proved+len(more) == 0 {
		return nil, hint.Errorf("search for accounts with the description \"... "+maker+"\" in the vSphere Client",
			"the domain has more than the %d accounts that it returns", mostAnswers-1)
	}
	named, err := c.named(ctx, more)
	if err != nil {
		return nil, err
	}
	return append(ours, named...), nil
}

// alike are accounts of the SSO domain, by lower-case name, that one search for what several names
// begin with told of. What it did not tell of may exist (R38): it serves to ask less, and errors
// are left to who asks.
func (c *Client) alike(ctx context.Context, names []string) map[string]User {
	all := map[string]User{}
	if len(names) < 2 {
		return all
	}
	begin := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, begin) {
			begin = begin[:len(begin)-1]
		}
	}
	if begin = strings.ToValidUTF8(begin, ""); len(begin) < leastAlike {
		return all
	}
	res, err := ssomethods.FindPersonUsers(ctx, c.sso, &ssotypes.FindPersonUsers{
		This:     c.sso.Content.PrincipalDiscoveryService,
		Criteria: ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria{SearchString: begin, Domain: c.names.Domain},
		Limit:    searchLimit,
	})
	if err != nil {
		return all
	}
	for _, u := range res.Returnval {
		if strings.EqualFold(u.Id.Domain, c.names.Domain) {
			all[strings.ToLower(u.Id.Name)] = *person(&u)
		}
	}
	return all
}

// named are the existing accounts of these names: a search of descriptions, FindUsers, does not
// tell who is locked or disabled.
func (c *Client) named(ctx context.Context, names []string) ([]User, error) {
	found := make([]*User, len(names))
	errs := make([]error, len(names))
	var wg crash.Group
	for i, name := range names {
		wg.Go(func() { found[i], errs[i] = c.find(ctx, name) })
	}
	wg.Wait()
	var all []User
	for i, u := range found {
		switch {
		case errs[i] != nil:
			return nil, errs[i]
		case u != nil:
			all = append(all, *u)
		}
	}
	return all, nil
}

// marked finds what has our mark for a cluster, among others.
func (c *Client) marked(cluster string) ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria {
	return ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria{
		SearchString: "OpenShift cluster " + cluster + ",", Domain: c.names.Domain,
	}
}

// OfCluster lists the accounts of the SSO domain with our mark for one cluster, under any name, by
// name. The search looks at descriptions too (recorded in VMware's Lightwave, the source of vCenter
// SSO); else it would miss accounts that a specification no longer names. Accounts in read have
// only name and mark; the others are read.
func (c *Client) OfCluster(ctx context.Context, cluster string, read []string) ([]User, error) {
	res, err := ssomethods.FindUsers(ctx, c.sso, &ssotypes.FindUsers{
		This: c.sso.Content.PrincipalDiscoveryService, Criteria: c.marked(cluster), Limit: searchLimit,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: SSO: accounts of cluster %s: %w", c.session.Server, cluster, allowed(err))
	}
	if len(res.Returnval) >= searchLimit { // what is behind them is not told
		return nil, fmt.Errorf("%s: SSO: accounts of cluster %s: more than %d", c.session.Server, cluster,
			searchLimit-1)
	}
	var ours []User
	var others []string
	for _, u := range res.Returnval {
		description, day, tag := undated(u.Description)
		switch of, _, ok := ParseMark(description); {
		case !ok || of != cluster || !strings.EqualFold(u.Id.Domain, c.names.Domain):
		case slices.ContainsFunc(read, func(name string) bool { return strings.EqualFold(name, u.Id.Name) }):
			ours = append(ours, User{Name: u.Id.Name, Description: description, PasswordSet: day, PasswordTag: tag})
		default:
			others = append(others, u.Id.Name)
		}
	}
	named, err := c.named(ctx, others)
	if err != nil {
		return nil, err
	}
	ours = append(ours, named...)
	slices.SortFunc(ours, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	return ours, nil
}
