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
	contents, err := s.Retrieve(ctx, types.PropertyFilterSpec{
		PropSet:   []types.PropertySpec{{Type: "AuthorizationManager", PathSet: []string{"roleList", "privilegeList"}}},
		ObjectSet: []types.ObjectSpec{{Obj: *s.Content.AuthorizationManager}},
	})
	if err != nil {
		return Authorization{}, err
	}
	var roles []types.AuthorizationRole
	var catalogue []string
	for _, content := range contents {
		for _, p := range content.PropSet {
			switch v := p.Val.(type) {
			case types.ArrayOfAuthorizationRole:
				roles = v.AuthorizationRole
			case types.ArrayOfAuthorizationPrivilege:
				for _, p := range v.AuthorizationPrivilege {
					catalogue = append(catalogue, p.PrivId)
				}
			}
		}
	}
	if len(catalogue) == 0 {
		for _, r := range roles {
			if r.RoleId == administrator {
				catalogue = r.Privilege
			}
		}
	}
	known := Authorization{Privileges: ids.share(&ids.catalogue, catalogue, func(all []string) []string {
		return slices.Sorted(slices.Values(all))
	})}
	for _, r := range roles {
		known.Roles = append(known.Roles, AuthorizationRole{
			ID: r.RoleId, Name: r.Name, System: r.System, Privileges: ids.share(&ids.role, r.Privilege, privileges.Strip),
		})
	}
	return known, nil
}

// sharedIDs keeps one copy of each long list of privilege ids: vCenters of the same release send the same.
type sharedIDs struct {
	mu              sync.Mutex
	catalogue, role []sharedList
}

type sharedList struct{ sent, kept []string }

// Lists of fewer ids are not worth a comparison. More lists than all releases could give are not kept.
const (
	shortestShared = 32
	mostShared     = 128
)

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
