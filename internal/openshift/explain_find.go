package openshift

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
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
	w.findOwn()
	w.strangeServers()
	w.copyOfRoot()
	w.saysMisnamed()
	w.strays()
	w.findHive()
	if !w.foreign {
		w.rootSecret()
	}
}

func (w *explainer) add(code finding.Code, s *corev1.Secret, format string, args ...any) *finding.Finding {
	return w.say(code, component.At(s.Namespace, s.Name), format, args...)
}

func (w *explainer) say(code finding.Code, at component.Ref, format string, args ...any) *finding.Finding {
	f := finding.New(code, at.String(), format, args...)
	w.findings = append(w.findings, f)
	return f
}

// missing says whether a request gets no account, or none for a vCenter. What a dump does not show is not missing.
func (w *explainer) missing(q release.Request) {
	from, target := w.enhancement(q, false).from, w.at[q.SecretRef]
	kind, who := finding.SecretMissing, "CredentialsRequest "+q.Name
	if known, ok := release.ConsumerNamed(q.Name); q.FeatureGate != "" || ok && (known.Component == "" || known.Component.OptIn()) {
		kind = finding.SecretNote // not in every cluster
	}
	if from == nil && target == nil && kind == finding.SecretNote && q.File == "" {
		return // nobody says that this cluster has it
	}
	gone := target == nil && w.shows(q.SecretRef.Namespace) && (kind == finding.SecretMissing || q.File != "")
	say := func(at component.Ref, format string, args ...any) *finding.Finding {
		return w.say(kind, at, format, args...).About("", q.Component)
	}
	switch {
	case gone && w.manual():
		say(q.SecretRef, "%s gets nothing: in Manual mode nobody copies one, and this secret is missing", who).Remedies = w.emit(q.Component)
	case target == nil && from == nil && (gone || w.shows(root.Namespace)) && !w.manual():
		say(q.SecretRef, "%s gets nothing: %s has no secret for it, and this one is not in the dump", who, root.Namespace).Remedies = w.emit(q.Component)
	case gone && from != nil:
		f := say(q.SecretRef, "is missing: %s has no account, whatever %s holds", consumerOf(q), w.enhancement(q, false).Secret)
		if f.Remedies = release.Look(q.Name); !w.operated {
			f.Remedies = w.emit(q.Component)
		}
	case from == nil && target != nil && w.copies() && isOwn(q) && w.shows(root.Namespace):
		f := say(w.ownSecret(q), "is missing, and so is %s: cloud-credential-operator has nothing to copy for %s, and what %s holds is left from before",
			root, q.Component, q.SecretRef)
		if f.Remedies = w.emit(q.Component); !w.apart() {
			f.Remedies = []string{w.emitShared()}
		}
	}
	if from == nil {
		from = target
	}
	if from == nil {
		return
	}
	for _, server := range w.servers {
		c := w.contents[from]
		halved := slices.ContainsFunc(c.half, func(key string) bool { return serverOf(key) == server })
		if _, ok := c.accounts[server]; !ok && !halved && len(c.foreign)+len(c.plain()) == 0 {
			f := w.add(kind, from, "no account for %s, which %s needs%s", server, who, w.meantInstead(from, server))
			f.About(server, q.Component).Remedies = w.emit(q.Component)
			if from == w.at[root] && !w.apart() {
				f.Remedies = []string{w.emitShared()}
			}
		}
	}
}

// shadowed says what a request passes over.
func (w *explainer) shadowed(q release.Request) {
	if w.manual() {
		w.unread(q)
		return
	}
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
		if s.Labels[requestKey] == LabelYes || s == chosen.from {
			continue
		}
		code, served := finding.SecretUnseen, chosen.Step == StepAnnotation || chosen.Step == StepName
		if served {
			code = finding.SecretShadowed
		}
		f := w.add(code, s, `is annotated for %s, but its label is %q and the enhancement looks for "yes": %s`, q.Name, s.Labels[requestKey], instead(chosen))
		if !served {
			f.About("", q.Component).Remedies = append(w.emit(q.Component), relabel(s, q.Ref))
			w.unseen[q.Ref] = true
		}
	}
}

