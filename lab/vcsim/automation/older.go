package automation

import (
	"net/http"
	"slices"
	"strconv"
)

const (
	olderPath = "/rest/com/vmware/cis/authz/permission"
	olderID   = "com.vmware.cis.authz.permission."
	olderDoc  = ";doc=urn:acl:global:permissions"
)

// olderOperations read global permissions by the service that 9.2 deprecates (R46). It creates and deletes them as well, which is
// not simulated.
var olderOperations = []operation{
	{method: http.MethodGet, path: olderPath, id: olderID + "list", serve: (*Service).listOlder},
	{method: http.MethodPost, path: olderPath, action: "list-detail", id: olderID + "list_detail", serve: (*Service).listOlderDetail},
	{method: http.MethodGet, path: olderPath + "/{}", id: olderID + "get", serve: (*Service).getOlder},
}

// olderInfo is a global permission as that service says it.
type olderInfo struct {
	ID        string         `json:"id"`
	Object    object         `json:"resource_id"`
	Principal olderPrincipal `json:"principal"`
	Roles     []string       `json:"role_id"`
	Propagate bool           `json:"propagate"`
}

type olderPrincipal struct {
	Type  string `json:"type"`
	User  string `json:"user_name,omitempty"`
	Group string `json:"group_name,omitempty"`
}

// older are the global permissions that the caller may read.
func (s *Service) older(c *call) []olderInfo {
	all := []olderInfo{}
	for _, p := range s.readable(c) {
		if p.Object != GlobalObject {
			continue
		}
		who, info := p.Principal.String(), olderInfo{
			Object: object{"PermissionFolder", "global-permission"},
			Roles:  []string{strconv.Itoa(int(p.Role))}, Propagate: p.Propagating,
		}
		info.ID, info.Principal = "username="+who+olderDoc, olderPrincipal{Type: "USER", User: who}
		if p.Principal.Group {
			info.ID, info.Principal = "groupname="+who+olderDoc, olderPrincipal{Type: "GROUP", Group: who}
		}
		all = append(all, info)
	}
	return all
}

func (s *Service) listOlder(c *call) (any, *failure) {
	ids := []string{}
	for _, p := range s.older(c) {
		ids = append(ids, p.ID)
	}
	return ids, nil
}

func (s *Service) listOlderDetail(c *call) (any, *failure) { return s.older(c), nil }

func (s *Service) getOlder(c *call) (any, *failure) {
	all := s.older(c)
	i := slices.IndexFunc(all, func(p olderInfo) bool { return p.ID == c.args[0] })
	if i < 0 {
		return nil, s.fail(c, notFound, "There is no such permission.")
	}
	return all[i], nil
}
