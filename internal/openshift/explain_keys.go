package openshift

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

// unknownKey is what the cloud controller manager says of a key that it does not know. The connection after that goes on without it.
const unknownKey = "Unknown secret key"

// malformed judges the keys and values of one secret.
func (w *explainer) malformed(s *corev1.Secret) {
	c := w.contents[s]
	readers := w.readersOf(s)
	manager := slices.Contains(readers, component.CloudController)
	for _, key := range c.half {
		meant := ""
		if other := c.otherHalf(key); other != "" {
			meant = fmt.Sprintf(" (%q looks like a misspelling of it)", other)
		}
		w.add(finding.SecretMalformed, s, "key %q has no counterpart%s: machine-api fails, others use an empty value", key, meant)
	}
	w.unplaced(s, manager)
	for _, key := range c.unknown {
		if plainKey(key) {
			continue
		}
		meant := ""
		if near := meantKey(key); near != "" {
			meant = fmt.Sprintf("; did you mean %q?", near)
		}
		switch {
		case meant != "":
			w.add(finding.SecretMalformed, s, "nothing reads key %q%s", key, meant)
		case manager:
			w.add(finding.SecretNote, s, "key %q: the cloud controller manager logs %q once, and connects at its next attempt", key, unknownKey)
		default:
			w.add(finding.SecretNote, s, "key %q is not part of an account", key)
		}
	}
	if len(c.foreign) > 0 {
		others := len(readers) > 1 || !manager
		kind := map[bool]finding.Code{true: finding.SecretMalformed, false: finding.SecretNote}[others && len(c.accounts) == 0]
		w.add(kind, s, "%s: only the cloud controller manager reads such keys", strings.Join(c.foreign, ", "))
	}
	for _, server := range c.servers() {
		a := c.accounts[server]
		if len(validation.IsConfigMapKey(server+userKey)) > 0 {
			w.add(finding.SecretMalformed, s, "%q cannot be part of a key: the API server rejects this secret", server)
		}
		if reason := a.Unusable(); reason != "" {
			w.add(finding.SecretMalformed, s, "%s: %s", server, reason)
		} else if credfile.CheckUser(a.User) != nil {
			kind, so := finding.SecretNote, "the problem detector reports UsernameWithoutDomain"
			if slices.Contains(readers, component.CSIDriver) {
				kind, so = finding.SecretMalformed, "the CSI driver does not start"
			}
			w.add(kind, s, `%s: user name %q is neither user@domain nor DOMAIN\user: %s`, server, a.User, so)
		}
	}
}

// unplaced tells of an account whose keys do not name a vCenter, as other platforms have it, and which ones to write.
func (w *explainer) unplaced(s *corev1.Secret, manager bool) {
	keys := w.contents[s].plain()
	if len(keys) == 0 {
		return
	}
	servers, refused := w.servers, ""
	if len(servers) == 0 {
		servers = []string{"<vCenter>"}
	}
	var write []string
	for _, server := range servers {
		write = append(write, server+userKey+" and "+server+passwordKey)
	}
	if manager {
		refused = fmt.Sprintf("; the cloud controller manager logs %q once", unknownKey)
	}
	f := w.add(finding.SecretMalformed, s, "nothing reads %s, which do not say the vCenter: write the keys %s%s", strings.Join(keys, " and "), strings.Join(write, ", "), refused)
	if component.At(s.Namespace, s.Name) != root {
		f.Remedies = w.emit(w.readersOf(s)...)
	}
}

// readersOf lists the components that a secret's values come to: as it is now, and by either operator.
func (w *explainer) readersOf(s *corev1.Secret) []component.Name {
	var list []component.Name
	for _, q := range w.requests {
		chosen := w.enhancement(q, false).from
		if chosen == s || w.at[q.SecretRef] == s || w.at[root] == s {
			list = append(list, q.Component)
		}
	}
	return list
}