func instead(c Choice) string {
	if c.from == nil {
		return "no secret is selected"
	}
	return fmt.Sprintf("%s is selected (%s)", c.Secret, c.Step)
}

// differs compares what is read now with what the operators would copy. What cannot both be right is stale: another password of the
// same user, or a copy that the operator does not keep.
func (w *explainer) differs(q release.Request) {
	target := w.at[q.SecretRef]
	if target == nil {
		return
	}
	chosen, shared := w.enhancement(q, false), w.mainline(q)
	switch {
	case chosen.from == nil && w.copies() && isOwn(q):
		return // which is missing
	case chosen.from == nil:
		w.add(finding.SecretNote, target, "cloud-credential-operator has no secret to copy here, which is right only in Manual mode")
		return
	}
	var changed []string
	var about []finding.Account
	sameUser := true
	for _, server := range w.servers {
		now, wanted := w.contents[target].accounts[server], w.contents[chosen.from].accounts[server]
		switch {
		case same(now, wanted):
			continue
		case now.User == wanted.User:
			changed = append(changed, fmt.Sprintf("%s: %s with another password", server, now.User))
		default:
			sameUser = false
			changed = append(changed, fmt.Sprintf("%s: %s instead of %s", server, some(now.User), some(wanted.User)))
		}
		about = append(about, finding.Account{Server: server, Component: q.Component, Principal: now.User})
	}
	asShared := shared.from != nil && shared.from != chosen.from && w.alike(target, shared.from)
	from := fmt.Sprintf("%s (%s): %s", chosen.Secret, chosen.Step, strings.Join(changed, "; "))
	switch {
	case len(changed) == 0:
	case sameUser || w.operated && isOwn(q) && !asShared && (chosen.Step != StepRoot || !w.apart() || w.mayFallBack(q.Component)):
		f := w.add(finding.SecretStale, target, "is not what cloud-credential-operator copies from %s", from)
		f.Accounts, f.Remedies = about, release.Look(q.Name)
	case w.operated && isOwn(q): // told as a fallback
	case asShared:
		w.add(finding.SecretDiffers, target, "has the account of %s, as an operator without the enhancement copies it, not that of %s", shared.Secret, chosen.Secret)
	case w.copies():
		w.add(finding.SecretDiffers, target, "is not what cloud-credential-operator copies from %s", from)
	default:
		w.add(finding.SecretDiffers, target, "is not what cloud-credential-operator copies from %s; that is right only in Manual mode", from)
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
			near := w.meantRequest(to)
			code := map[bool]finding.Code{true: finding.SecretUnseen, false: finding.SecretShadowed}[near != component.Ref{} && read(s.Data).intended()]
			f := w.add(code, s, "is annotated for %s, which is not a known CredentialsRequest for vSphere", to)
			if (near != component.Ref{}) {
				f.Text += ": did you mean " + near.String() + "?"
				f.Remedies = []string{relabel(s, near)}
			}
		case !seen && w.strayed[s] != component.Ref{}:
			// said already
		case !seen && strings.HasPrefix(s.Name, root.Name+"-"):
			why := "its name is not in the enhancement's table"
			for _, k := range release.Consumers() {
				if k.Secret == s.Name {
					why = k.Name + " is not among those given"
				}
			}
			w.add(finding.SecretShadowed, s, "no CredentialsRequest uses it: it has no annotation, and %s", why)
		}
	}
}

// serverOf is the server of a key of an account.
func serverOf(key string) string {
	if server, ok := strings.CutSuffix(key, userKey); ok {
		return server
	}
	return strings.TrimSuffix(key, passwordKey)
}
