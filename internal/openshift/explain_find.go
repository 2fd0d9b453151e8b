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

// find collects what is wrong, or not as it looks, in the order of the secrets and requests.
func (w *explainer) find() {
	for _, s := range w.relevant {
		w.malformed(s)
		w.misspelt(s)
		w.annotations(s)
		w.record(s)
	}
	for _, q := range w.requests {
		w.missing(q)
		w.shadowed(q)
		w.differs(q)
	}
	w.saysMisnamed()
	w.strays()
	w.findHive()
	if !w.foreign {
		w.rootSecret()
	}
}

func (w *explainer) add(code finding.Code, s *corev1.Secret, format string, args ...any) {
	w.say(code, component.At(s.Namespace, s.Name), format, args...)
}

func (w *explainer) say(code finding.Code, at component.Ref, format string, args ...any) {
	w.findings = append(w.findings, finding.New(code, at.String(), format, args...))
}

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
	for _, key := range c.unknown {
		meant := ""
		if near := meantKey(key); near != "" {
			meant = fmt.Sprintf("; did you mean %q?", near)
		}
		switch {
		case manager:
			w.add(finding.SecretMalformed, s, "key %q: the cloud controller manager refuses the whole secret (Unknown secret key)%s", key, meant)
		case meant != "":
			w.add(finding.SecretMalformed, s, "nothing reads key %q%s", key, meant)
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
		if reason := unusable(a); reason != "" {
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

// missing says which vCenters a request gets no account for.
func (w *explainer) missing(q Request) {
	from := w.enhancement(q, false).from
	target := w.at[q.SecretRef]
	kind, who := finding.SecretMissing, "CredentialsRequest "+q.Name
	if known, ok := consumerNamed(q.Name); q.FeatureGate != "" || ok && (known.component == "" || known.component.OptIn()) {
		kind = finding.SecretNote // not in every cluster
	}
	switch {
	case from == nil && target == nil && kind == finding.SecretNote && q.File == "":
		return // nobody says that this cluster has it
	case from == nil && target == nil:
		w.say(kind, q.SecretRef, "%s gets nothing: kube-system has no secret for it, and this one is not in the dump", who)
		return
	case from == nil:
		from = target
	}
	for _, server := range w.servers {
		c := w.contents[from]
		halved := slices.ContainsFunc(c.half, func(key string) bool { return serverOf(key) == server })
		if _, ok := c.accounts[server]; !ok && !halved && len(c.foreign) == 0 {
			w.add(kind, from, "no account for %s, which %s needs%s", server, who, w.meantInstead(from, server))
		}
	}
}

// shadowed says what a request passes over.
func (w *explainer) shadowed(q Request) {
	chosen := w.enhancement(q, false)
	found := w.labelled(q)
	for _, s := range found {
		if s != found[0] {
			w.add(finding.SecretShadowed, s, "is annotated for %s, like %s: it is undefined which of the two is used", q.Name, found[0].Name)
		}
	}
	if named := w.named(q); named != nil && chosen.Step == StepAnnotation && named != chosen.from {
		w.add(finding.SecretShadowed, named, "has the name for %s, but the annotation of %s takes precedence", q.Name, chosen.from.Name)
	}
	if chosen.Step == StepAnnotation {
		after := w.enhancement(q, true)
		switch {
		case after.from == chosen.from:
			w.add(finding.SecretNote, chosen.from, `label "yes" is rewritten to "true" by cloud-credential-operator; %s finds it by its name after that`, q.Name)
		case after.from == nil:
			w.add(finding.SecretShadowed, chosen.from, `label "yes" is rewritten to "true" by cloud-credential-operator; %s finds nothing after that`, q.Name)
		default:
			w.add(finding.SecretShadowed, chosen.from, `label "yes" is rewritten to "true" by cloud-credential-operator; %s finds %s after that (%s)`,
				q.Name, after.Secret, after.Step)
		}
	}
	for _, s := range w.annotated(q) {
		if s.Labels[requestKey] != LabelYes && s != chosen.from {
			w.add(finding.SecretShadowed, s, `is annotated for %s, but its label is %q and the enhancement looks for "yes": %s`, q.Name, s.Labels[requestKey], instead(chosen))
		}
	}
}

func instead(c Choice) string {
	if c.from == nil {
		return "no secret is selected"
	}
	return fmt.Sprintf("%s is selected (%s)", c.Secret, c.Step)
}

// differs compares what is read now with what the operators would copy.
func (w *explainer) differs(q Request) {
	target := w.at[q.SecretRef]
	if target == nil {
		return
	}
	chosen, shared := w.enhancement(q, false), w.mainline()
	if chosen.from == nil {
		w.add(finding.SecretNote, target, "cloud-credential-operator has no secret to copy here, which is right only in Manual mode")
		return
	}
	var changed []string
	asShared := shared.from != nil && shared.from != chosen.from
	for _, server := range w.servers {
		now, wanted := w.contents[target].accounts[server], w.contents[chosen.from].accounts[server]
		if shared.from != nil && !same(now, w.contents[shared.from].accounts[server]) {
			asShared = false
		}
		switch {
		case same(now, wanted):
		case now.User == wanted.User:
			changed = append(changed, fmt.Sprintf("%s: %s with another password", server, now.User))
		default:
			changed = append(changed, fmt.Sprintf("%s: %s instead of %s", server, some(now.User), some(wanted.User)))
		}
	}
	switch {
	case len(changed) == 0:
	case asShared:
		w.add(finding.SecretDiffers, target, "has the account of %s, as an operator without the enhancement copies it, not that of %s", shared.Secret, chosen.Secret)
	default:
		w.add(finding.SecretDiffers, target, "is not what cloud-credential-operator copies from %s (%s), which is right only in Manual mode: %s",
			chosen.Secret, chosen.Step, strings.Join(changed, "; "))
	}
}

func some(user string) string {
	if user == "" {
		return "no account"
	}
	return user
}

// strays are secrets of kube-system that look as if they were for a request, but are for none.
func (w *explainer) strays() {
	for _, s := range w.system {
		_, seen := w.contents[s]
		switch to := s.Annotations[requestKey]; {
		case !seen && to != "":
			w.add(finding.SecretShadowed, s, "is annotated for %s, which is not a known CredentialsRequest for vSphere%s", to, w.meantRequest(to))
		case !seen && w.strayed[s] != component.Ref{}:
			// said already
		case !seen && strings.HasPrefix(s.Name, root.Name+"-"):
			why := "its name is not in the enhancement's table"
			for _, k := range consumers() {
				if k.secret == s.Name {
					why = k.Name + " is not among those given"
				}
			}
			w.add(finding.SecretShadowed, s, "no CredentialsRequest uses it: it has no annotation, and %s", why)
		}
	}
}

// rootSecret says who looks at kube-system/vsphere-creds and who does not.
func (w *explainer) rootSecret() {
	s := w.at[root]
	if s == nil {
		w.say(finding.SecretNote, root, "is missing: %s, and get nothing; a release without the enhancement copies nothing and, except in Manual mode, refuses upgrades", directReaders)
		return
	}
	var past []string
	for _, q := range w.requests {
		if c := w.enhancement(q, false); c.Step == StepAnnotation || c.Step == StepName {
			past = append(past, q.Name)
		}
	}
	if len(past) > 0 {
		w.add(finding.SecretShadowed, s, "the enhancement ignores it for %s; a release without the enhancement gives it to all components", strings.Join(past, ", "))
	}
	switch mode := s.Annotations[modeKey]; mode {
	case "passthrough":
	case "":
		w.add(finding.SecretNote, s, "has no annotation %s: cloud-credential-operator sets it before it copies anything, but not in Manual mode", modeKey)
	default:
		w.add(finding.SecretNote, s, "annotation %s is %q, not \"passthrough\": cloud-credential-operator copies nothing", modeKey, mode)
	}
	w.add(finding.SecretNote, s, "%s", directReaders)
}

// serverOf is the server of a key of an account.
func serverOf(key string) string {
	if server, ok := strings.CutSuffix(key, userKey); ok {
		return server
	}
	return strings.TrimSuffix(key, passwordKey)
}
