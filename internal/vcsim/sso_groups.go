package vcsim

import (
	"errors"
	"slices"

	"github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim/directory"
)

func (s *ssoService) groups() map[string]soapMethod {
	m := s.memberships()
	m[ssoManagement+"CreateLocalGroup"] = asked(s, func(r *types.CreateLocalGroup) (*types.CreateLocalGroupResponse, error) {
		return &types.CreateLocalGroupResponse{}, s.dir.CreateGroup(s.local(r.GroupName), r.GroupDetails.Description)
	})
	m[ssoManagement+"UpdateLocalGroupDetails"] = asked(s, func(r *types.UpdateLocalGroupDetails) (*types.UpdateLocalGroupDetailsResponse, error) {
		return &types.UpdateLocalGroupDetailsResponse{}, s.dir.DescribeGroup(s.local(r.GroupName), r.GroupDetails.Description)
	})
	m[ssoManagement+"AddUserToLocalGroup"] = asked(s, func(r *types.AddUserToLocalGroup) (*types.AddUserToLocalGroupResponse, error) {
		fresh, err := s.dir.Join(s.local(r.GroupName), s.named(r.UserId), false)
		return &types.AddUserToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"AddUsersToLocalGroup"] = asked(s, func(r *types.AddUsersToLocalGroup) (*types.AddUsersToLocalGroupResponse, error) {
		fresh, err := s.each(r.UserIds, func(name string) (bool, error) { return s.dir.Join(s.local(r.GroupName), name, false) })
		return &types.AddUsersToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"AddGroupToLocalGroup"] = asked(s, func(r *types.AddGroupToLocalGroup) (*types.AddGroupToLocalGroupResponse, error) {
		fresh, err := s.dir.Join(s.local(r.GroupName), s.named(r.GroupId), true)
		return &types.AddGroupToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"AddGroupsToLocalGroup"] = asked(s, func(r *types.AddGroupsToLocalGroup) (*types.AddGroupsToLocalGroupResponse, error) {
		fresh, err := s.each(r.GroupIds, func(name string) (bool, error) { return s.dir.Join(s.local(r.GroupName), name, true) })
		return &types.AddGroupsToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"RemoveFromLocalGroup"] = asked(s, func(r *types.RemoveFromLocalGroup) (*types.RemoveFromLocalGroupResponse, error) {
		was, err := s.leave(r.GroupName, s.named(r.PrincipalId))
		return &types.RemoveFromLocalGroupResponse{Returnval: was}, err
	})
	m[ssoManagement+"RemovePrincipalsFromLocalGroup"] = asked(s, func(r *types.RemovePrincipalsFromLocalGroup) (*types.RemovePrincipalsFromLocalGroupResponse, error) {
		was, err := s.each(r.PrincipalsIds, func(name string) (bool, error) { return s.leave(r.GroupName, name) })
		return &types.RemovePrincipalsFromLocalGroupResponse{Returnval: was}, err
	})
	return m
}

func (s *ssoService) each(ids []types.PrincipalId, f func(name string) (bool, error)) ([]bool, error) {
	var out []bool
	for _, id := range ids {
		done, err := f(s.named(id))
		if err != nil {
			return nil, err
		}
		out = append(out, done)
	}
	return out, nil
}

// leave removes a user or a group: the ids of a removal do not say which.
func (s *ssoService) leave(group, name string) (bool, error) {
	was, err := s.dir.Leave(s.local(group), name, false)
	if errors.Is(err, directory.ErrAbsent) {
		return s.dir.Leave(s.local(group), name, true)
	}
	return was, err
}

// members lists the direct members of a group that one keeps.
func members[T any](s *ssoService, id types.PrincipalId, text string, limit int32, keep func(directory.User) bool, show func(directory.User) T) ([]T, error) {
	g, ok := s.dir.Group(s.named(id))
	if !ok {
		return nil, directory.ErrAbsent
	}
	return find(s, "", text, limit, func(u directory.User) bool { return slices.Contains(g.Members, u.Principal) && keep(u) }, show), nil
}

func (s *ssoService) memberships() map[string]soapMethod {
	return map[string]soapMethod{
		ssoDiscovery + "FindUsersInGroup": asked(s, func(r *types.FindUsersInGroup) (*types.FindUsersInGroupResponse, error) {
			list, err := members(s, r.GroupId, r.SearchString, r.Limit, everybody, anyUser)
			return &types.FindUsersInGroupResponse{Returnval: list}, err
		}),
		ssoDiscovery + "FindPersonUsersInGroup": asked(s, func(r *types.FindPersonUsersInGroup) (*types.FindPersonUsersInGroupResponse, error) {
			list, err := members(s, r.GroupId, r.SearchString, r.Limit, persons, personUser)
			return &types.FindPersonUsersInGroupResponse{Returnval: list}, err
		}),
		ssoDiscovery + "FindSolutionUsersInGroup": asked(s, func(r *types.FindSolutionUsersInGroup) (*types.FindSolutionUsersInGroupResponse, error) {
			list, err := members(s, types.PrincipalId{Name: r.GroupName}, r.SearchString, r.Limit, solutions, solutionUser)
			return &types.FindSolutionUsersInGroupResponse{Returnval: list}, err
		}),
		ssoDiscovery + "FindGroupsInGroup": asked(s, func(r *types.FindGroupsInGroup) (*types.FindGroupsInGroupResponse, error) {
			g, ok := s.dir.Group(s.named(r.GroupId))
			if !ok {
				return nil, directory.ErrAbsent
			}
			var res types.FindGroupsInGroupResponse
			for _, other := range s.dir.Groups() {
				if slices.Contains(g.Members, other.Principal) && matches(r.SearchString, other.Name, other.Description) {
					res.Returnval = append(res.Returnval, adminGroup(other))
				}
			}
			return &res, nil
		}),
		ssoDiscovery + "FindDirectParentGroups": asked(s, func(r *types.FindDirectParentGroups) (*types.FindDirectParentGroupsResponse, error) {
			var res types.FindDirectParentGroupsResponse
			p, err := s.anybody(r.PrincipalId)
			for _, g := range s.dir.Groups() {
				if slices.Contains(g.Members, p) {
					res.Returnval = append(res.Returnval, adminGroup(g))
				}
			}
			return &res, err
		}),
		ssoDiscovery + "FindNestedParentGroups": asked(s, func(r *types.FindNestedParentGroups) (*types.FindNestedParentGroupsResponse, error) {
			var res types.FindNestedParentGroupsResponse
			p, err := s.anybody(r.UserId)
			if err != nil {
				return nil, err
			}
			for _, p := range s.dir.GroupsOf(p) {
				if g, ok := s.dir.Group(p.String()); ok {
					res.Returnval = append(res.Returnval, adminGroup(g))
				}
			}
			return &res, nil
		}),
		ssoGroupCheck + "FindAllParentGroups": asked(s, func(r *types.FindAllParentGroups) (*types.FindAllParentGroupsResponse, error) {
			ids, err := s.parents(r.UserId, nil)
			return &types.FindAllParentGroupsResponse{Returnval: ids}, err
		}),
		ssoGroupCheck + "FindParentGroups": asked(s, func(r *types.FindParentGroups) (*types.FindParentGroupsResponse, error) {
			ids, err := s.parents(r.UserId, r.GroupList)
			return &types.FindParentGroupsResponse{Returnval: ids}, err
		}),
		ssoGroupCheck + "IsMemberOfGroup": asked(s, func(r *types.IsMemberOfGroup) (*types.IsMemberOfGroupResponse, error) {
			p, err := s.anybody(r.UserId)
			return &types.IsMemberOfGroupResponse{Returnval: err == nil && s.dir.IsMember(p, s.named(r.GroupId))}, err
		}),
	}
}

// anybody finds a user or else a group.
func (s *ssoService) anybody(id types.PrincipalId) (directory.Principal, error) {
	if u, ok := s.dir.User(s.named(id)); ok {
		return u.Principal, nil
	}
	if g, ok := s.dir.Group(s.named(id)); ok {
		return g.Principal, nil
	}
	return directory.Principal{}, directory.ErrAbsent
}

// parents lists all groups of a principal, or those of them that are in a given list.
func (s *ssoService) parents(id types.PrincipalId, among []types.PrincipalId) ([]types.PrincipalId, error) {
	p, err := s.anybody(id)
	if err != nil {
		return nil, err
	}
	wanted := map[directory.Principal]bool{}
	for _, id := range among {
		if g, ok := s.dir.Group(s.named(id)); ok {
			wanted[g.Principal] = true
		}
	}
	var out []types.PrincipalId
	for _, g := range s.dir.GroupsOf(p) {
		if len(among) == 0 || wanted[g] {
			out = append(out, principalID(g))
		}
	}
	return out, nil
}
