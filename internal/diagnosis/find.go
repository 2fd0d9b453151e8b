package diagnosis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
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
	w.elsewhere()
	w.saysMisnamed()
	w.strays()
	w.findHive()
	if !w.foreign {
		w.rootSecret()
	}
}

func (w *explainer) add(code finding.Code, s *cluster.Object, format string, args ...any) *finding.Finding {
	return w.say(code, s.At(), format, args...)
}

func (w *explainer) say(code finding.Code, at component.Ref, format string, args ...any) *finding.Finding {
	f := finding.New(code, at.String(), format, args...)
	w.findings = append(w.findings, f)
	return f
}

// missing says whether a request gets no account, or none for a vCenter. What a dump does not show is not missing.
func (w *explainer) missing(q release.Request) {
	from, target := w.Enhancement(q).From, w.Object(q.SecretRef)
	kind, who := finding.SecretMissing, "CredentialsRequest "+q.Name
	if known, ok := release.ConsumerNamed(q.Name); q.FeatureGate != "" || ok && (known.Component == "" || known.Component.OptIn()) {
		kind = finding.SecretNote // not in every cluster
	}
	if from == nil && target == nil && kind == finding.SecretNote && q.File == "" {
		return // nobody says that this cluster has it
	}
	gone := target == nil && w.Shows(q.SecretRef.Namespace) && (kind == finding.SecretMissing || q.File != "")
	say := func(at component.Ref, format string, args ...any) *finding.Finding {
		return w.say(kind, at, format, args...).About("", q.Component)
	}
	switch {
	case gone && w.IsManual():
		say(q.SecretRef, "%s gets nothing: in Manual mode nobody copies one, and this secret is missing", who).Remedies = w.emit(q.Component)
	case target == nil && from == nil && (gone || w.Shows(root.Namespace)) && !w.IsManual():
		say(q.SecretRef, "%s gets nothing: %s has no secret for it, and this one is not in the dump", who, root.Namespace).Remedies = w.emit(q.Component)
	case gone && from != nil:
		f := say(q.SecretRef, "is missing: %s has no account, whatever %s holds", cluster.Consumer(q), w.Enhancement(q).Secret)
		if f.Remedies = release.Look(q.Name); !w.operated {
			f.Remedies = w.emit(q.Component)
		}
	case from == nil && target != nil && w.Copies() && isOwn(q) && w.Shows(root.Namespace):
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
		c := from.Keys
		halved := slices.ContainsFunc(c.Half, func(key string) bool { return cluster.ServerOf(key) == server })
		if _, ok := c.Accounts[server]; !ok && !halved && len(c.Foreign)+len(plain(c)) == 0 {
			f := w.add(kind, from, "no account for %s, which %s needs%s", server, who, w.meantInstead(from, server))
			f.About(server, q.Component).Remedies = w.emit(q.Component)
			if from == w.Root() && !w.apart() {
				f.Remedies = []string{w.emitShared()}
			}
		}
	}
}

// shadowed says what a request passes over.
func (w *explainer) shadowed(q release.Request) {
	if w.IsManual() {
		w.unread(q)
		return
	}
	chosen := w.Enhancement(q)
	found := w.Labelled(q)
	for _, s := range found {
		if s != found[0] {
			code := finding.SecretShadowed
			if !w.alike(s, found[0]) {
				code = finding.SecretMalformed
			}
			w.add(code, s, "is annotated for %s, like %s: it is undefined which of the two is used", q.Name, found[0].Name)
		}
	}
	if named := w.Named(q); named != nil && chosen.Step == cluster.StepAnnotation && named != chosen.From {
		w.add(finding.SecretShadowed, named, "has the name for %s, but the annotation of %s takes precedence", q.Name, chosen.From.Name)
	}
	if chosen.Step == cluster.StepAnnotation {
		after := w.Rewritten(q)
		switch {
		case after.From == chosen.From:
			w.add(finding.SecretNote, chosen.From, `label "yes" is rewritten to "true" by cloud-credential-operator; %s finds it by its name after that`, q.Name)
		case after.From == nil:
			w.add(finding.SecretShadowed, chosen.From, `label "yes" is rewritten to "true" by cloud-credential-operator; %s finds nothing after that`, q.Name)
		default:
			w.add(finding.SecretShadowed, chosen.From, `label "yes" is rewritten to "true" by cloud-credential-operator; %s finds %s after that (%s)`,
				q.Name, after.Secret, after.Step)
		}
	}
	for _, s := range w.Annotated(q) {
		if s.Labels[openshift.RequestKey] == openshift.LabelYes || s == chosen.From {
			continue
		}
		code, served := finding.SecretUnseen, chosen.Step == cluster.StepAnnotation || chosen.Step == cluster.StepName
		if served {
			code = finding.SecretShadowed
		}
		f := w.add(code, s, `is annotated for %s, but its label is %q and the enhancement looks for "yes": %s`, q.Name, s.Labels[openshift.RequestKey], instead(chosen))
		if !served {
			f.About("", q.Component).Remedies = append(w.emit(q.Component), relabel(s, q.Ref))
			w.unseen[q.Ref] = true
		}
	}
}

