package sso

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// Found is what the identity sources have under the name of a principal that others made.
type Found struct {
	Principal   string // as it was asked for
	User, Group bool   // both, where a source names its users and its groups apart
	Description string // of the user, without the date that we put behind our mark
	DaysLeft    *int   // of a user of the SSO domain, where they were asked for; as [User].DaysLeft
	Groups      []string
	Nearest     []string // of a principal that is neither: names of its domain that look like it
	Unknown     bool     // no identity source has that domain
	Err         error    // the source could not be searched
	GroupsErr   error    // the groups could not be read
}

// searchLimit bounds how many names an identity source is asked for when a principal is not found.
const searchLimit = 500

// Principal is what was found of a principal that was asked for.
func (s *State) Principal(principal string) (Found, bool) {
	f, ok := s.found[strings.ToLower(principal)]
	return f, ok
}

// Look searches for a principal as a user and as a group, and for the groups that it belongs to, all at once. Groups are
// name@domain, those that it belongs to through other groups too.
func (c *Client) Look(ctx context.Context, principal string) (Found, error) {
	found := Found{Principal: principal}
	name, domain := c.names.Split(principal)
	id := ssotypes.PrincipalId{Name: name, Domain: domain}
	discovery := c.sso.Content.PrincipalDiscoveryService
	var errs [3]error
	var wg crash.Group
	wg.Go(func() {
		res, err := ssomethods.FindUser(ctx, c.sso, &ssotypes.FindUser{This: discovery, UserId: id})
		if errs[0] = err; err == nil && res.Returnval != nil {
			found.User = true
			found.Description, _, _ = undated(res.Returnval.Description)
		}
	})
	wg.Go(func() {
		res, err := ssomethods.FindGroup(ctx, c.sso, &ssotypes.FindGroup{This: discovery, GroupId: id})
		found.Group, errs[1] = err == nil && res.Returnval != nil, err
	})
	wg.Go(func() {
		found.Groups, errs[2] = c.parents(ctx, id)
	})
	wg.Wait()
	for i, err := range errs {
		switch {
		case err == nil, absent(err):
		case denied(err) || !soap.IsSoapFault(err): // the search is not what failed
			return found, err
		case i < 2:
			found.Err = err
		default:
			found.GroupsErr = err
		}
	}
	found.Group = found.Group || c.isEveryone(id)
	if found.Group && absent(errs[2]) { // the nested groups are told of users only
		found.Groups, found.GroupsErr = c.climb(ctx, id)
	}
	return found, nil
}

// parents are the groups that a user belongs to, name@domain, through other groups too.
func (c *Client) parents(ctx context.Context, id ssotypes.PrincipalId) ([]string, error) {
	res, err := ssomethods.FindNestedParentGroups(ctx, c.sso, &ssotypes.FindNestedParentGroups{This: c.sso.Content.PrincipalDiscoveryService, UserId: id})
	if err != nil {
		return nil, err
	}
	var groups []string
	for _, g := range res.Returnval {
		groups = append(groups, g.Id.Name+"@"+g.Id.Domain)
	}
	slices.Sort(groups)
	return groups, nil
}

// lookAgain searches once more for what was not found: under its domain's own name where it was spelled with an alias,
// and for names like it. Only a plan that cannot go on gets here.
func (c *Client) lookAgain(ctx context.Context, found Found) (Found, error) {
	name, domain := c.names.Split(found.Principal)
	full, known := c.names.alias[strings.ToLower(domain)]
	if !known {
		found.Unknown, found.Err = true, nil
		return found, nil
	}
	if !strings.EqualFold(full, domain) {
		again, err := c.Look(ctx, name+"@"+full)
		if err != nil || again.User || again.Group {
			again.Principal = found.Principal
			return again, err
		}
		found.Err = again.Err
	}
	if found.Err == nil {
		found.Nearest = c.search(ctx, name, full)
	}
	return found, nil
}

// search lists names of a domain that share their beginning or their end with a name. A search is for parts of names, and
// a source may answer with a part of what it has (R38), so this serves for hints alone; its errors do not matter.
func (c *Client) search(ctx context.Context, name, domain string) []string {
	letters := []rune(name)
	part := min(3, len(letters))
	probes := []string{string(letters[:part]), string(letters[len(letters)-part:]), string(letters[:min(1, part)])}
	found := make([][]string, len(probes))
	var wg crash.Group
	for i, probe := range probes {
		wg.Go(func() {
			res, err := ssomethods.Find(ctx, c.sso, &ssotypes.Find{
				This:     c.sso.Content.PrincipalDiscoveryService,
				Criteria: ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria{SearchString: probe, Domain: domain},
				Limit:    searchLimit,
			})
			if err != nil {
				return
			}
			for _, u := range res.Returnval.PersonUsers {
				found[i] = append(found[i], u.Id.Name)
			}
			for _, g := range res.Returnval.Groups {
				found[i] = append(found[i], g.Id.Name)
			}
		})
	}
	wg.Wait()
	all := slices.Concat(found...)
	slices.Sort(all)
	return slices.Compact(all)
}

// again looks once more for every principal that was not found.
func (c *Client) again(ctx context.Context, all map[string]Found) error {
	var mu sync.Mutex
	var wg crash.Group
	var failed error
	for key, found := range maps.Clone(all) {
		if found.User || found.Group {
			continue
		}
		wg.Go(func() {
			found, err := c.lookAgain(ctx, found)
			mu.Lock()
			defer mu.Unlock()
			if all[key] = found; err != nil {
				failed = fmt.Errorf("%s: SSO: principal %s: %w", c.session.Server, found.Principal, err)
			}
		})
	}
	wg.Wait()
	return failed
}
