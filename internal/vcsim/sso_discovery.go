package vcsim

import (
	"strings"

	"github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim/directory"
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

// find is a substring search (R38), case-blind, over name and description, sorted. An empty domain means all.
func find[T any](s *ssoService, domain, text string, limit int32, keep func(directory.User) bool, show func(directory.User) T) []T {
	var out []T
	for _, u := range s.dir.Users() {
		if limit > 0 && len(out) == int(limit) {
			break
		}
		if (domain == "" || strings.EqualFold(u.Domain, domain)) && keep(u) && matches(text, u.Name, u.Description) {
			out = append(out, show(u))
		}
	}
	return out
}

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
		ssoDiscovery + "FindPersonUser": asked(s, func(r *types.FindPersonUser) (*types.FindPersonUserResponse, error) {
			return &types.FindPersonUserResponse{Returnval: one(s, s.named(r.UserId), persons, personUser)}, nil
		}),
		ssoDiscovery + "FindUser": asked(s, func(r *types.FindUser) (*types.FindUserResponse, error) {
			return &types.FindUserResponse{Returnval: one(s, s.named(r.UserId), everybody, anyUser)}, nil
		}),
		ssoDiscovery + "FindSolutionUser": asked(s, func(r *types.FindSolutionUser) (*types.FindSolutionUserResponse, error) {
			return &types.FindSolutionUserResponse{Returnval: one(s, s.local(r.UserName), solutions, solutionUser)}, nil
		}),
		ssoDiscovery + "FindPersonUsers": asked(s, func(r *types.FindPersonUsers) (*types.FindPersonUsersResponse, error) {
			return &types.FindPersonUsersResponse{Returnval: find(s, r.Criteria.Domain, r.Criteria.SearchString, r.Limit, persons, personUser)}, nil
		}),
		ssoDiscovery + "FindUsers": asked(s, func(r *types.FindUsers) (*types.FindUsersResponse, error) {
			return &types.FindUsersResponse{Returnval: find(s, r.Criteria.Domain, r.Criteria.SearchString, r.Limit, everybody, anyUser)}, nil
		}),
		ssoDiscovery + "FindSolutionUsers": asked(s, func(r *types.FindSolutionUsers) (*types.FindSolutionUsersResponse, error) {
			return &types.FindSolutionUsersResponse{Returnval: find(s, s.dir.Domain(), r.SearchString, r.Limit, solutions, solutionUser)}, nil
		}),
		ssoDiscovery + "FindLockedUsers": asked(s, func(r *types.FindLockedUsers) (*types.FindLockedUsersResponse, error) {
			locked := func(u directory.User) bool { return persons(u) && u.Locked }
			return &types.FindLockedUsersResponse{Returnval: find(s, s.dir.Domain(), r.SearchStr, r.Limit, locked, personUser)}, nil
		}),
		ssoDiscovery + "FindDisabledPersonUsers": asked(s, func(r *types.FindDisabledPersonUsers) (*types.FindDisabledPersonUsersResponse, error) {
			disabled := func(u directory.User) bool { return persons(u) && u.Disabled }
			return &types.FindDisabledPersonUsersResponse{Returnval: find(s, s.dir.Domain(), r.SearchStr, r.Limit, disabled, personUser)}, nil
		}),
		ssoDiscovery + "FindGroup": asked(s, func(r *types.FindGroup) (*types.FindGroupResponse, error) {
			var res types.FindGroupResponse
			if g, ok := s.dir.Group(s.named(r.GroupId)); ok {
				shown := adminGroup(g)
				res.Returnval = &shown
			}
			return &res, nil
		}),
		ssoDiscovery + "FindGroups": asked(s, func(r *types.FindGroups) (*types.FindGroupsResponse, error) {
			return &types.FindGroupsResponse{Returnval: s.findGroups(r.Criteria.Domain, r.Criteria.SearchString, r.Limit)}, nil
		}),
		ssoDiscovery + "Find": asked(s, func(r *types.Find) (*types.FindResponse, error) {
			domain, text := r.Criteria.Domain, r.Criteria.SearchString
			return &types.FindResponse{Returnval: types.AdminPrincipalDiscoveryServiceSearchResult{
				PersonUsers:   find(s, domain, text, r.Limit, persons, personUser),
				SolutionUsers: find(s, domain, text, r.Limit, solutions, solutionUser),
				Groups:        s.findGroups(domain, text, r.Limit),
			}}, nil
		}),
	}
}

func (s *ssoService) findGroups(domain, text string, limit int32) []types.AdminGroup {
	var out []types.AdminGroup
	for _, g := range s.dir.Groups() {
		if limit > 0 && len(out) == int(limit) {
			break
		}
		if (domain == "" || strings.EqualFold(g.Domain, domain)) && matches(text, g.Name, g.Description) {
			out = append(out, adminGroup(g))
		}
	}
	return out
}
