package estate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/fault"
	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// accounts are those of the SSO domain, and the identity sources beside it.
type accounts struct {
	domain  string
	sources []Source
	persons []ssotypes.AdminPersonUser
	groups  []ssotypes.AdminGroup
	members map[ssotypes.PrincipalId]membership
	unread  []string // what could not be read, in words
}

type membership struct{ users, groups []ssotypes.PrincipalId }

const (
	most     = math.MaxInt32 // for searches that must find everything
	atMost   = 5000          // is how many the SSO administration tells of all the same (vmware/lightwave@1ff3bea)
	everyone = "Everyone"    // is the group that everybody is in who can log in: nobody lists its members
)

// readAccounts reads the SSO domain. Where the caller may not, the name of the domain is all that there is.
func readAccounts(ctx context.Context, s *vcenter.Session) (accounts, error) {
	a := accounts{members: map[ssotypes.PrincipalId]membership{}}
	o, err := s.SSO(ctx)
	if err == nil {
		a.domain = o.Domain
		err = a.read(ctx, o)
	}
	if errors.Is(err, vcenter.ErrCannotSSO) || fault.Is(err, &types.NoPermission{}) {
		a = accounts{unread: []string{"accounts and groups of the SSO domain without permissions are omitted: " + s.User + " may not administer SSO"}}
		a.domain, err = s.SSODomain(ctx)
	}
	return a, err
}

func (a *accounts) read(ctx context.Context, o *vcenter.SSO) error {
	all := ssotypes.AdminPrincipalDiscoveryServiceSearchCriteria{Domain: o.Domain}
	var errs [3]error
	var wg crash.Group
	wg.Go(func() {
		var res *ssotypes.GetResponse
		if res, errs[0] = ssomethods.Get(ctx, o, &ssotypes.Get{This: o.Content.IdentitySourceManagementService}); errs[0] == nil {
			a.sources = sources(res.Returnval, o.Domain)
		}
	})
	wg.Go(func() {
		var res *ssotypes.FindPersonUsersResponse
		res, errs[1] = ssomethods.FindPersonUsers(ctx, o, &ssotypes.FindPersonUsers{
			This: o.Content.PrincipalDiscoveryService, Criteria: all, Limit: most,
		})
		if errs[1] == nil {
			a.persons = res.Returnval
		}
	})
	wg.Go(func() {
		var res *ssotypes.FindGroupsResponse
		res, errs[2] = ssomethods.FindGroups(ctx, o, &ssotypes.FindGroups{
			This: o.Content.PrincipalDiscoveryService, Criteria: all, Limit: most,
		})
		if errs[2] == nil {
			a.groups = res.Returnval
		}
	})
	wg.Wait()
	for _, err := range errs { // they have one cause
		if err != nil {
			return err
		}
	}
	for what, n := range map[string]int{"accounts": len(a.persons), "groups": len(a.groups)} {
		if n >= atMost {
			a.unread = append(a.unread, fmt.Sprintf("%s of the SSO domain may be missing: a vCenter returns only %d", what, atMost))
		}
	}
	a.readMembers(ctx, o)
	return nil
}

// readMembers reads the direct members of the SSO domain's groups. A group whose members nobody tells stays without.
func (a *accounts) readMembers(ctx context.Context, o *vcenter.SSO) {
	read := make([]membership, len(a.groups))
	errs := make([]error, len(a.groups))
	var wg crash.Group
	for i, g := range a.groups {
		if strings.EqualFold(g.Id.Name, everyone) {
			continue
		}
		wg.Go(func() {
			users, err := ssomethods.FindPersonUsersInGroup(ctx, o, &ssotypes.FindPersonUsersInGroup{
				This: o.Content.PrincipalDiscoveryService, GroupId: g.Id, Limit: most,
			})
			if err != nil {
				errs[i] = err
				return
			}
			for _, u := range users.Returnval {
				read[i].users = append(read[i].users, u.Id)
			}
			groups, err := ssomethods.FindGroupsInGroup(ctx, o, &ssotypes.FindGroupsInGroup{
				This: o.Content.PrincipalDiscoveryService, GroupId: g.Id, Limit: most,
			})
			if err != nil {
				errs[i] = err
				return
			}
			for _, in := range groups.Returnval {
				read[i].groups = append(read[i].groups, in.Id)
			}
		})
	}
	wg.Wait()
	for i, g := range a.groups {
		a.members[g.Id] = read[i]
		if errs[i] != nil {
			a.unread = append(a.unread, "the members of group "+g.Id.Name+" are omitted: "+errs[i].Error())
		}
	}
}