func instead(c cluster.Choice) string {
	if c.From == nil {
		return "no secret is selected"
	}
	return fmt.Sprintf("%s is selected (%s)", c.Secret, c.Step)
}

// differs compares what is read now with what the operators would copy. What cannot both be right is stale: another password of the
// same user, or a copy that the operator does not keep.
func (w *explainer) differs(q release.Request) {
	target := w.Object(q.SecretRef)
	if target == nil {
		return
	}
	chosen, shared := w.Enhancement(q), w.Release(q)
	switch {
	case chosen.From == nil && w.Copies() && isOwn(q):
		return // which is missing
	case chosen.From == nil:
		w.add(finding.SecretNote, target, "cloud-credential-operator has no secret to copy here, which is right only in Manual mode")
		return
	}
	changed, about, sameUser := w.changes(q, chosen.From)
	asShared := shared.From != nil && shared.From != chosen.From && w.alike(target, shared.From)
	from := fmt.Sprintf("%s (%s): %s", chosen.Secret, chosen.Step, strings.Join(changed, "; "))
	switch {
	case len(changed) == 0:
	case sameUser || w.operated && isOwn(q) && !asShared && (chosen.Step != cluster.StepRoot || !w.apart() || w.mayFallBack(q.Component)):
		f := w.add(finding.SecretStale, target, "is not what cloud-credential-operator copies from %s", from)
		f.Accounts, f.Remedies = about, release.Look(q.Name)
	case w.operated && isOwn(q): // told as a fallback
	case asShared:
		w.add(finding.SecretDiffers, target, "has the account of %s, as an operator without the enhancement copies it, not that of %s", shared.Secret, chosen.Secret)
	case w.Copies():
		w.add(finding.SecretDiffers, target, "is not what cloud-credential-operator copies from %s", from)
	default:
		w.add(finding.SecretDiffers, target, "is not what cloud-credential-operator copies from %s; that is right only in Manual mode", from)
	}
}

// changes says which accounts the secret of a request has rather than those of another secret, and whether they are of the same users.
func (w *explainer) changes(q release.Request, wanted *cluster.Object) (changed []string, about []finding.Account, sameUser bool) {
	sameUser = true
	for _, server := range w.servers {
		now, other := w.Object(q.SecretRef).Held(server), wanted.Held(server)
		same := cluster.Spelling(now.User) == cluster.Spelling(other.User)
		switch {
		case same && now.Password.Equal(other.Password):
			continue
		case same:
			changed = append(changed, fmt.Sprintf("%s: %s with another password", server, now.User))
		default:
			sameUser = false
			changed = append(changed, fmt.Sprintf("%s: %s instead of %s", server, some(now.User), some(other.User)))
		}
		about = append(about, finding.Account{Server: server, Component: q.Component, Principal: now.User})
	}
	return changed, about, sameUser
}

func some(user string) string {
	if user == "" {
		return "no account"
	}
	return user
}

// strays are secrets of kube-system that look as if they were for a request, but are for none.
func (w *explainer) strays() {
	for _, s := range w.System() {
		seen := slices.Contains(w.relevant, s)
		switch to := s.Annotations[openshift.RequestKey]; {
		case !seen && to != "":
			near := w.meantRequest(to)
			code := map[bool]finding.Code{true: finding.SecretUnseen, false: finding.SecretShadowed}[near != component.Ref{} && intended(s.Keys)]
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

// What the Infrastructure of a cluster says that its secrets cannot say of themselves.

// strangeServers tells of vCenters that secrets have accounts for and the cluster does not use.
func (w *explainer) strangeServers() {
	if !w.known {
		return
	}
	in := map[string][]string{}
	for _, s := range w.relevant {
		for server := range s.Accounts {
			if !slices.Contains(w.servers, server) && credfile.NearServer(server, w.servers) == "" { // one that is near is misspelt
				in[server] = lists.AppendNew(in[server], s.At().String())
			}
		}
	}
	for _, server := range slices.Sorted(maps.Keys(in)) {
		f := finding.New(finding.SecretShadowed, in[server][0], "has an account for %s, which is no vCenter of the cluster's Infrastructure: nobody uses it", server)
		if others := in[server][1:]; len(others) > 0 {
			f.Text += "; so have " + strings.Join(others, ", ")
		}
		w.findings = append(w.findings, f)
	}
}

// copyOfRoot tells that cluster-capi-operator works with an account that the root secret had once: it copies the one of the first
// vCenter when it first needs it, and never again.
func (w *explainer) copyOfRoot() {
	if w.Name == "" || w.Root() == nil {
		return
	}
	s := w.Object(component.At(openshift.SecretOf(component.ClusterAPI).Namespace, w.Name))
	if s == nil {
		return
	}
	a, ok := s.Flat()
	if !ok || slices.ContainsFunc(w.servers, func(server string) bool { return w.Root().Held(server).Same(a) }) {
		return
	}
	f := w.add(finding.SecretStale, s, "has %s, and %s has another account: cluster-capi-operator copied it once, and does so again where it is missing", a.User, root)
	f.Remedies = []string{oc("delete", s)}
}
