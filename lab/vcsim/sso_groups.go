package vcsim

import (
	"errors"
	"slices"

	"github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func (s *ssoService) groups() map[string]soapMethod {
	m := s.memberships()
	m[ssoManagement+"CreateLocalGroup"] = reachable(s, func(r *types.CreateLocalGroup) (*principalResponse, error) {
		return s.id("CreateLocalGroup", r.GroupName), about(r.GroupName, s.dir.CreateGroup(s.local(r.GroupName), r.GroupDetails.Description))
	})
	m[ssoManagement+"UpdateLocalGroupDetails"] = reachable(s, func(r *types.UpdateLocalGroupDetails) (*principalResponse, error) {
		return s.id("UpdateLocalGroupDetails", r.GroupName), about(r.GroupName, s.dir.DescribeGroup(s.local(r.GroupName), r.GroupDetails.Description))
	})
	m[ssoManagement+"AddUserToLocalGroup"] = reachable(s, func(r *types.AddUserToLocalGroup) (*types.AddUserToLocalGroupResponse, error) {
		fresh, err := s.join(r.GroupName, r.UserId, false)
		return &types.AddUserToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"AddUsersToLocalGroup"] = reachable(s, func(r *types.AddUsersToLocalGroup) (*types.AddUsersToLocalGroupResponse, error) {
		fresh, err := each(r.UserIds, func(id types.PrincipalId) (bool, error) { return s.join(r.GroupName, id, false) })
		return &types.AddUsersToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"AddGroupToLocalGroup"] = reachable(s, func(r *types.AddGroupToLocalGroup) (*types.AddGroupToLocalGroupResponse, error) {
		fresh, err := s.join(r.GroupName, r.GroupId, true)
		return &types.AddGroupToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"AddGroupsToLocalGroup"] = reachable(s, func(r *types.AddGroupsToLocalGroup) (*types.AddGroupsToLocalGroupResponse, error) {
		fresh, err := each(r.GroupIds, func(id types.PrincipalId) (bool, error) { return s.join(r.GroupName, id, true) })
		return &types.AddGroupsToLocalGroupResponse{Returnval: fresh}, err
	})
	m[ssoManagement+"RemoveFromLocalGroup"] = reachable(s, func(r *types.RemoveFromLocalGroup) (*types.RemoveFromLocalGroupResponse, error) {
		was, err := s.leave(r.GroupName, r.PrincipalId)
		return &types.RemoveFromLocalGroupResponse{Returnval: was}, err
	})
	m[ssoManagement+"RemovePrincipalsFromLocalGroup"] = reachable(s, func(r *types.RemovePrincipalsFromLocalGroup) (*types.RemovePrincipalsFromLocalGroupResponse, error) {
		was, err := each(r.PrincipalsIds, func(id types.PrincipalId) (bool, error) { return s.leave(r.GroupName, id) })
		return &types.RemovePrincipalsFromLocalGroupResponse{Returnval: was}, err
	})
	return m
}

func each(ids []types.PrincipalId, f func(types.PrincipalId) (bool, error)) ([]bool, error) {
	var out []bool
	for _, id := range ids {
		done, err := f(id)
		if err != nil {
			return nil, err
		}
		out = append(out, done)
	}
	return out, nil
}

// between names the one of two principals that an error of a membership is about.
func (s *ssoService) between(group string, id types.PrincipalId, err error) error {
	if g, ok := s.dir.Group(s.local(group)); !ok || s.dir.Implicit(g.Principal) {
		return about(group, err)
	}
	return about(id.Name, err)
}

func (s *ssoService) join(group string, id types.PrincipalId, isGroup bool) (bool, error) {
	fresh, err := s.dir.Join(s.local(group), s.named(id), isGroup)
	return fresh, s.between(group, id, err)
}

// leave removes a user or a group: the ids of a removal do not say which.
func (s *ssoService) leave(group string, id types.PrincipalId) (bool, error) {
	was, err := s.dir.Leave(s.local(group), s.named(id), false)
	if errors.Is(err, directory.ErrAbsent) {
		was, err = s.dir.Leave(s.local(group), s.named(id), true)
	}
	return was, s.between(group, id, err)
}

// explicit finds a group that has members to list.
func (s *ssoService) explicit(id types.PrincipalId) (directory.Group, error) {
	g, ok := s.dir.Group(s.named(id))
	if !ok || s.dir.Implicit(g.Principal) {
		return g, about(id.Name, directory.ErrAbsent)
	}
	return g, nil
}

// members lists the direct members of a group that one keeps.
func members[T any](s *ssoService, id types.PrincipalId, q query, keep func(directory.User) bool,
	show func(directory.User) T,
) ([]T, error) {
	g, err := s.explicit(id)
	if err != nil {
		return nil, err
	}
	return find(s, q, func(u directory.User) bool { return slices.Contains(g.Members, u.Principal) && keep(u) }, show), nil
}

func (s *ssoService) memberships() map[string]soapMethod {
	return map[string]soapMethod{
		ssoDiscovery + "FindUsersInGroup": reachable(s, func(r *types.FindUsersInGroup) (*types.FindUsersInGroupResponse, error) {
			list, err := members(s, r.GroupId, query{text: r.SearchString, limit: r.Limit, in: allFields}, everybody, anyUser)
			return &types.FindUsersInGroupResponse{Returnval: list}, err
		}),
		ssoDiscovery + "FindPersonUsersInGroup": reachable(s, func(r *types.FindPersonUsersInGroup) (*types.FindPersonUsersInGroupResponse, error) {
			list, err := members(s, r.GroupId, query{text: r.SearchString, limit: r.Limit, in: nameFields}, persons, personUser)
			return &types.FindPersonUsersInGroupResponse{Returnval: list}, err
		}),
		ssoDiscovery + "FindSolutionUsersInGroup": reachable(s, func(r *types.FindSolutionUsersInGroup) (*types.FindSolutionUsersInGroupResponse, error) {
			list, err := members(s, types.PrincipalId{Name: r.GroupName},
				query{text: r.SearchString, limit: r.Limit, in: nameFields}, solutions, solutionUser)
			return &types.FindSolutionUsersInGroupResponse{Returnval: list}, err
		}),
		ssoDiscovery + "FindGroupsInGroup": reachable(s, func(r *types.FindGroupsInGroup) (*types.FindGroupsInGroupResponse, error) {
			g, err := s.explicit(r.GroupId)
			if err != nil {
				return nil, err
			}
			var res types.FindGroupsInGroupResponse
			for _, other := range s.dir.Groups() {
				if slices.Contains(g.Members, other.Principal) && matches(r.SearchString, other.Name, other.Description) {
					res.Returnval = append(res.Returnval, adminGroup(other))
				}
			}
			return &res, nil
		}),
		ssoDiscovery + "FindDirectParentGroups": reachable(s, func(r *types.FindDirectParentGroups) (*types.FindDirectParentGroupsResponse, error) {
			var res types.FindDirectParentGroupsResponse
			p, err := s.anybody(r.PrincipalId)
			if err != nil {
				return nil, err
			}
			for _, g := range s.dir.Groups() {
				if slices.Contains(g.Members, p) || s.dir.Implicit(g.Principal) { // Everyone is a direct parent of all but itself
					res.Returnval = append(res.Returnval, adminGroup(g))
				}
			}
			return &res, nil
		}),
		ssoDiscovery + "FindNestedParentGroups": reachable(s, func(r *types.FindNestedParentGroups) (*types.FindNestedParentGroupsResponse, error) {
			var res types.FindNestedParentGroupsResponse
			u, ok := s.dir.User(s.named(r.UserId))
			if !ok { // a group is refused as well
				return nil, about(r.UserId.Name, directory.ErrAbsent)
			}
			for _, p := range s.dir.GroupsOf(u.Principal) {
				if g, ok := s.dir.Group(p.String()); ok {
					res.Returnval = append(res.Returnval, adminGroup(g))
				}
			}
			return &res, nil
		}),
		ssoGroupCheck + "FindAllParentGroups": reachable(s, func(r *types.FindAllParentGroups) (*types.FindAllParentGroupsResponse, error) {
			ids, err := s.parents(r.UserId, nil)
			return &types.FindAllParentGroupsResponse{Returnval: ids}, err
		}),
		ssoGroupCheck + "FindParentGroups": reachable(s, func(r *types.FindParentGroups) (*types.FindParentGroupsResponse, error) {
			ids, err := s.parents(r.UserId, r.GroupList)
			return &types.FindParentGroupsResponse{Returnval: ids}, err
		}),
		ssoGroupCheck + "IsMemberOfGroup": reachable(s, func(r *types.IsMemberOfGroup) (*types.IsMemberOfGroupResponse, error) {
			p, err := s.anybody(r.UserId)
			if _, ok := s.dir.Group(s.named(r.GroupId)); err == nil && !ok {
				err = about(r.GroupId.Name, directory.ErrAbsent)
			}
			return &types.IsMemberOfGroupResponse{Returnval: err == nil && s.dir.IsMember(p, s.named(r.GroupId))}, err
		}),
	}
}

// anybody finds a user or else a group that is not implicit.
func (s *ssoService) anybody(id types.PrincipalId) (directory.Principal, error) {
	if u, ok := s.dir.User(s.named(id)); ok {
		return u.Principal, nil
	}
	g, err := s.explicit(id)
	return g.Principal, err
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
