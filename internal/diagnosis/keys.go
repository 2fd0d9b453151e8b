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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// unknownKey is the cloud controller manager's word for an unknown key; it goes on without it.
const unknownKey = "Unknown secret key"

func (e *explainer) malformed(s *cluster.Object) {
	c := s.Keys
	readers := e.readersOf(s)
	manager := slices.Contains(readers, component.CloudController)
	for _, key := range c.Half {
		meant := ""
		if other := otherHalf(c, key); other != "" {
			meant = fmt.Sprintf(" (%q looks like a misspelling of it)", other)
		}
		e.add(finding.SecretMalformed, s,
			"key %q has no counterpart%s: machine-api fails, others use an empty value", key, meant)
	}
	for _, fault := range s.ConfFaults() {
		e.add(finding.SecretMalformed, s, "%s: the CSI driver does not start", fault)
	}
	e.unplaced(s, manager)
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
			e.add(finding.SecretMalformed, s, "nothing reads key %q%s", key, meant)
		case manager:
			e.add(finding.SecretNote, s,
				"key %q: the cloud controller manager logs %q once, and connects at its next attempt", key,
				unknownKey)
		default:
			e.add(finding.SecretNote, s, "key %q is not part of an account", key)
		}
	}
	if len(c.Foreign) > 0 {
		others := len(readers) > 1 || !manager
		kind := map[bool]finding.Code{true: finding.SecretMalformed, false: finding.SecretNote}[others && len(c.Accounts) == 0]
		e.add(kind, s, "%s: only the cloud controller manager reads such keys", strings.Join(c.Foreign, ", "))
	}
	for _, server := range c.Left {
		e.add(finding.SecretNote, s, "%s is a placeholder of the Assisted Installer", server)
	}
	for _, server := range c.Servers() {
		a := c.Accounts[server]
		if len(validation.IsConfigMapKey(server+openshift.UserKey)) > 0 {
			e.add(finding.SecretMalformed, s, "%q cannot be part of a key: the API server rejects this secret", server)
		}
		if reason := a.Unusable(); reason != "" {
			e.add(finding.SecretMalformed, s, "%s: %s", server, reason)
		} else if credfile.CheckUser(a.User) != nil {
			kind, so := finding.SecretNote, "the problem detector reports UsernameWithoutDomain"
			if slices.Contains(readers, component.CSIDriver) {
				kind, so = finding.SecretMalformed, "the CSI driver does not start"
			}
			e.add(kind, s, `%s: user name %q is neither user@domain nor DOMAIN\user: %s`, server, a.User, so)
		}
	}
}

// unplaced reports an account without a vCenter in its keys, and the right keys.
func (e *explainer) unplaced(s *cluster.Object, manager bool) {
	keys := plain(s.Keys)
	if len(keys) == 0 {
		return
	}
	servers, refused := e.servers, ""
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
	f := e.add(finding.SecretMalformed, s,
		"nothing reads %s, which do not say the vCenter: write the keys %s%s",
		strings.Join(keys, " and "), strings.Join(write, ", "), refused)
	if s.At() != root {
		f.Remedies = e.emit(e.readersOf(s)...)
	}
}

// plain are the keys that would be of an account, but do not say of which vCenter.
func plain(k cluster.Keys) []string {
	return slices.DeleteFunc(slices.Clone(k.Unknown), func(key string) bool { return !plainKey(key) })
}

func plainKey(key string) bool {
	return key == openshift.UserKey[1:] || key == openshift.PasswordKey[1:] || key == "user"
}

// readersOf lists the components that get a secret's values: now, or by either operator.
func (e *explainer) readersOf(s *cluster.Object) []component.Name {
	var list []component.Name
	for _, q := range e.requests {
		chosen := e.Enhancement(q).From
		if chosen == s || e.Object(q.SecretRef) == s || e.Root() == s {
			list = append(list, q.Component)
		}
	}
	return list
}

