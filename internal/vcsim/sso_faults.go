package vcsim

import (
	"errors"

	vim "github.com/vmware/govmomi/vim25/types"
)

// ssoFault is the fault that the SSO service answers an error with. The types of those that govmomi does not
// know are a guess; clients see the text only and must not decide by it (R39, R45).
func ssoFault(err error) error {
	var violation *PolicyViolation
	switch {
	case err == nil:
		return nil
	case errors.As(err, &violation):
		return &soapError{"SsoAdminFaultPasswordPolicyViolationFault", &vim.RuntimeFault{}, err.Error()}
	case errors.Is(err, errAbsent):
		return &soapError{"NotFound", &vim.NotFound{}, err.Error()}
	case errors.Is(err, errUnreachable):
		return &soapError{"SsoAdminFaultDirectoryServiceConnectionFault", &vim.RuntimeFault{}, err.Error()}
	case errors.Is(err, errDuplicate):
		return &soapError{"DuplicateName", &vim.DuplicateName{}, "Another user or group already exists with the same name"}
	case errors.Is(err, errPolicy):
		return &soapError{"SsoAdminFaultInvalidPasswordPolicyFault", &vim.RuntimeFault{}, err.Error()}
	case errors.Is(err, errSelf):
		return &soapError{"SsoAdminFaultGroupCyclicDependencyFault", &vim.RuntimeFault{}, err.Error()}
	case errors.Is(err, errName), errors.Is(err, errForeign), errors.Is(err, errBuiltIn):
		return &soapError{"SsoFaultInvalidPrincipalFault", &vim.RuntimeFault{}, err.Error()}
	}
	return err
}
