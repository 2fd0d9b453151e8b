package openshift

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// checkServer refuses names that cannot be part of a secret's key. Readers look keys up by the name as it is, so there
// is no way to escape it.
func checkServer(server string) error {
	if server == "" {
		return errors.New("a vCenter without a name cannot have a key in a secret")
	}
	var reason string
	switch {
	case strings.Count(server, ":") > 1:
		reason = "an IPv6 address cannot be part of a secret's key"
	case strings.Contains(server, ":"):
		reason = "a name with a port cannot be part of a secret's key"
	case len(validation.IsConfigMapKey(server+".username")) > 0:
		reason = "a secret's key has at most 253 of the characters a-z, A-Z, 0-9, '-', '_' and '.'"
	default:
		return nil
	}
	return fmt.Errorf("%q: %s, and OpenShift reads the key <server>.username exactly: use the vCenter's host name "+
		"(install-config.yaml has a separate field for the port)", server, reason)
}

// checkAccount tells what the component would make of the account; strict: the CSI driver reads it.
func checkAccount(strict bool, a credfile.Account) (warning string, err error) {
	for _, part := range []struct{ name, value string }{{"user name", a.User}, {"password", a.Password.Reveal()}} {
		switch {
		case part.value == "":
			return "", fmt.Errorf("the %s is empty, which the cloud controller manager and others refuse", part.name)
		case strings.ContainsAny(part.value, "\r\n"):
			return "", fmt.Errorf("the %s holds a line break, which the problem detector reports and others trim: remove it", part.name)
		}
	}
	if err := a.CheckFilled(); err != nil {
		return "", err
	}
	if credfile.CheckUser(a.User) == nil {
		return "", nil
	}
	const form = `is neither user@domain nor DOMAIN\user of letters, digits, '.', '_' and '-'`
	if strict {
		return "", fmt.Errorf("user name %q %s, so the CSI driver would not start: use another account", a.User, form)
	}
	return fmt.Sprintf("user name %q %s: the problem detector reports such names as UsernameWithoutDomain", a.User, form), nil
}
