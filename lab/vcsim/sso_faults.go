package vcsim

import (
	"errors"

	vim "github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Why the SSO service refuses what the directory would do.
var (
	errForeign     = errors.New("the principal belongs to another identity source")
	errUnreachable = errors.New("the identity source cannot be reached")
)

// principalError is an error about one principal, whom the fault names.
type principalError struct {
	name string // as the request spells it
	err  error
}

func (e *principalError) Error() string { return e.err.Error() }
func (e *principalError) Unwrap() error { return e.err }

// about says whom an error is about; nil stays nil.
func about(name string, err error) error {
	if err == nil {
		return nil
	}
	return &principalError{name, err}
}

// invalidPrincipal is the fault for principals that are there already, are not there, or cannot be: one type for all of
// them (generated from the real WSDL: vmware/PowerCLI-Example-Scripts@9f98501). govmomi does not know it.
type invalidPrincipal struct {
	vim.MethodFault

	Principal string `xml:"principal"`
}

// ssoFault is the fault that the SSO service answers an error with. Types are those that the WSDL lets each method answer
// (sso_contract_test.go). Of the texts only that of a duplicate is recorded (PowerCLI-Example-Scripts#410).
func ssoFault(err error) error {
	var violation *directory.PolicyViolation
	var whom *principalError
	errors.As(err, &whom)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &violation):
		return &soapError{"SsoAdminFaultPasswordPolicyViolationFault", &vim.MethodFault{}, err.Error()}
	case errors.Is(err, errUnreachable): // searches may answer runtime faults alone, and which of them is not known
		return &soapError{"SsoFaultRuntimeServiceFault", &vim.RuntimeFault{}, err.Error()}
	case errors.Is(err, directory.ErrPolicy):
		return &soapError{"SsoAdminFaultInvalidPasswordPolicyFault", &vim.MethodFault{}, err.Error()}
	case errors.Is(err, directory.ErrSelf):
		return &soapError{"SsoAdminFaultGroupCyclicDependencyFault", &vim.MethodFault{}, err.Error()}
	case errors.Is(err, directory.ErrDetails):
		return &soapError{"InvalidArgument", &vim.InvalidArgument{InvalidProperty: "userDetails"}, err.Error()}
	case errors.Is(err, directory.ErrNoDomain):
		return &soapError{"SsoAdminFaultDomainNotFoundFault", &vim.MethodFault{}, err.Error()}
	case whom != nil && errors.Is(err, directory.ErrDuplicate):
		return &soapError{"SsoFaultInvalidPrincipalFault", &invalidPrincipal{Principal: whom.name}, "Another user or group already exists with the same name"}
	case whom != nil:
		return &soapError{"SsoFaultInvalidPrincipalFault", &invalidPrincipal{Principal: whom.name}, err.Error()}
	}
	return err
}
