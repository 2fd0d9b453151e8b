package vcsim

import (
	"strings"

	"github.com/vmware/govmomi/ssoadmin/types"
)

func details(d types.AdminPersonDetails) Details {
	return Details{Description: d.Description, FirstName: d.FirstName, LastName: d.LastName, Email: d.EmailAddress}
}

// localAccount finds an account of the SSO domain by its bare name.
func (s *ssoService) localAccount(name string) (*account, error) {
	if a := s.dir.account(s.local(name)); a != nil {
		return a, nil
	}
	return nil, errAbsent
}

// identified finds an account of the SSO domain by its id.
func (s *ssoService) identified(id types.PrincipalId) (*account, error) {
	a := s.dir.account(s.named(id))
	if a == nil {
		return nil, errAbsent
	}
	if !strings.EqualFold(a.Domain, s.dir.domain) {
		return nil, errForeign
	}
	return a, nil
}

func (s *ssoService) principals() map[string]soapMethod {
	m := s.accountStates()
	m[ssoManagement+"CreateLocalPersonUser"] = locked(s, func(r *types.CreateLocalPersonUser) (*types.CreateLocalPersonUserResponse, error) {
		if err := s.dir.passwords.Check(r.Password); err != nil {
			return nil, err
		}
		return &types.CreateLocalPersonUserResponse{}, s.dir.add(&account{
			Principal: Principal{Domain: s.dir.domain, Name: r.UserName},
			details:   details(r.UserDetails), password: r.Password,
			created: s.dir.now(), changed: s.dir.now(),
		})
	})
	m[ssoManagement+"CreateLocalSolutionUser"] = locked(s, func(r *types.CreateLocalSolutionUser) (*types.CreateLocalSolutionUserResponse, error) {
		return &types.CreateLocalSolutionUserResponse{}, s.dir.add(&account{
			Principal: Principal{Domain: s.dir.domain, Name: r.UserName}, kind: solution,
			details: Details{Description: r.UserDetails.Description}, certificate: r.UserDetails.Certificate,
			created: s.dir.now(), changed: s.dir.now(),
		})
	})
	m[ssoManagement+"UpdateLocalPersonUserDetails"] = locked(s, func(r *types.UpdateLocalPersonUserDetails) (*types.UpdateLocalPersonUserDetailsResponse, error) {
		a, err := s.localAccount(r.UserName)
		if err != nil {
			return nil, err
		}
		a.details = details(r.UserDetails)
		return &types.UpdateLocalPersonUserDetailsResponse{}, nil
	})
	m[ssoManagement+"UpdateLocalSolutionUserDetails"] = locked(s, func(r *types.UpdateLocalSolutionUserDetails) (*types.UpdateLocalSolutionUserDetailsResponse, error) {
		a, err := s.localAccount(r.UserName)
		if err != nil {
			return nil, err
		}
		a.details.Description, a.certificate = r.UserDetails.Description, r.UserDetails.Certificate
		return &types.UpdateLocalSolutionUserDetailsResponse{}, nil
	})
	m[ssoManagement+"ResetLocalPersonUserPassword"] = locked(s, func(r *types.ResetLocalPersonUserPassword) (*types.ResetLocalPersonUserPasswordResponse, error) {
		a, err := s.localAccount(r.UserName)
		if err != nil {
			return nil, err
		}
		return &types.ResetLocalPersonUserPasswordResponse{}, s.dir.resetPassword(a, r.NewPassword, true)
	})
	m[ssoManagement+"ResetSelfLocalPersonUserPassword"] = method(func(c *soapCall, r *types.ResetSelfLocalPersonUserPassword) (*types.ResetSelfLocalPersonUserPasswordResponse, error) {
		return &types.ResetSelfLocalPersonUserPasswordResponse{}, s.self(c, func(a *account) error {
			return s.dir.resetPassword(a, r.NewPassword, false)
		})
	})
	m[ssoManagement+"UpdateSelfLocalPersonUserDetails"] = method(func(c *soapCall, r *types.UpdateSelfLocalPersonUserDetails) (*types.UpdateSelfLocalPersonUserDetailsResponse, error) {
		return &types.UpdateSelfLocalPersonUserDetailsResponse{}, s.self(c, func(a *account) error {
			a.details = details(r.UserDetails)
			return nil
		})
	})
	m[ssoManagement+"DeleteLocalPrincipal"] = locked(s, func(r *types.DeleteLocalPrincipal) (*types.DeleteLocalPrincipalResponse, error) {
		name := s.local(r.PrincipalName)
		if a := s.dir.account(name); a != nil {
			if s.dir.exempt(a) {
				return nil, errBuiltIn
			}
			s.dir.forget(a.Principal)
			return &types.DeleteLocalPrincipalResponse{}, nil
		}
		g := s.dir.group(name)
		if g == nil {
			return nil, errAbsent
		}
		for _, preset := range presetGroups {
			if strings.EqualFold(preset.name, g.Name) {
				return nil, errBuiltIn
			}
		}
		s.dir.forget(g.Principal)
		return &types.DeleteLocalPrincipalResponse{}, nil
	})
	return m
}

// self runs f on the caller's own account.
func (s *ssoService) self(c *soapCall, f func(*account) error) error {
	p, _ := s.caller(c)
	s.dir.mu.Lock()
	defer s.dir.mu.Unlock()
	a, err := s.identified(principalID(p))
	if err == nil {
		err = f(a)
	}
	return ssoFault(err)
}

// accountStates are the switches of an account. Each says whether anything changed.
func (s *ssoService) accountStates() map[string]soapMethod {
	return map[string]soapMethod{
		ssoManagement + "EnableUserAccount": locked(s, func(r *types.EnableUserAccount) (*types.EnableUserAccountResponse, error) {
			a, err := s.identified(r.UserId)
			if err != nil {
				return nil, err
			}
			was := a.disabled
			a.disabled = false
			return &types.EnableUserAccountResponse{Returnval: was}, nil
		}),
		ssoManagement + "DisableUserAccount": locked(s, func(r *types.DisableUserAccount) (*types.DisableUserAccountResponse, error) {
			a, err := s.identified(r.UserId)
			if err != nil {
				return nil, err
			}
			was := a.disabled
			a.disabled = true
			return &types.DisableUserAccountResponse{Returnval: !was}, nil
		}),
		ssoManagement + "UnlockUserAccount": locked(s, func(r *types.UnlockUserAccount) (*types.UnlockUserAccountResponse, error) {
			a, err := s.identified(r.UserId)
			if err != nil {
				return nil, err
			}
			was := s.dir.isLocked(a)
			a.locked, a.failures = false, nil
			return &types.UnlockUserAccountResponse{Returnval: was}, nil
		}),
	}
}
