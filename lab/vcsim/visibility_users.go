package vcsim

import (
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// userDirectory looks up the accounts and groups of the SSO directory.
type userDirectory struct {
	simulator.UserDirectory
	a *authorization
}

// RetrieveUserGroups searches by name, exactly or for a part of it, whatever the case.
func (u *userDirectory) RetrieveUserGroups(_ *simulator.Context, req *types.RetrieveUserGroups) soap.HasFault {
	var out []types.BaseUserSearchResult
	want := strings.ToLower(req.SearchStr)
	var all []directory.Principal
	for _, g := range u.a.dir.Groups() {
		all = append(all, g.Principal)
	}
	for _, a := range u.a.dir.Users() {
		all = append(all, a.Principal)
	}
	for _, p := range all {
		if p.Group && !req.FindGroups || !p.Group && !req.FindUsers {
			continue
		}
		if req.Domain != "" && !strings.EqualFold(req.Domain, p.Domain) {
			continue
		}
		name := strings.ToLower(p.Name)
		if req.ExactMatch && name != want || !strings.Contains(name, want) {
			continue
		}
		out = append(out, &types.UserSearchResult{Principal: p.String(), FullName: p.Name, Group: p.Group})
	}
	return &methods.RetrieveUserGroupsBody{Res: &types.RetrieveUserGroupsResponse{Returnval: out}}
}
