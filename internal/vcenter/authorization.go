package vcenter

import (
	"context"
	"slices"
	"sync"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Authorization is what the authorization manager of a vCenter lists: some 480 privileges with labels and explanations,
// most of them once more in every system role. Slices of ids are shared by all vCenters of a [Run]: do not change them.
type Authorization struct {
	Roles      []AuthorizationRole
	Privileges []string // every id that the vCenter knows, sorted
}

// AuthorizationRole is a role. Privileges are sorted and leave out the three implicit ones.
type AuthorizationRole struct {
	ID         int32
	Name       string
	System     bool
	Privileges []string
}

// administrator is the id of the system role that holds everything, on every vCenter.
const administrator = -1

// Authorization reads roles and privilege catalogue: one request. Where a server serves no catalogue, what the role of the
// administrator holds is everything that it knows.
func (s *Session) Authorization(ctx context.Context) (Authorization, error) {
	ids := &s.config.Run.ids
	lists := &authorizationLists{id: ids.id}
	contents, err := s.Retrieve(context.WithValue(ctx, authorizationKey{}, lists), types.PropertyFilterSpec{
		PropSet:   []types.PropertySpec{{Type: "AuthorizationManager", PathSet: []string{"roleList", "privilegeList"}}},
		ObjectSet: []types.ObjectSpec{{Obj: *s.Content.AuthorizationManager}},
	})
	if err != nil {
		return Authorization{}, err
	}
	for _, content := range contents {
		for _, p := range content.PropSet {
			lists.decoded(p.Val)
		}
	}
	if len(lists.privileges) == 0 {
		for _, r := range lists.roles {
			if r.RoleId == administrator {
				lists.privileges = r.Privilege
			}
		}
	}
	known := Authorization{Privileges: ids.share(&ids.catalogue, lists.privileges, sorted)}
	for _, r := range lists.roles {
		known.Roles = append(known.Roles, AuthorizationRole{
			ID: r.RoleId, Name: r.Name, System: r.System, Privileges: ids.share(&ids.role, r.Privilege, privileges.Strip),
		})
	}
	return known, nil
}

func sorted(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return ids
}

// authorizationLists are the two lists as a vCenter sends them. What [slim] reads of an answer is left out of what the
// decoder sees; where it reads nothing, the decoder does.
type authorizationLists struct {
	id         func(text []byte) string // makes strings of privilege ids
	roles      []types.AuthorizationRole
	privileges []string
}

// authorizationKey is where a request's context has an *authorizationLists.
type authorizationKey struct{}

// decoded takes a list that the decoder saw. An empty one may be what slim left of it.
func (l *authorizationLists) decoded(val any) {
	switch v := val.(type) {
	case types.ArrayOfAuthorizationRole:
		if len(v.AuthorizationRole) > 0 {
			l.roles = v.AuthorizationRole
		}
	case types.ArrayOfAuthorizationPrivilege:
		if len(v.AuthorizationPrivilege) > 0 {
			l.privileges = nil
			for _, p := range v.AuthorizationPrivilege {
				l.privileges = append(l.privileges, p.PrivId)
			}
		}
	}
}

// sharedIDs keeps one copy of each privilege id and of each long list of them: vCenters of the same release send the same.
type sharedIDs struct {
	mu              sync.Mutex
	ids             map[string]string
	catalogue, role []sharedList
}

type sharedList struct{ sent, kept []string }

// Lists of fewer ids are not worth a comparison. More ids and lists than all releases could give are not kept.
const (
	shortestShared = 32
	mostShared     = 128
	mostIDs        = 10_000
)

// id is text as a string, one copy for all that are equal.
func (s *sharedIDs) id(text []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.ids[string(text)]; ok {
		return id
	}
	id := string(text)
	if s.ids == nil {
		s.ids = map[string]string{}
	}
	if len(s.ids) < mostIDs {
		s.ids[id] = id
	}
	return id
}

// share gives what f makes of ids; the same slice for equal ids. The lists are those of one f.
func (s *sharedIDs) share(lists *[]sharedList, ids []string, f func([]string) []string) []string {
	if len(ids) < shortestShared {
		return f(ids)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range *lists {
		if slices.Equal(l.sent, ids) {
			return l.kept
		}
	}
	made := slices.Clip(f(ids)) // whoever appends gets a copy
	if len(*lists) < mostShared {
		*lists = append(*lists, sharedList{sent: ids, kept: made})
	}
	return made
}
