package vcsim

import (
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
		if !x.looksFor(n) {
			missing = append(missing, n)
		}
	}
	if missing == nil {
		return nil
	}
	return x.a.denied(missing)
}

// looksFor reports whether the subject has what is needed on an entity, and records that it was looked for.
func (x *access) looksFor(n need) bool {
	held := x.on(n.on).has(n.privilege)
	x.noteCheck(n, held)
	return held
}

// requireAll is require for a list of privileges on one object.
func (x *access) requireAll(on moref, privileges []string) types.BaseMethodFault {
	needs := make([]need, 0, len(privileges))
	for _, p := range privileges {
		needs = append(needs, need{on, p})
	}
	return x.require(needs...)
}

// soapFault is a fault with its text.
func soapFault(fault types.BaseMethodFault) *soap.Fault {
	return simulator.Fault(faultText(fault), fault)
}

// faultError is a fault as a plain error; nil stays nil.
func faultError(fault types.BaseMethodFault) error {
	if fault == nil {
		return nil
	}
	return soap.WrapSoapFault(soapFault(fault))
}
