package vcsim

import (
	"github.com/vmware/govmomi/ssoadmin/types"
	vim "github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func (s *ssoService) identitySources() map[string]soapMethod {
	const sources, domains = "SsoAdminIdentitySourceManagementService.", "SsoAdminDomainManagementService."
	systemDomain := reachable(s, func(*types.GetSystemDomainName) (*types.GetSystemDomainNameResponse, error) {
		return &types.GetSystemDomainNameResponse{Returnval: s.dir.Domain()}, nil
	})
	return map[string]soapMethod{
		domains + "GetSystemDomainName": systemDomain,
		sources + "GetSystemDomainName": systemDomain,
		domains + "GetDomains": reachable(s, func(*types.GetDomains) (*types.GetDomainsResponse, error) {
			return &types.GetDomainsResponse{Returnval: &types.AdminDomains{SystemDomainName: s.dir.Domain()}}, nil
		}),
		sources + "Get": method(func(*soapCall, *types.Get) (*types.GetResponse, error) {
			return &types.GetResponse{Returnval: sourcesView(s.dir.IdentitySources())}, nil
		}),
		sources + "GetDefaultDomains": reachable(s, func(*types.GetDefaultDomains) (*types.GetDefaultDomainsResponse, error) {
			return &types.GetDefaultDomainsResponse{Returnval: []string{s.dir.DefaultDomain()}}, nil
		}),
		sources + "SetDefaultDomains": method(func(_ *soapCall, r *types.SetDefaultDomains) (*types.SetDefaultDomainsResponse, error) {
			return &types.SetDefaultDomainsResponse{}, ssoFault(s.dir.SetDefaultDomain(r.DomainNames))
		}),
	}
}

func sourcesView(list []directory.IdentitySource) types.IdentitySources {
	var out types.IdentitySources
	for _, i := range list {
		view := types.IdentitySource{Name: i.Name, Domains: []types.Domain{{Name: i.Name, Alias: i.Alias}}}
		out.All = append(out.All, view)
		switch i.Type {
		case "System":
			out.System = view
		case "LocalOS":
			out.LocalOS = &view
		default:
			out.LDAPS = append(out.LDAPS, types.LdapIdentitySource{
				IdentitySource: view, Type: i.Type,
				Details:               types.LdapIdentitySourceDetails{FriendlyName: i.Name, PrimaryURL: i.URL},
				AuthenticationDetails: types.AuthenticationDetails{AuthenticationType: "password"},
			})
		}
	}
	return out
}

func (s *ssoService) roles() map[string]soapMethod {
	const roles = "SsoAdminRoleManagementService."
	has := func(id types.PrincipalId, role directory.Role) (bool, error) {
		p, err := s.anybody(id)
		return err == nil && s.dir.RoleOf(p) >= role, err
	}
	return map[string]soapMethod{
		roles + "HasAdministratorRole": reachable(s, func(r *types.HasAdministratorRole) (*types.HasAdministratorRoleResponse, error) {
			yes, err := has(r.UserId, directory.AdministratorUser)
			return &types.HasAdministratorRoleResponse{Returnval: yes}, err
		}),
		roles + "HasRegularUserRole": reachable(s, func(r *types.HasRegularUserRole) (*types.HasRegularUserRoleResponse, error) {
			yes, err := has(r.UserId, directory.RegularUser)
			return &types.HasRegularUserRoleResponse{Returnval: yes}, err
		}),
		roles + "SetRole": reachable(s, func(r *types.SetRole) (*types.SetRoleResponse, error) {
			role, ok := map[string]directory.Role{
				types.RoleAdministrator: directory.AdministratorUser, types.RoleRegularUser: directory.RegularUser, "GuestUser": directory.GuestUser,
			}[r.Role]
			if !ok {
				return nil, &soapError{"InvalidArgument", &vim.InvalidArgument{InvalidProperty: "role"}, "A specified parameter was not correct: role"}
			}
			changed, err := s.dir.SetRole(s.named(r.UserId), role)
			return &types.SetRoleResponse{Returnval: changed}, about(r.UserId.Name, err)
		}),
		roles + "GrantWSTrustRole": reachable(s, func(r *types.GrantWSTrustRole) (*types.GrantWSTrustRoleResponse, error) {
			changed, err := s.join("ActAsUsers", r.UserId, false)
			return &types.GrantWSTrustRoleResponse{Returnval: changed}, err
		}),
		roles + "RevokeWSTrustRole": reachable(s, func(r *types.RevokeWSTrustRole) (*types.RevokeWSTrustRoleResponse, error) {
			changed, err := s.leave("ActAsUsers", r.UserId)
			return &types.RevokeWSTrustRoleResponse{Returnval: changed}, err
		}),
	}
}
