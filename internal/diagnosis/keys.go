package diagnosis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// unknownKey is what the cloud controller manager says of a key that it does not know. The connection after that goes on without it.
const unknownKey = "Unknown secret key"

// malformed judges the keys and values of one secret.
func (w *explainer) malformed(s *cluster.Object) {
	c := s.Keys
	readers := w.readersOf(s)
	manager := slices.Contains(readers, component.CloudController)
	for _, key := range c.Half {
		meant := ""
		if other := otherHalf(c, key); other != "" {
			meant = fmt.Sprintf(" (%q looks like a misspelling of it)", other)
		}
		w.add(finding.SecretMalformed, s, "key %q has no counterpart%s: machine-api fails, others use an empty value", key, meant)
	}
	w.unplaced(s, manager)
	for _, key := range c.Unknown {
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
	if len(c.Foreign) > 0 {
		others := len(readers) > 1 || !manager
		kind := map[bool]finding.Code{true: finding.SecretMalformed, false: finding.SecretNote}[others && len(c.Accounts) == 0]
		w.add(kind, s, "%s: only the cloud controller manager reads such keys", strings.Join(c.Foreign, ", "))
	}
	for _, server := range c.Left {
		w.add(finding.SecretNote, s, "%s is a placeholder of the Assisted Installer", server)
	}
	for _, server := range c.Servers() {
		a := c.Accounts[server]
		if len(validation.IsConfigMapKey(server+openshift.UserKey)) > 0 {
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
func (w *explainer) unplaced(s *cluster.Object, manager bool) {
	keys := plain(s.Keys)
	if len(keys) == 0 {
		return
	}
	servers, refused := w.servers, ""
	if len(servers) == 0 {
		servers = []string{"<vCenter>"}
	}
	var write []string
	for _, server := range servers {
		write = append(write, server+openshift.UserKey+" and "+server+openshift.PasswordKey)
	}
	if manager {
		refused = fmt.Sprintf("; the cloud controller manager logs %q once", unknownKey)
	}
	f := w.add(finding.SecretMalformed, s, "nothing reads %s, which do not say the vCenter: write the keys %s%s", strings.Join(keys, " and "), strings.Join(write, ", "), refused)
	if s.At() != root {
		f.Remedies = w.emit(w.readersOf(s)...)
	}
}

// plain are the keys that would be of an account, but do not say of which vCenter.
func plain(k cluster.Keys) []string {
	return slices.DeleteFunc(slices.Clone(k.Unknown), func(key string) bool { return !plainKey(key) })
}

func plainKey(key string) bool {
	return key == openshift.UserKey[1:] || key == openshift.PasswordKey[1:] || key == "user"
}

// readersOf lists the components that a secret's values come to: as it is now, and by either operator.
func (w *explainer) readersOf(s *cluster.Object) []component.Name {
	var list []component.Name
	for _, q := range w.requests {
		chosen := w.Enhancement(q).From
		if chosen == s || w.Object(q.SecretRef) == s || w.Root() == s {
			list = append(list, q.Component)
		}
	}
	return list
}

// record judges what a secret records of its vCenters.
func (w *explainer) record(s *cluster.Object) {
	text, there := s.Annotations[openshift.VCentersKey]
	if !there {
		return
	}
	all, err := openshift.ParseInstances(text)
	if err != nil {
		w.add(finding.SecretVCenter, s, "annotation %s cannot be read: it %v", openshift.VCentersKey, err)
		return
	}
	for _, server := range s.Servers() {
		if all[server] == "" {
			w.add(finding.SecretNote, s, "annotation %s does not say which vCenter %s is", openshift.VCentersKey, server)
		}
	}
}

// Recorded are the vCenters of the explanation that some secret records, sorted.
func (e *Explanation) Recorded() []string {
	all := map[string]bool{}
	for _, s := range e.explains.relevant {
		for server := range s.Recorded() {
			all[server] = all[server] || slices.Contains(e.Servers, server)
		}
	}
	maps.DeleteFunc(all, func(_ string, asked bool) bool { return !asked })
	return slices.Sorted(maps.Keys(all))
}

// Why the vCenter that a server name leads to is not taken for the one that a secret records.
const (
	doubtElsewhere  = "this is not the recorded vCenter"
	doubtUnasked    = "cannot check whether this is the recorded vCenter"
	doubtUnreadable = "the recorded vCenter cannot be read"
)

// CompareInstances holds what the secrets record against the vCenters that the server names lead to now, as far as these
// could be asked. What differs, or could not be asked, is added to the findings. It gives the servers that no password may be
// sent to, with the reason: some secret records which vCenter it is, and that is not confirmed.
func (e *Explanation) CompareInstances(now openshift.Instances) (doubts map[string]string) {
	w := e.explains
	before := len(w.findings)
	doubts = map[string]string{}
	for _, s := range w.relevant {
		all := s.Recorded()
		if _, there := s.Annotations[openshift.VCentersKey]; there && all == nil {
			for server := range s.Accounts {
				doubts[server] = cmp.Or(doubts[server], doubtUnreadable)
			}
		}
		for _, server := range slices.Sorted(maps.Keys(all)) {
			is := now[server]
			_, used := s.Accounts[server]
			switch {
			case !used || !slices.Contains(e.Servers, server):
			case is == "":
				w.add(finding.SecretVCenter, s, "%s: cannot check whether it is still the recorded vCenter, instance %s", server, all[server])
				doubts[server] = cmp.Or(doubts[server], doubtUnasked)
			case !strings.EqualFold(is, all[server]):
				w.add(finding.SecretVCenter, s, "%s now leads to another vCenter: instance %s, recorded %s", server, is, all[server])
				doubts[server] = doubtElsewhere
			}
		}
	}
	e.Findings = append(e.Findings, w.findings[before:]...)
	return doubts
}
