package vcsim

import (
	"strings"

	"github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func details(d types.AdminPersonDetails) directory.Details {
	return directory.Details{Description: d.Description, FirstName: d.FirstName, LastName: d.LastName, Email: d.EmailAddress}
}

// identified finds an account of the SSO domain by its id.
func (s *ssoService) identified(id types.PrincipalId) (directory.User, error) {
	u, ok := s.dir.User(s.named(id))
	switch {
	case !ok:
		return u, about(id.Name, directory.ErrAbsent)
	case !strings.EqualFold(u.Domain, s.dir.Domain()):
		return u, about(id.Name, errForeign)
	}
	return u, nil
}

func (s *ssoService) principals() map[string]soapMethod {
	m := s.accountStates()
	m[ssoManagement+"CreateLocalPersonUser"] = reachable(s, func(r *types.CreateLocalPersonUser) (*principalResponse, error) {
		return s.id("CreateLocalPersonUser", r.UserName), about(r.UserName, s.dir.CreatePerson(s.local(r.UserName), r.Password, details(r.UserDetails)))
	})
	m[ssoManagement+"CreateLocalSolutionUser"] = reachable(s, func(r *types.CreateLocalSolutionUser) (*principalResponse, error) {
		return s.id("CreateLocalSolutionUser", r.UserName), about(r.UserName,
			s.dir.CreateSolution(s.local(r.UserName), r.UserDetails.Description, r.UserDetails.Certificate))
	})
	m[ssoManagement+"UpdateLocalPersonUserDetails"] = reachable(s, func(r *types.UpdateLocalPersonUserDetails) (*principalResponse, error) {
		return s.id("UpdateLocalPersonUserDetails", r.UserName), about(r.UserName, s.dir.SetDetails(s.local(r.UserName), details(r.UserDetails)))
	})
	m[ssoManagement+"UpdateLocalSolutionUserDetails"] = reachable(s, func(r *types.UpdateLocalSolutionUserDetails) (*principalResponse, error) {
		return s.id("UpdateLocalSolutionUserDetails", r.UserName),
			about(r.UserName, s.dir.SetSolution(s.local(r.UserName), r.UserDetails.Description, r.UserDetails.Certificate))
	})
	m[ssoManagement+"ResetLocalPersonUserPassword"] = reachable(s, func(r *types.ResetLocalPersonUserPassword) (*types.ResetLocalPersonUserPasswordResponse, error) {
		return &types.ResetLocalPersonUserPasswordResponse{}, about(r.UserName, s.dir.ResetPassword(s.local(r.UserName), r.NewPassword, true))
	})
	m[ssoManagement+"ResetSelfLocalPersonUserPassword"] = method(func(c *soapCall,
		r *types.ResetSelfLocalPersonUserPassword,
	) (*types.ResetSelfLocalPersonUserPasswordResponse, error) {
		return &types.ResetSelfLocalPersonUserPasswordResponse{}, s.self(c, func(me string) error {
			return s.dir.ResetPassword(me, r.NewPassword, false)
		})
	})
	m[ssoManagement+"UpdateSelfLocalPersonUserDetails"] = method(func(c *soapCall, r *types.UpdateSelfLocalPersonUserDetails) (*principalResponse, error) {
		p, _ := s.caller(c)
		return s.id("UpdateSelfLocalPersonUserDetails", p.Name), s.self(c, func(me string) error {
			return s.dir.SetDetails(me, details(r.UserDetails))
		})
	})
	m[ssoManagement+"DeleteLocalPrincipal"] = reachable(s, func(r *types.DeleteLocalPrincipal) (*types.DeleteLocalPrincipalResponse, error) {
		return &types.DeleteLocalPrincipalResponse{}, about(r.PrincipalName, s.dir.Delete(s.local(r.PrincipalName)))
	})
	return m
}

// self runs f with the name of the caller's own account.
func (s *ssoService) self(c *soapCall, f func(me string) error) error {
	p, _ := s.caller(c)
	u, err := s.identified(principalID(p))
	if err == nil {
		err = about(p.Name, f(u.String()))
	}
	return ssoFault(err)
}

// accountStates are the switches of an account. Each says whether anything changed.
func (s *ssoService) accountStates() map[string]soapMethod {
	return map[string]soapMethod{
		ssoManagement + "EnableUserAccount": reachable(s, func(r *types.EnableUserAccount) (*types.EnableUserAccountResponse, error) {
			u, err := s.identified(r.UserId)
			if err != nil {
				return nil, err
			}
			return &types.EnableUserAccountResponse{Returnval: u.Disabled}, s.dir.SetDisabled(u.String(), false)
		}),
		ssoManagement + "DisableUserAccount": reachable(s, func(r *types.DisableUserAccount) (*types.DisableUserAccountResponse, error) {
			u, err := s.identified(r.UserId)
			if err != nil {
				return nil, err
			}
			return &types.DisableUserAccountResponse{Returnval: !u.Disabled}, s.dir.SetDisabled(u.String(), true)
		}),
		ssoManagement + "UnlockUserAccount": reachable(s, func(r *types.UnlockUserAccount) (*types.UnlockUserAccountResponse, error) {
			u, err := s.identified(r.UserId)
			if err != nil {
				return nil, err
			}
			return &types.UnlockUserAccountResponse{Returnval: u.Locked}, s.dir.SetLocked(u.String(), false)
		}),
	}
}
