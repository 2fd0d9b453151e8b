package credfile

import (
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// driverUser is the form of user names that the CSI driver insists on, or it does not start
// (openshift/vmware-vsphere-csi-driver@6b18bb29fc45, pkg/common/config/config.go).
var driverUser = pattern.Of(`^(?:[a-zA-Z0-9.-]+\\[a-zA-Z0-9._-]+|[a-zA-Z0-9._-]+@[a-zA-Z0-9.-]+)$`)

// CheckUser says why the CSI driver would not start with a user name; the problem detector reports the same names as
// UsernameWithoutDomain.
func CheckUser(user string) error {
	switch {
	case len(user) > MaxValue:
		return fmt.Errorf("the user name has %d bytes, more than %d", len(user), MaxValue)
	case driverUser().MatchString(user):
		return nil
	case user == "":
		return fmt.Errorf("the user name is empty")
	case !strings.ContainsAny(user, `@\`):
		return fmt.Errorf(`user %q has no domain: name@domain or DOMAIN\name`, user)
	}
	return fmt.Errorf(`user %q is not of the form that the CSI driver takes: name@domain or DOMAIN\name, with letters, digits, `+
		`dots and hyphens, and underscores in the name`, user)
}