func (e *explainer) record(s *cluster.Object) {
	text, there := s.Annotations[openshift.VCentersKey]
	if !there {
		return
	}
	all, err := openshift.ParseInstances(text)
	if err != nil {
		e.add(finding.SecretVCenter, s, "annotation %s cannot be read: it %v", openshift.VCentersKey, err)
		return
	}
	for _, server := range s.Servers() {
		if all[server] == "" {
			e.add(finding.SecretNote, s, "annotation %s does not say which vCenter %s is",
				openshift.VCentersKey, server)
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

// CompareInstances compares the vCenters recorded in secrets with those that server names lead to
// now. Differences and unknown ones become findings. It returns the servers that must not get a
// password, because a recorded vCenter is not confirmed, with the reason.
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
				w.add(finding.SecretVCenter, s,
					"%s: cannot check whether it is still the recorded vCenter, instance %s", server, all[server])
				doubts[server] = cmp.Or(doubts[server], doubtUnasked)
			case !strings.EqualFold(is, all[server]):
				w.add(finding.SecretVCenter, s, "%s now leads to another vCenter: instance %s, recorded %s",
					server, is, all[server])
				doubts[server] = doubtElsewhere
			}
		}
	}
	e.Findings = append(e.Findings, w.findings[before:]...)
	return doubts
}

// emit is the command that writes the secrets of components for all vCenters where they are read:
// in kube-system, or in Manual mode beside the component. Readers without such a secret have none.
func (e *explainer) emit(components ...component.Name) []string {
	components = slices.DeleteFunc(slices.Clone(components),
		func(c component.Name) bool { return c == "" || c.OptIn() })
	if len(components) == 0 {
		return []string{}
	}
	return []string{e.emitLine("--profile", e.profile(), "--components", strings.Join(component.Words(components), ","))}
}

// profile writes the secrets where they are read from.
func (e *explainer) profile() string {
	switch {
	case slices.ContainsFunc(e.requests, func(q release.Request) bool { return openshift.AtHome(q.SecretRef) != "" }):
		return openshift.ProfileKubernetes
	case !e.operated:
		return openshift.ProfileComponentScoped
	}
	return openshift.ProfileKubeSystem
}

func (e *explainer) emitShared() string { return e.emitLine("--profile", openshift.ProfilePassthrough) }

// emitField is the field of the provisioning file that writes a secret with machine-api's account,
// and the command.
func (e *explainer) emitField(field, profile string) string {
	file := []string{"-f", "FILE"}
	if slices.Contains(e.emits, "-f") {
		file = nil
	}
	line := e.emitLine(append(file, "--profile", profile, "--components", string(component.MachineAPI))...)
	return "write 'secrets: {" + field + "}' into the provisioning file, then: " + line
}

// emitExtra says what to do about the secret of a reader that has no account of its own.
func (e *explainer) emitExtra(s *cluster.Object) []string {
	if e.operated {
		return []string{"if no CredentialsRequest wants it: " + oc("delete", s)}
	}
	for _, k := range release.Consumers() {
		if k.Target == s.At() {
			return []string{e.emitField("extra: ["+k.File+"]", openshift.ProfileComponentScoped)}
		}
	}
	return nil
}

// emitLine names all vCenters: 'oc apply' removes what a next version lacks.
func (e *explainer) emitLine(own ...string) string {
	words := slices.Concat([]string{"ocp-vsphere-admin", "secrets", "emit"}, own, e.emits)
	if all := e.everyServer(); !e.namesAll && !slices.Contains(words, "-f") && len(all) > 0 {
		words = append(words, "--vcenters", strings.Join(all, ","))
	}
	return script.Line(words...) + openshift.Applies(e.profile())
}

// everyServer are the vCenters of the explanation and then others in secrets.
func (e *explainer) everyServer() []string {
	all := slices.Clone(e.servers)
	for _, server := range e.Settled() {
		if !slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, server) }) {
			all = append(all, server)
		}
	}
	return all
}

func oc(verb string, s *cluster.Object, words ...string) string {
	return script.Line(append([]string{"oc", verb, "secret", "-n", s.Namespace, s.Name}, words...)...)
}

// relabel lets the enhancement's operator find a secret, until its label is rewritten.
func relabel(s *cluster.Object, to component.Ref) string {
	return oc("annotate", s, openshift.RequestKey+"="+to.String(), "--overwrite") + " && " +
		oc("label", s, openshift.RequestKey+"="+openshift.LabelYes, "--overwrite")
}
