package vcenter

import (
	"reflect"
	"strings"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/types"
)

// InvalidPrincipal is the fault of the SSO administration for a principal that is not there, that is there already, or that
// the method does not take: the implicit group Everyone, or a group where a user is meant. Which of them it is follows from
// the method. It is in the WSDL of the service (vmware/PowerCLI-Example-Scripts, SsoAdminServiceReference); govmomi 0.56
// does not know it.
type InvalidPrincipal struct {
	types.MethodFault

	Principal string `xml:"principal"` // as the request spelled it
}

// IsInvalidPrincipal reports whether the SSO administration refused a principal.
func IsInvalidPrincipal(err error) bool { return fault.Is(err, &InvalidPrincipal{}) }

// ssoTypes adds to the types that answers of the SSO administration are decoded with.
func ssoTypes(known types.Func) types.Func {
	return func(name string) (reflect.Type, bool) {
		if name[strings.LastIndex(name, ":")+1:] == "SsoFaultInvalidPrincipalFault" {
			return reflect.TypeFor[InvalidPrincipal](), true
		}
		return known(name)
	}
}
