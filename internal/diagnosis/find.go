package diagnosis

import (
	"cmp"
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

func (e *explainer) find() {
	for _, s := range e.relevant {
		e.malformed(s)
		e.misspelt(s)
		e.annotations(s)
		e.record(s)
	}
	for _, q := range e.requests {
		e.missing(q)
		e.shadowed(q)
		e.differs(q)
	}
	e.findOwn()
	e.strangeServers()
	e.copyOfRoot()
	e.elsewhere()
	e.saysMisnamed()
	e.strays()
	e.findHive()
	if !e.foreign {
		e.rootSecret()
	}
}

func (e *explainer) add(code finding.Code, s *cluster.Object, format string, args ...any) *finding.Finding {
	return e.say(code, s.At(), format, args...)
}

func (e *explainer) say(code finding.Code, at component.Ref, format string, args ...any) *finding.Finding {
	f := finding.New(code, at.String(), format, args...)
	e.findings = append(e.findings, f)
	return f
}

// missing reports a request without an account, or without one for a vCenter, if the dump shows it.
func (e *explainer) missing(q release.Request) {
	from, target := e.Enhancement(q).From, e.Object(q.SecretRef)
	kind, who := finding.SecretMissing, "CredentialsRequest "+q.Name
	if openshift.AtHome(q.SecretRef) != "" {
		who = string(q.Component)
	}
	if known, ok := release.ConsumerNamed(q.Name); q.FeatureGate != "" ||
		ok && known.Component.OptIn() {
		kind = finding.SecretNote // not in every cluster
	}
	if from == nil && target == nil && kind == finding.SecretNote && q.File == "" {
		return // not known to be in this cluster
	}
	gone := target == nil && e.Shows(q.SecretRef.Namespace) && (kind == finding.SecretMissing || q.File != "")
	say := func(at component.Ref, format string, args ...any) *finding.Finding {
		return e.say(kind, at, format, args...).About("", q.Component)
	}
	switch {
	case gone && e.IsManual():
		say(q.SecretRef, "%s gets nothing: in Manual mode nobody copies one, and this secret is missing",
			who).Remedies = e.emit(q.Component)
	case target == nil && from == nil && (gone || e.Shows(root.Namespace)) && !e.IsManual():
		say(q.SecretRef, "%s gets nothing: %s has no secret for it, and this one is not in the dump", who,
			root.Namespace).Remedies = e.emit(q.Component)
	case gone && from != nil:
		f := say(q.SecretRef, "is missing: %s has no account, whatever %s holds", cluster.Consumer(q),
			e.Enhancement(q).Secret)
		if f.Remedies = release.Look(q.Name); !e.operated {
			f.Remedies = e.emit(q.Component)
		}
	case from == nil && target != nil && e.Copies() && isOwn(q) && e.Shows(root.Namespace):
		f := say(e.ownSecret(q), "is missing, and so is %s: cloud-credential-operator has nothing to copy for %s, and what %s holds is left from before",
			root, q.Component, q.SecretRef)
		if f.Remedies = e.emit(q.Component); !e.apart() {
			f.Remedies = []string{e.emitShared()}
		}
	}
	if from == nil {
		from = target
	}
	if from == nil {
		return
	}
	for _, server := range e.servers {
		c := from.Keys
		halved := slices.ContainsFunc(c.Half, func(key string) bool { return cluster.ServerOf(key) == server })
		if _, ok := c.Accounts[server]; !ok && !halved && len(c.Foreign)+len(plain(c)) == 0 {
			f := e.add(kind, from, "no account for %s, which %s needs%s", server, who, e.meantInstead(from, server))
			f.About(server, q.Component).Remedies = e.emit(q.Component)
			if from == e.Root() && !e.apart() {
				f.Remedies = []string{e.emitShared()}
			}
		}
	}
}

// shadowed says what a request passes over.
func (e *explainer) shadowed(q release.Request) {
	if e.IsManual() {
		e.unread(q)
		return
	}
	chosen := e.Enhancement(q)
	found := e.Labelled(q)
	for _, s := range found {
		if s != found[0] {
			code := finding.SecretShadowed
			if !e.alike(s, found[0]) {
				code = finding.SecretMalformed
			}
			e.add(code, s, "is annotated for %s, like %s: it is undefined which of the two is used", q.Name,
				found[0].Name)
		}
	}
	if named := e.Named(q); named != nil && chosen.Step == cluster.StepAnnotation && named != chosen.From {
		e.add(finding.SecretShadowed, named,
			"has the name for %s, but the annotation of %s takes precedence", q.Name, chosen.From.Name)
	}
	if chosen.Step == cluster.StepAnnotation {
		after := e.Rewritten(q)
		switch {
		case after.From == chosen.From:
			e.add(finding.SecretNote, chosen.From, `label "yes" is rewritten to "true" by cloud-credential-operator; %s finds it by its name after that`, q.Name)
		case after.From == nil:
			e.add(finding.SecretShadowed, chosen.From, `label "yes" is rewritten to "true" by cloud-credential-operator; %s finds nothing after that`, q.Name)
		default:
			e.add(finding.SecretShadowed, chosen.From, `label "yes" is rewritten to "true" by cloud-credential-operator; %s finds %s after that (%s)`,
				q.Name, after.Secret, after.Step)
		}
	}
	for _, s := range e.Annotated(q) {
		if s.Labels[openshift.RequestKey] == openshift.LabelYes || s == chosen.From {
			continue
		}
		code, served := finding.SecretUnseen,
			chosen.Step == cluster.StepAnnotation || chosen.Step == cluster.StepName
		if served {
			code = finding.SecretShadowed
		}
		f := e.add(code, s, `is annotated for %s, but its label is %q and the enhancement looks for "yes": %s`, q.Name, s.Labels[openshift.RequestKey], instead(chosen))
		if !served {
			f.About("", q.Component).Remedies = append(e.emit(q.Component), relabel(s, q.Ref))
			e.unseen[q.Ref] = true
		}
	}
}

func instead(c cluster.Choice) string {
	if c.From == nil {
		return "no secret is selected"
	}
	return fmt.Sprintf("%s is selected (%s)", c.Secret, c.Step)
}

// differs compares what is read now with what the operators would copy. Contradictions are stale:
// another password of the same user, or a copy that the operator does not keep.
func (e *explainer) differs(q release.Request) {
	target := e.Object(q.SecretRef)
	if target == nil {
		return
	}
	chosen, shared := e.Enhancement(q), e.Release(q)
	switch {
	case chosen.From == nil && e.Copies() && isOwn(q):
		return // which is missing
	case chosen.From == nil:
		e.add(finding.SecretNote, target,
			"cloud-credential-operator has no secret to copy here, which is right only in Manual mode")
		return
	}
	changed, about, sameUser := e.changes(q, chosen.From)
	asShared := shared.From != nil && shared.From != chosen.From && e.alike(target, shared.From)
	from := fmt.Sprintf("%s (%s): %s", chosen.Secret, chosen.Step, strings.Join(changed, "; "))
	switch {
	case len(changed) == 0:
	case sameUser || e.operated && isOwn(q) && !asShared &&
		(chosen.Step != cluster.StepRoot || !e.apart() || e.mayFallBack(q.Component)):
		f := e.add(finding.SecretStale, target, "is not what cloud-credential-operator copies from %s", from)
		f.Accounts, f.Remedies = about, release.Look(q.Name)
	case e.operated && isOwn(q): // told as a fallback
	case asShared:
		e.add(finding.SecretDiffers, target,
			"has the account of %s, as an operator without the enhancement copies it, not that of %s",
			shared.Secret, chosen.Secret)
	case e.Copies():
		e.add(finding.SecretDiffers, target, "is not what cloud-credential-operator copies from %s", from)
	default:
		e.add(finding.SecretDiffers, target,
			"is not what cloud-credential-operator copies from %s; that is right only in Manual mode", from)
	}
}

// changes are the accounts that a request's secret has otherwise; about, if only passwords differ.
func (e *explainer) changes(q release.Request, wanted *cluster.Object) (changed []string, about []finding.Account, sameUser bool) {
	sameUser = true
	for _, server := range e.servers {
		now, other := e.Object(q.SecretRef).Held(server), wanted.Held(server)
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
	return cmp.Or(user, "no account")
}

// strays are secrets of kube-system that look as if they were for a request, but are for none.
func (e *explainer) strays() {
	for _, s := range e.System() {
		seen := slices.Contains(e.relevant, s)
		switch to := s.Annotations[openshift.RequestKey]; {
		case !seen && to != "":
			near := e.meantRequest(to)
			code := map[bool]finding.Code{true: finding.SecretUnseen, false: finding.SecretShadowed}[near != component.Ref{} && intended(s.Keys)]
			f := e.add(code, s, "is annotated for %s, which is not a known CredentialsRequest for vSphere", to)
			if (near != component.Ref{}) {
				f.Text += ": did you mean " + near.String() + "?"
				f.Remedies = []string{relabel(s, near)}
			}
		case !seen && e.strayed[s] != component.Ref{}:
			// said already
		case !seen && strings.HasPrefix(s.Name, root.Name+"-"):
			why := "its name is not in the enhancement's table"
			for _, k := range release.Consumers() {
				if k.Secret == s.Name {
					why = k.Name + " is not among those given"
				}
			}
			e.add(finding.SecretShadowed, s, "no CredentialsRequest uses it: it has no annotation, and %s", why)
		}
	}
}

// What the Infrastructure of a cluster says that its secrets cannot say of themselves.

// strangeServers tells of vCenters that secrets have accounts for and the cluster does not use.
func (e *explainer) strangeServers() {
	if !e.known {
		return
	}
	in := map[string][]string{}
	for _, s := range e.relevant {
		for server := range s.Accounts {
			// not misspelt
			if !slices.Contains(e.servers, server) && credfile.NearServer(server, e.servers) == "" {
				in[server] = lists.AppendNew(in[server], s.At().String())
			}
		}
	}
	for _, server := range slices.Sorted(maps.Keys(in)) {
		f := finding.New(finding.SecretShadowed, in[server][0],
			"has an account for %s, which is no vCenter of the cluster's Infrastructure: nobody uses it",
			server)
		if others := in[server][1:]; len(others) > 0 {
			f.Text += "; so have " + strings.Join(others, ", ")
		}
		e.findings = append(e.findings, f)
	}
}

// copyOfRoot reports that cluster-capi-operator has an old account of the root secret: it copies
// the first vCenter's once, when it first needs it.
func (e *explainer) copyOfRoot() {
	if e.Name == "" || e.Root() == nil {
		return
	}
	s := e.Object(component.At(openshift.SecretOf(component.ClusterAPI).Namespace, e.Name))
	if s == nil {
		return
	}
	a, ok := s.Flat()
	if !ok || slices.ContainsFunc(e.servers, func(server string) bool { return e.Root().Held(server).Same(a) }) {
		return
	}
	f := e.add(finding.SecretStale, s, "has %s, and %s has another account: cluster-capi-operator copied it once, and does so again where it is missing", a.User, root)
	f.Remedies = []string{oc("delete", s)}
}
