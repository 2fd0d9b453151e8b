package vcsim

import (
	"time"

	"github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func passwordPolicy(p directory.PasswordPolicy) types.AdminPasswordPolicy {
	return types.AdminPasswordPolicy{
		Description:                      p.Description,
		ProhibitedPreviousPasswordsCount: int32(p.ProhibitedPrevious),
		PasswordLifetimeDays:             int32(p.LifetimeDays),
		PasswordFormat: types.AdminPasswordFormat{
			LengthRestriction: types.AdminPasswordFormatLengthRestriction{MinLength: int32(p.MinLength), MaxLength: int32(p.MaxLength)},
			AlphabeticRestriction: types.AdminPasswordFormatAlphabeticRestriction{
				MinAlphabeticCount: int32(p.MinAlphabetic), MinUppercaseCount: int32(p.MinUpper), MinLowercaseCount: int32(p.MinLower),
			},
			MinNumericCount: int32(p.MinNumeric), MinSpecialCharCount: int32(p.MinSpecial),
			MaxIdenticalAdjacentCharacters: int32(p.MaxIdenticalAdjacent),
		},
	}
}

func passwordPolicyOf(p types.AdminPasswordPolicy) directory.PasswordPolicy {
	f := p.PasswordFormat
	return directory.PasswordPolicy{
		Description: p.Description,
		MinLength:   int(f.LengthRestriction.MinLength), MaxLength: int(f.LengthRestriction.MaxLength),
		MinAlphabetic: int(f.AlphabeticRestriction.MinAlphabeticCount), MinUpper: int(f.AlphabeticRestriction.MinUppercaseCount),
		MinLower: int(f.AlphabeticRestriction.MinLowercaseCount), MinNumeric: int(f.MinNumericCount),
		MinSpecial: int(f.MinSpecialCharCount), MaxIdenticalAdjacent: int(f.MaxIdenticalAdjacentCharacters),
		ProhibitedPrevious: int(p.ProhibitedPreviousPasswordsCount), LifetimeDays: int(p.PasswordLifetimeDays),
	}
}

func (s *ssoService) policies() map[string]soapMethod {
	const password, lockout = "SsoAdminPasswordPolicyService.", "SsoAdminLockoutPolicyService."
	return map[string]soapMethod{
		password + "GetLocalPasswordPolicy": reachable(s, func(*types.GetLocalPasswordPolicy) (*types.GetLocalPasswordPolicyResponse, error) {
			return &types.GetLocalPasswordPolicyResponse{Returnval: passwordPolicy(s.dir.PasswordPolicy())}, nil
		}),
		password + "UpdateLocalPasswordPolicy": reachable(s, func(r *types.UpdateLocalPasswordPolicy) (*types.UpdateLocalPasswordPolicyResponse, error) {
			return &types.UpdateLocalPasswordPolicyResponse{}, s.dir.SetPasswordPolicy(passwordPolicyOf(r.Policy))
		}),
		lockout + "GetLockoutPolicy": reachable(s, func(*types.GetLockoutPolicy) (*types.GetLockoutPolicyResponse, error) {
			p := s.dir.LockoutPolicy()
			return &types.GetLockoutPolicyResponse{Returnval: types.AdminLockoutPolicy{
				Description: p.Description, MaxFailedAttempts: int32(p.MaxFailed),
				FailedAttemptIntervalSec: int64(p.Within / time.Second), AutoUnlockIntervalSec: int64(p.UnlockAfter / time.Second),
			}}, nil
		}),
		lockout + "UpdateLockoutPolicy": reachable(s, func(r *types.UpdateLockoutPolicy) (*types.UpdateLockoutPolicyResponse, error) {
			s.dir.SetLockoutPolicy(directory.LockoutPolicy{
				Description: r.Policy.Description, MaxFailed: int(r.Policy.MaxFailedAttempts),
				Within:      time.Duration(r.Policy.FailedAttemptIntervalSec) * time.Second,
				UnlockAfter: time.Duration(r.Policy.AutoUnlockIntervalSec) * time.Second,
			})
			return &types.UpdateLockoutPolicyResponse{}, nil
		}),
	}
}
