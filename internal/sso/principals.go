package sso

import (
	"cmp"
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
	Description string // of the user, without the date that we put behind our mark, or of the group
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

// Presumed is the state of an SSO domain that was not asked, without accounts of ours, and of
// principals that are assumed to exist.
func Presumed(domain string, taken []Found) *State {
	s := &State{Names: Names{Domain: domain}, Users: map[string]User{}, found: map[string]Found{}}
	for _, f := range taken {
		s.found[strings.ToLower(f.Principal)] = f
	}
	return s
}

// Look searches for a principal as a user and as a group, and for its groups, in parallel. Groups
// are name@domain, nested ones too.
func (c *Client) Look(ctx context.Context, principal string) (Found, error) {
	found := Found{Principal: principal}
	name, domain := c.names.Split(principal)
	id := ssotypes.PrincipalId{Name: name, Domain: domain}
	discovery := c.sso.Content.PrincipalDiscoveryService
	var group string // its description
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
		if found.Group, errs[1] = err == nil && res.Returnval != nil, err; found.Group {
			group = res.Returnval.Details.Description
		}
	})
	wg.Go(func() {
		found.Groups, errs[2] = c.parents(ctx, id)
	})
	wg.Wait()
	found.Description = cmp.Or(found.Description, group)
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
	res, err := ssomethods.FindNestedParentGroups(ctx, c.sso,
		&ssotypes.FindNestedParentGroups{This: c.sso.Content.PrincipalDiscoveryService, UserId: id})
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

// lookAgain searches for a principal that was not found: under its domain's own name instead of an
// alias, and for similar names. Only a failing plan gets here.
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

// Seek refuses a principal that no identity source has, and names a similar one.
func (c *Client) Seek(ctx context.Context, principal string) error {
	found, err := c.Look(ctx, principal)
	if err == nil && !found.User && !found.Group {
		found, err = c.lookAgain(ctx, found)
	}
	if err != nil || found.User || found.Group {
		return err
	}
	s := &State{Names: c.names, server: c.session.Server, found: map[string]Found{strings.ToLower(principal): found}}
	return s.Check(principal, nil, "")
}

// search lists names of a domain with the beginning or the end of a name. It serves hints alone:
// sources may answer in part (R38), and errors are ignored.
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

// Names are those of the domains of a vCenter's identity sources.
type Names struct {
	Domain string            // of SSO itself
	alias  map[string]string // lower-case domain or alias → lower-case domain
	source map[string]Source // by lower-case domain

	Sources []string // domains of identity sources, with aliases, in order
}

// Same is a key for all spellings of one principal: name@domain, DOMAIN\name and the alias of its
// domain. A bare name belongs to the SSO domain.
func (n *Names) Same(principal string) string {
	name, domain := n.Split(principal)
	domain = strings.ToLower(domain)
	if full, ok := n.alias[domain]; ok {
		domain = full
	}
	return strings.ToLower(name) + "@" + domain
}

// Source is a domain of an identity source, as the vCenter spells it.
type Source struct{ Name, Alias string } // Alias "" = it has none, or its own name

// Source is the identity source with this name or alias; an unknown domain is returned as it is.
func (n *Names) Source(domain string) Source {
	if s, ok := n.source[n.alias[strings.ToLower(domain)]]; ok {
		return s
	}
	return Source{Name: domain}
}

// Split cuts name@domain or DOMAIN\name. A bare name belongs to the SSO domain.
func (n *Names) Split(principal string) (name, domain string) {
	if d, n, ok := strings.Cut(principal, `\`); ok {
		return n, d
	}
	if i := strings.LastIndex(principal, "@"); i >= 0 {
		return principal[:i], principal[i+1:]
	}
	return principal, n.Domain
}

// know remembers a domain for messages: "corp.example.com (CORP)".
func (n *Names) know(d ssotypes.Domain) {
	source, text := Source{Name: d.Name}, d.Name
	if d.Alias != "" && !strings.EqualFold(d.Alias, d.Name) {
		source.Alias = d.Alias
		text += " (" + d.Alias + ")"
	}
	if n.source == nil {
		n.source = map[string]Source{}
	}
	if key := strings.ToLower(d.Name); n.source[key].Alias == "" {
		n.source[key] = source
	}
	if !slices.Contains(n.Sources, text) { // a source can be listed twice: among all, and by its type
		n.Sources = append(n.Sources, text)
	}
}

// principalID names the domain of a principal by its own name, where an alias was given.
func (n *Names) principalID(principal string) ssotypes.PrincipalId {
	name, domain := n.Split(principal)
	if full, ok := n.alias[strings.ToLower(domain)]; ok {
		domain = full
	}
	return ssotypes.PrincipalId{Name: name, Domain: domain}
}

func (n *Names) learn(sources ssotypes.IdentitySources) {
	all := append([]ssotypes.IdentitySource{sources.System}, sources.All...)
	for _, l := range sources.LDAPS {
		all = append(all, l.IdentitySource)
	}
	for _, source := range []*ssotypes.IdentitySource{sources.LocalOS, sources.NativeAD} {
		if source != nil {
			all = append(all, *source)
		}
	}
	for _, source := range all {
		for _, d := range source.Domains {
			n.know(d)
			n.alias[strings.ToLower(d.Name)] = strings.ToLower(d.Name)
			if d.Alias != "" {
				n.alias[strings.ToLower(d.Alias)] = strings.ToLower(d.Name)
			}
		}
	}
}
