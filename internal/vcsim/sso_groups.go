package vcsim

import (
	"errors"
	"slices"

	"github.com/vmware/govmomi/ssoadmin/types"
)

func (s *ssoService) groups() map[string]soapMethod {
	m := s.memberships()
	m[ssoManagement+"CreateLocalGroup"] = locked(s, func(r *types.CreateLocalGroup) (*types.CreateLocalGroupResponse, error) {
		return &types.CreateLocalGroupResponse{}, s.dir.addGroup(s.local(r.GroupName), r.GroupDetails.Description, s.dir.now())
	})
	m[ssoManagement+"UpdateLocalGroupDetails"] = locked(s, func(r *types.UpdateLocalGroupDetails) (*types.UpdateLocalGroupDetailsResponse, error) {
		g := s.dir.group(s.local(r.GroupName))
		if g == nil {
			return nil, errAbsent
		}
		g.description = r.GroupDetails.Description
		return &types.UpdateLocalGroupDetailsResponse{}, nil
	})
	m[ssoManagement+"AddUserToLocalGroup"] = locked(s, func(r *types.AddUserToLocalGroup) (*types.AddUserToLocalGroupResponse, error) {
		fresh, err := s.dir.join(s.local(r.GroupName), s.named(r.UserId), false)
		return &types.AddUserToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"AddUsersToLocalGroup"] = locked(s, func(r *types.AddUsersToLocalGroup) (*types.AddUsersToLocalGroupResponse, error) {
		fresh, err := s.each(r.UserIds, func(name string) (bool, error) { return s.dir.join(s.local(r.GroupName), name, false) })
		return &types.AddUsersToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"AddGroupToLocalGroup"] = locked(s, func(r *types.AddGroupToLocalGroup) (*types.AddGroupToLocalGroupResponse, error) {
		fresh, err := s.dir.join(s.local(r.GroupName), s.named(r.GroupId), true)
		return &types.AddGroupToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"AddGroupsToLocalGroup"] = locked(s, func(r *types.AddGroupsToLocalGroup) (*types.AddGroupsToLocalGroupResponse, error) {
		fresh, err := s.each(r.GroupIds, func(name string) (bool, error) { return s.dir.join(s.local(r.GroupName), name, true) })
		return &types.AddGroupsToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"RemoveFromLocalGroup"] = locked(s, func(r *types.RemoveFromLocalGroup) (*types.RemoveFromLocalGroupResponse, error) {
		was, err := s.leave(r.GroupName, s.named(r.PrincipalId))
		return &types.RemoveFromLocalGroupResponse{Returnval: was}, err
	})
	m[ssoManagement+"RemovePrincipalsFromLocalGroup"] = locked(s, func(r *types.RemovePrincipalsFromLocalGroup) (*types.RemovePrincipalsFromLocalGroupResponse, error) {
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
	was, err := s.dir.leave(s.local(group), name, false)
	if errors.Is(err, errAbsent) {
		return s.dir.leave(s.local(group), name, true)
	}
	return was, err
}

// members lists the direct members of a group that one keeps.
func members[T any](s *ssoService, id types.PrincipalId, text string, limit int32, keep func(User) bool, show func(User) T) ([]T, error) {
	g := s.dir.group(s.named(id))
	if g == nil {
		return nil, errAbsent
	}
	return find(s, "", text, limit, func(u User) bool {
		_, member := g.members[u.Key()]
		return member && keep(u)
	}, show), nil
}

func (s *ssoService) memberships() map[string]soapMethod {
	return map[string]soapMethod{
		ssoDiscovery + "FindUsersInGroup": locked(s, func(r *types.FindUsersInGroup) (*types.FindUsersInGroupResponse, error) {
			list, err := members(s, r.GroupId, r.SearchString, r.Limit, everybody, anyUser)
			return &types.FindUsersInGroupResponse{Returnval: list}, err
		}),
		ssoDiscovery + "FindPersonUsersInGroup": locked(s, func(r *types.FindPersonUsersInGroup) (*types.FindPersonUsersInGroupResponse, error) {
			list, err := members(s, r.GroupId, r.SearchString, r.Limit, persons, personUser)
			return &types.FindPersonUsersInGroupResponse{Returnval: list}, err
		}),
		ssoDiscovery + "FindSolutionUsersInGroup": locked(s, func(r *types.FindSolutionUsersInGroup) (*types.FindSolutionUsersInGroupResponse, error) {
			list, err := members(s, types.PrincipalId{Name: r.GroupName}, r.SearchString, r.Limit, solutions, s.solutionUser)
			return &types.FindSolutionUsersInGroupResponse{Returnval: list}, err
		}),
		ssoDiscovery + "FindGroupsInGroup": locked(s, func(r *types.FindGroupsInGroup) (*types.FindGroupsInGroupResponse, error) {
			g := s.dir.group(s.named(r.GroupId))
			if g == nil {
				return nil, errAbsent
			}
			var res types.FindGroupsInGroupResponse
			for _, other := range s.dir.sortedGroups() {
				if _, member := g.members[other.Key()]; member && matches(r.SearchString, other.Name, other.description) {
					res.Returnval = append(res.Returnval, adminGroup(other))
				}
			}
			return &res, nil
		}),
		ssoDiscovery + "FindDirectParentGroups": locked(s, func(r *types.FindDirectParentGroups) (*types.FindDirectParentGroupsResponse, error) {
			var res types.FindDirectParentGroupsResponse
			p, err := s.anybody(r.PrincipalId)
			for _, g := range s.dir.sortedGroups() {
				if _, member := g.members[p.Key()]; member {
					res.Returnval = append(res.Returnval, adminGroup(g))
				}
			}
			return &res, err
		}),
		ssoDiscovery + "FindNestedParentGroups": locked(s, func(r *types.FindNestedParentGroups) (*types.FindNestedParentGroupsResponse, error) {
			var res types.FindNestedParentGroupsResponse
			p, err := s.anybody(r.UserId)
			for _, g := range s.dir.groupsOf(p) {
				res.Returnval = append(res.Returnval, adminGroup(s.dir.group(g.String())))
			}
			return &res, err
		}),
		ssoGroupCheck + "FindAllParentGroups": locked(s, func(r *types.FindAllParentGroups) (*types.FindAllParentGroupsResponse, error) {
			ids, err := s.parents(r.UserId, nil)
			return &types.FindAllParentGroupsResponse{Returnval: ids}, err
		}),
		ssoGroupCheck + "FindParentGroups": locked(s, func(r *types.FindParentGroups) (*types.FindParentGroupsResponse, error) {
			ids, err := s.parents(r.UserId, r.GroupList)
			return &types.FindParentGroupsResponse{Returnval: ids}, err
		}),
		ssoGroupCheck + "IsMemberOfGroup": locked(s, func(r *types.IsMemberOfGroup) (*types.IsMemberOfGroupResponse, error) {
			p, err := s.anybody(r.UserId)
			return &types.IsMemberOfGroupResponse{Returnval: err == nil && s.dir.isMember(p, s.named(r.GroupId))}, err
		}),
	}
}

// anybody finds a user or else a group.
func (s *ssoService) anybody(id types.PrincipalId) (Principal, error) {
	for _, isGroup := range []bool{false, true} {
		if p, ok := s.dir.principal(s.named(id), isGroup); ok {
			return p, nil
		}
	}
	return Principal{}, errAbsent
}

// parents lists all groups of a principal, or those of them that are in a given list.
func (s *ssoService) parents(id types.PrincipalId, among []types.PrincipalId) ([]types.PrincipalId, error) {
	p, err := s.anybody(id)
	if err != nil {
		return nil, err
	}
	var out []types.PrincipalId
	for _, g := range s.dir.groupsOf(p) {
		if len(among) == 0 || slices.ContainsFunc(among, func(id types.PrincipalId) bool { return key(s.dir.split(s.named(id))) == key(g.Domain, g.Name) }) {
			out = append(out, principalID(g))
		}
	}
	return out, nil
}
