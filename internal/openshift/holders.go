package openshift

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// HoldersOf names the secrets that hold a user for a vCenter, in their order.
func HoldersOf(secrets []corev1.Secret, server, user string) []component.Ref {
	return holders(secrets, func(at string, a credfile.Account) bool {
		return isFor(at, server) && strings.EqualFold(a.User, user)
	})
}

// Switched says what is still in the way of removing the account from, which another one stays instead of for a vCenter: a secret
// that holds it, or, where a secret has to hold the one that stays, none of OpenShift's own namespaces that does, with its
// password. None says that the secrets have changed over.
func Switched(secrets []corev1.Secret, server, from string, stays credfile.Account, needed bool) []error {
	var errs []error
	for _, at := range []string{server, ""} {
		prefix := ""
		if at != "" {
			prefix = at + ": "
		}
		still := holders(secrets, func(in string, a credfile.Account) bool {
			return strings.EqualFold(in, at) && strings.EqualFold(a.User, from)
		})
		if len(still) > 0 {
			errs = append(errs, fmt.Errorf("%s%s is still in %s", prefix, from, strings.Join(words(still), ", ")))
		}
	}
	if !needed {
		return errs
	}
	ours := slices.DeleteFunc(slices.Clone(secrets), func(s corev1.Secret) bool {
		return !isRead(s)
	})
	right := func(at string, a credfile.Account) bool { return isFor(at, server) && same(a, stays) }
	switch {
	case len(holders(ours, right)) > 0:
	case len(HoldersOf(ours, server, stays.User)) > 0:
		errs = append(errs, fmt.Errorf("%s: %s has %s with another password than the credentials file", server, strings.Join(words(HoldersOf(ours, server, stays.User)), ", "), stays.User))
	default:
		errs = append(errs, fmt.Errorf("%s: no secret in kube-system or openshift-* has %s", server, stays.User))
	}
	return errs
}

// Copied reports whether cluster-capi-operator may have made a secret: it is beside Cluster API, and does not say its vCenter.
func Copied(at component.Ref) bool {
	return at.Namespace == secretOf(component.ClusterAPI).Namespace && at != secretOf(component.ClusterAPI)
}
