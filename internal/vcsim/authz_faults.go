package vcsim

import (
	"fmt"
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// need is a privilege that a call must find on an object.
type need struct {
	on        moref
	privilege string
}

// denied is NoPermission as releases before and since 7.0.3.2 fill it: both forms at once (R44).
func denied(missing []need) *types.NoPermission {
	on := missing[0].on
	fault := &types.NoPermission{Object: &on, PrivilegeId: missing[0].privilege}
	for _, m := range missing {
		i := slices.IndexFunc(fault.MissingPrivileges, func(p types.NoPermissionEntityPrivileges) bool { return p.Entity == m.on })
		if i < 0 {
			i = len(fault.MissingPrivileges)
			fault.MissingPrivileges = append(fault.MissingPrivileges, types.NoPermissionEntityPrivileges{Entity: m.on})
		}
		list := &fault.MissingPrivileges[i].PrivilegeIds
		if !slices.Contains(*list, m.privilege) {
			*list = append(*list, m.privilege)
		}
	}
	return fault
}

// require is nil when the subject has everything that is needed, else a *types.NoPermission.
func (x *access) require(needs ...need) types.BaseMethodFault {
	var missing []need
	for _, n := range needs {
		n.on = x.subjectOf(n.on)
		if !x.on(n.on).has(n.privilege) {
			missing = append(missing, n)
		}
	}
	if missing == nil {
		return nil
	}
	return x.a.denied(missing)
}

// requireAll is require for a list of privileges on one object.
func (x *access) requireAll(on moref, privileges []string) types.BaseMethodFault {
	needs := make([]need, 0, len(privileges))
	for _, p := range privileges {
		needs = append(needs, need{on, p})
	}
	return x.require(needs...)
}

// soapFault gives the faults the texts that their readers see in logs. Clients must not depend on them (R45).
func soapFault(fault types.BaseMethodFault) *soap.Fault {
	text := ""
	switch f := fault.(type) {
	case *types.NoPermission:
		text = "Permission to perform this operation was denied."
	case *types.ManagedObjectNotFound:
		text = fmt.Sprintf("The object '%s' has already been deleted or has not been completely created", f.Obj)
	case *types.InvalidArgument:
		text = "A specified parameter was not correct: " + f.InvalidProperty
	case *types.AlreadyExists:
		text = fmt.Sprintf("The specified key, name, or identifier '%s' already exists.", f.Name)
	case *types.NotFound:
		text = "The object or item referred to could not be found."
	case *types.UserNotFound:
		text = "The user or group named '" + f.Principal + "' does not exist."
	case *types.InvalidLogin:
		text = "Cannot complete login due to an incorrect user name or password."
	case *types.PasswordExpired:
		text = "Password of the user logging on is expired."
	}
	return simulator.Fault(text, fault)
}

// faultError is a fault as a plain error; nil stays nil.
func faultError(fault types.BaseMethodFault) error {
	if fault == nil {
		return nil
	}
	return soap.WrapSoapFault(soapFault(fault))
}
