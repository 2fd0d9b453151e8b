package vcsim

import (
	vim "github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// ssoAnyone is no role: the method needs no login.
const ssoAnyone directory.Role = -1

// ssoRoles are the roles that methods ask for, as the interfaces of the open source of vCenter SSO declare them
// (vmware/lightwave@1ff3bea, packages com.vmware.vim.sso.admin and its neighbours). What stands nowhere needs an
// administrator. Inferred, because nothing declares them: the group check and the questions about roles.
var ssoRoles = map[string]directory.Role{
	"SsoAdminServiceInstance":      ssoAnyone,
	"SsoGroupcheckServiceInstance": ssoAnyone,
	"Login":                        ssoAnyone,
	"GetTrustedCertificates":       ssoAnyone,
	"GetSystemDomainName":          ssoAnyone,

	"Logout":                                      directory.GuestUser,
	"GetLocalPasswordPolicy":                      directory.GuestUser,
	"ResetSelfLocalPersonUserPassword":            directory.GuestUser,
	"UpdateSelfLocalPersonUserDetails":            directory.GuestUser,
	"GetDaysRemainingUntilSelfPasswordExpiration": directory.GuestUser,

	"FindPersonUser":           directory.RegularUser,
	"FindUser":                 directory.RegularUser,
	"FindSolutionUser":         directory.RegularUser,
	"FindGroup":                directory.RegularUser,
	"FindPersonUsers":          directory.RegularUser,
	"FindUsers":                directory.RegularUser,
	"FindSolutionUsers":        directory.RegularUser,
	"FindGroups":               directory.RegularUser,
	"Find":                     directory.RegularUser,
	"FindUsersInGroup":         directory.RegularUser,
	"FindPersonUsersInGroup":   directory.RegularUser,
	"FindSolutionUsersInGroup": directory.RegularUser,
	"FindGroupsInGroup":        directory.RegularUser,
	"FindDirectParentGroups":   directory.RegularUser,
	"FindNestedParentGroups":   directory.RegularUser,
	"FindLockedUsers":          directory.RegularUser,
	"FindDisabledPersonUsers":  directory.RegularUser,
	"GetLockoutPolicy":         directory.RegularUser,
	"Get":                      directory.RegularUser, // the identity sources
	"GetDefaultDomains":        directory.RegularUser,
	"GetDomains":               directory.RegularUser,
	"FindAllParentGroups":      directory.RegularUser,
	"FindParentGroups":         directory.RegularUser,
	"IsMemberOfGroup":          directory.RegularUser,
	"HasAdministratorRole":     directory.RegularUser,
	"HasRegularUserRole":       directory.RegularUser,
}

// admit lets in what needs no login, and callers with the role that a method needs (R34).
func (s *ssoService) admit(c *soapCall) error {
	needed, declared := ssoRoles[c.Name]
	if !declared {
		needed = directory.AdministratorUser
	}
	if needed == ssoAnyone {
		return nil
	}
	p, ok := s.caller(c)
	switch {
	case !ok:
		return &soapError{"SsoFaultNotAuthenticated", &vim.NotAuthenticated{}, "The session is not authenticated."}
	case s.dir.RoleOf(p) < needed:
		return &soapError{"SsoFaultNoPermission", &vim.NoPermission{}, ""} // without a text
	}
	return nil
}