// sources are the identity sources besides those that every vCenter has.
func sources(all ssotypes.IdentitySources, own string) []Source {
	var out []Source
	for _, l := range all.LDAPS {
		kind := sourceTypes()[0]
		if slices.Contains(sourceTypes(), l.Type) {
			kind = l.Type
		}
		out = append(out, identitySource(l.IdentitySource, kind))
	}
	if all.NativeAD != nil {
		out = append(out, identitySource(*all.NativeAD, sourceTypes()[0]))
	}
	for _, one := range all.All {
		out = append(out, identitySource(one, sourceTypes()[0]))
	}
	seen := map[string]bool{strings.ToLower(own): true, localOS: true}
	out = slices.DeleteFunc(out, func(s Source) bool {
		key := strings.ToLower(s.Name)
		system := all.LocalOS != nil && strings.EqualFold(all.LocalOS.Name, s.Name) || strings.EqualFold(all.System.Name, s.Name)
		again := seen[key] || system || !plain(s.Name)
		seen[key] = true
		return again
	})
	slices.SortFunc(out, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func identitySource(of ssotypes.IdentitySource, kind string) Source {
	s := Source{Name: of.Name, Type: kind}
	if len(of.Domains) > 0 {
		d := of.Domains[0]
		s.Name = cmp.Or(d.Name, s.Name)
		if d.Alias != "" && !strings.EqualFold(d.Alias, d.Name) && plain(d.Alias) {
			s.Alias = d.Alias
		}
	}
	return s
}

// principals fills in domains, and the accounts and groups of the SSO domain.
func (c *capture) principals() {
	c.v.Domain, c.v.Sources = c.accounts.domain, c.accounts.sources
	for _, text := range c.accounts.unread {
		c.note("%s", text)
	}
	for _, u := range c.accounts.persons {
		c.user(u.Id.Name+"@"+u.Id.Domain, u.Disabled, knownBy(u.Details.Description))
	}
	for _, g := range c.accounts.groups {
		c.group(g.Id.Name + "@" + g.Id.Domain)
	}
}

// members fills in those of groups, whoever they are.
func (c *capture) members() {
	for _, g := range c.accounts.groups {
		m := c.accounts.members[g.Id]
		var users, groups []string
		for _, id := range m.users {
			users = append(users, c.user(id.Name+"@"+id.Domain, false, ""))
		}
		for _, id := range m.groups {
			groups = append(groups, c.group(id.Name+"@"+id.Domain))
		}
		if name := c.group(g.Id.Name + "@" + g.Id.Domain); name != "" {
			i := c.groups[strings.ToLower(name)]
			c.v.Groups[i].Users, c.v.Groups[i].Groups = sortedNames(users), sortedNames(groups)
		}
	}
}

func sortedNames(names []string) []string {
	set := map[string]bool{}
	for _, n := range names {
		if n != "" {
			set[n] = true
		}
	}
	return slices.SortedFunc(maps.Keys(set), byName)
}

// user lists an account once, and gives its name; "" for one that cannot be written.
func (c *capture) user(principal string, disabled bool, mark string) string {
	name, ok := c.displayName(principal)
	if !ok {
		return ""
	}
	i, known := c.users[strings.ToLower(name)]
	if !known {
		i = len(c.v.Users)
		c.users[strings.ToLower(name)] = i
		c.v.Users = append(c.v.Users, User{name, disabled, mark})
	}
	return c.v.Users[i].Name
}

// group is user for a group.
func (c *capture) group(principal string) string {
	name, ok := c.displayName(principal)
	if !ok {
		return ""
	}
	i, known := c.groups[strings.ToLower(name)]
	if !known {
		i = len(c.v.Groups)
		c.groups[strings.ToLower(name)] = i
		c.v.Groups = append(c.v.Groups, Group{Name: name})
	}
	return c.v.Groups[i].Name
}

// displayName is a principal as name@domain, with the domain's name for its alias. A domain that no identity source has becomes
// one: a permission outlives the source that its principal came from.
func (c *capture) displayName(principal string) (string, bool) {
	name, domain := splitPrincipal(principal)
	if domain == "" {
		domain = c.v.Domain
	}
	if !plain(domain) || !writable(name+domain) || name == "" || strings.ContainsAny(name, "@\\\"") {
		c.note("principal %q is omitted: the name cannot be exported", principal)
		return "", false
	}
	for _, own := range []string{c.v.Domain, localOS} {
		if strings.EqualFold(domain, own) {
			return name + "@" + own, true
		}
	}
	for _, s := range c.v.Sources {
		if strings.EqualFold(domain, s.Name) || strings.EqualFold(domain, s.Alias) {
			return name + "@" + s.Name, true
		}
	}
	domain = strings.ToLower(domain)
	c.v.Sources = append(c.v.Sources, Source{Name: domain, Type: sourceTypes()[0]})
	return name + "@" + domain, true
}

var ours = regexp.MustCompile(`^(OpenShift cluster .+, component .+; made by ocp-vsphere-admin)(; password set \d{4}-\d\d-\d\d)?(, tag .*)?$`)

// knownBy is what of a description tells that an account is the tool's: the mark, and the day on
// which its password was set. "" = it is somebody else's, or has no description of the tool's.
func knownBy(description string) string {
	m := ours.FindStringSubmatch(description)
	if m == nil || m[2] == "" && m[3] != "" {
		return ""
	}
	return strings.TrimSuffix(m[1]+m[2], "; password set 0001-01-01") // a day that is not known
}
