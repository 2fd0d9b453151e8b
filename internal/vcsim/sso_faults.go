package vcsim

import (
	"errors"

	vim "github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim/directory"
)

// Why the SSO service refuses what the directory would do.
var (
	errForeign     = errors.New("the principal belongs to another identity source")
	errUnreachable = errors.New("the identity source cannot be reached")
)

// ssoFault is the fault that the SSO service answers an error with. The types of those that govmomi does not
// know are a guess; clients see the text only and must not decide by it (R39, R45).
func ssoFault(err error) error {
	var violation *directory.PolicyViolation
	switch {
	case err == nil:
		return nil
	case errors.As(err, &violation):
		return &soapError{"SsoAdminFaultPasswordPolicyViolationFault", &vim.RuntimeFault{}, err.Error()}
	case errors.Is(err, directory.ErrAbsent):
		return &soapError{"NotFound", &vim.NotFound{}, err.Error()}
	case errors.Is(err, errUnreachable):
		return &soapError{"SsoAdminFaultDirectoryServiceConnectionFault", &vim.RuntimeFault{}, err.Error()}
	case errors.Is(err, directory.ErrDuplicate):
		return &soapError{"DuplicateName", &vim.DuplicateName{}, "Another user or group already exists with the same name"}
	case errors.Is(err, directory.ErrPolicy):
		return &soapError{"SsoAdminFaultInvalidPasswordPolicyFault", &vim.RuntimeFault{}, err.Error()}
	case errors.Is(err, directory.ErrSelf):
		return &soapError{"SsoAdminFaultGroupCyclicDependencyFault", &vim.RuntimeFault{}, err.Error()}
	case errors.Is(err, directory.ErrName), errors.Is(err, errForeign), errors.Is(err, directory.ErrBuiltIn):
		return &soapError{"SsoFaultInvalidPrincipalFault", &vim.RuntimeFault{}, err.Error()}
	}
	return err
}
