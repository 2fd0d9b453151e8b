package vcsim

import (
	"strings"

	"github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const (
	ssoDiscovery  = "SsoAdminPrincipalDiscoveryService."
	ssoManagement = "SsoAdminPrincipalManagementService."
	ssoGroupCheck = "SsoGroupcheckGroupCheckService."
)

func principalID(p directory.Principal) types.PrincipalId {
	return types.PrincipalId{Name: p.Name, Domain: p.Domain}
}

// named is the name of an id in a form that the Directory reads; an empty domain means the SSO domain.
func (s *ssoService) named(id types.PrincipalId) string {
	if id.Domain == "" {
		id.Domain = s.dir.Domain()
	}
	return id.Domain + `\` + id.Name
}

// local is a bare name of the SSO domain: an "@" in it is part of the name, and no name has one.
func (s *ssoService) local(name string) string { return s.dir.Domain() + `\` + name }

func personUser(u directory.User) types.AdminPersonUser {
	return types.AdminPersonUser{
		Id: principalID(u.Principal), Disabled: u.Disabled, Locked: u.Locked,
		Details: types.AdminPersonDetails{
			Description: u.Description, EmailAddress: u.Email, FirstName: u.FirstName, LastName: u.LastName,
		},
	}
}

func anyUser(u directory.User) types.AdminUser {
	kind := "person"
	if u.Solution {
		kind = "solution"
	}
	return types.AdminUser{Id: principalID(u.Principal), Kind: kind, Description: u.Description}
}

func solutionUser(u directory.User) types.AdminSolutionUser {
	return types.AdminSolutionUser{
		Id: principalID(u.Principal), Disabled: u.Disabled,
		Details: types.AdminSolutionDetails{Description: u.Description, Certificate: u.Certificate},
	}
}

func adminGroup(g directory.Group) types.AdminGroup {
	return types.AdminGroup{Id: principalID(g.Principal), Details: types.AdminGroupDetails{Description: g.Description}}
}

func persons(u directory.User) bool   { return !u.Solution }
func solutions(u directory.User) bool { return u.Solution }

// bulkLimit is the most that a search answers with, whatever the caller asks for (vmware/lightwave@1ff3bea, interface
// PrincipalDiscovery).
const bulkLimit = 5000

// query is a search of users.
type query struct {
	domain string // empty: all
	text   string
	limit  int32
	in     func(directory.User) []string // the fields that are searched
}

// nameFields are what searches of persons and of services look at, allFields what those of all users do.
func nameFields(u directory.User) []string { return []string{u.Name, u.FirstName, u.LastName} }
func allFields(u directory.User) []string  { return append(nameFields(u), u.Description) }

// find is a substring search (R38), case-blind, sorted.
func find[T any](s *ssoService, q query, keep func(directory.User) bool, show func(directory.User) T) []T {
	var out []T
	for _, u := range s.dir.Users() {
		if full(len(out), q.limit) {
			break
		}
		if (q.domain == "" || strings.EqualFold(u.Domain, q.domain)) && keep(u) && matches(q.text, q.in(u)...) {
			out = append(out, show(u))
		}
	}
	return out
}

func full(found int, limit int32) bool { return found == bulkLimit || limit > 0 && found == int(limit) }

func matches(text string, in ...string) bool {
	for _, s := range in {
		if strings.Contains(strings.ToLower(s), strings.ToLower(text)) {
			return true
		}
	}
	return false
}

// one is an exact look-up; an absent account is no fault (R38).
func one[T any](s *ssoService, name string, keep func(directory.User) bool, show func(directory.User) T) *T {
	u, ok := s.dir.User(name)
	if !ok || !keep(u) {
		return nil
	}
	shown := show(u)
	return &shown
}

func everybody(directory.User) bool { return true }

func (s *ssoService) discovery() map[string]soapMethod {
	return map[string]soapMethod{
		ssoDiscovery + "FindPersonUser": reachable(s, func(r *types.FindPersonUser) (*types.FindPersonUserResponse, error) {
			return &types.FindPersonUserResponse{Returnval: one(s, s.named(r.UserId), persons, personUser)}, nil
		}),
		ssoDiscovery + "FindUser": reachable(s, func(r *types.FindUser) (*types.FindUserResponse, error) {
			return &types.FindUserResponse{Returnval: one(s, s.named(r.UserId), everybody, anyUser)}, nil
		}),
		ssoDiscovery + "FindSolutionUser": reachable(s, func(r *types.FindSolutionUser) (*types.FindSolutionUserResponse, error) {
			return &types.FindSolutionUserResponse{Returnval: one(s, s.local(r.UserName), solutions, solutionUser)}, nil
		}),
		ssoDiscovery + "FindPersonUsers": reachable(s, func(r *types.FindPersonUsers) (*types.FindPersonUsersResponse, error) {
			return &types.FindPersonUsersResponse{Returnval: find(s,
				query{r.Criteria.Domain, r.Criteria.SearchString, r.Limit, nameFields}, persons, personUser)}, nil
		}),
		ssoDiscovery + "FindUsers": reachable(s, func(r *types.FindUsers) (*types.FindUsersResponse, error) {
			return &types.FindUsersResponse{Returnval: find(s, query{r.Criteria.Domain, r.Criteria.SearchString, r.Limit, allFields},
				everybody, anyUser)}, nil
		}),
		ssoDiscovery + "FindSolutionUsers": reachable(s, func(r *types.FindSolutionUsers) (*types.FindSolutionUsersResponse, error) {
			return &types.FindSolutionUsersResponse{Returnval: find(s,
				query{s.dir.Domain(), r.SearchString, r.Limit, nameFields}, solutions, solutionUser)}, nil
		}),
		ssoDiscovery + "FindLockedUsers": reachable(s, func(r *types.FindLockedUsers) (*types.FindLockedUsersResponse, error) {
			locked := func(u directory.User) bool { return persons(u) && u.Locked }
			return &types.FindLockedUsersResponse{Returnval: find(s, query{"", r.SearchStr, r.Limit, nameFields}, locked, personUser)}, nil
		}),
		ssoDiscovery + "FindDisabledPersonUsers": reachable(s, func(r *types.FindDisabledPersonUsers) (*types.FindDisabledPersonUsersResponse, error) {
			disabled := func(u directory.User) bool { return persons(u) && u.Disabled }
			return &types.FindDisabledPersonUsersResponse{Returnval: find(s,
				query{s.dir.Domain(), r.SearchStr, r.Limit, nameFields}, disabled, personUser)}, nil
		}),
		ssoDiscovery + "FindGroup": reachable(s, func(r *types.FindGroup) (*types.FindGroupResponse, error) {
			var res types.FindGroupResponse
			if g, err := s.explicit(r.GroupId); err == nil { // the implicit one is not found
				shown := adminGroup(g)
				res.Returnval = &shown
			}
			return &res, nil
		}),
		ssoDiscovery + "FindGroups": reachable(s, func(r *types.FindGroups) (*types.FindGroupsResponse, error) {
			return &types.FindGroupsResponse{Returnval: s.findGroups(r.Criteria.Domain, r.Criteria.SearchString, r.Limit)}, nil
		}),
		ssoDiscovery + "Find": reachable(s, func(r *types.Find) (*types.FindResponse, error) {
			domain, text := r.Criteria.Domain, r.Criteria.SearchString
			return &types.FindResponse{Returnval: types.AdminPrincipalDiscoveryServiceSearchResult{
				PersonUsers:   find(s, query{domain, text, r.Limit, nameFields}, persons, personUser),
				SolutionUsers: find(s, query{domain, text, r.Limit, nameFields}, solutions, solutionUser),
				Groups:        s.findGroups(domain, text, r.Limit),
			}}, nil
		}),
	}
}

func (s *ssoService) findGroups(domain, text string, limit int32) []types.AdminGroup {
	var out []types.AdminGroup
	for _, g := range s.dir.Groups() {
		if full(len(out), limit) {
			break
		}
		if !s.dir.Implicit(g.Principal) && (domain == "" || strings.EqualFold(g.Domain, domain)) && matches(text, g.Name, g.Description) {
			out = append(out, adminGroup(g))
		}
	}
	return out
}
