package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// A component with another's account gets no error: openshift/enhancements#1931 silently falls back
// to the root secret, and any login in a secret is valid. Here it is a finding.
//
// Premise: accounts are apart only if an administrator set them apart. One account, in the root
// secret and copied from there, is intended; so is Manual mode with one account for all.

// isOwn reports whether the enhancement has a secret in kube-system for a request's component.
func isOwn(q release.Request) bool {
	known, ok := release.ConsumerNamed(q.Name)
	return ok && known.Secret != ""
}

// ownSecret is where the enhancement has the secret of a request of its own.
func (e *explainer) ownSecret(q release.Request) component.Ref {
	known, _ := release.ConsumerNamed(q.Name)
	return component.At(root.Namespace, known.Secret)
}

// apart reports whether the enhancement finds a secret in kube-system for a single component.
func (e *explainer) apart() bool {
	return slices.ContainsFunc(e.requests, func(q release.Request) bool {
		c := e.Enhancement(q)
		return isOwn(q) && (c.Step == cluster.StepAnnotation || c.Step == cluster.StepName)
	})
}

// isOperated reports whether cloud-credential-operator copies to the components: by the cluster's
// mode, its mark on a copy, copies of the root secret, or secrets for single components.
func (e *explainer) isOperated() bool {
	if e.Manual != nil {
		return e.Copies()
	}
	by, alike := true, false
	for _, q := range e.requests {
		target := e.Object(q.SecretRef)
		if !isOwn(q) || target == nil {
			continue
		}
		if target.Annotations[openshift.RequestKey] == q.String() {
			return true
		}
		like := e.Root() != nil && e.alike(target, e.Root())
		by = by && like
		alike = alike || like && q.Component != component.MachineAPI
	}
	return by || alike || e.apart()
}

// alike reports whether two secrets have the same accounts for the vCenters of the cluster.
func (e *explainer) alike(a, b *cluster.Object) bool {
	return !slices.ContainsFunc(e.servers, func(server string) bool {
		return !a.Held(server).Same(b.Held(server))
	})
}

// owner is the component whose account a user is on a vCenter: by its name, by the only one with it
// in kube-system or, if no two components share one, by its reader; "" if unknown.
func (e *explainer) owner(server, user string) component.Name {
	if c := component.OfUser(user); c != "" || isBuiltIn(user) {
		return c
	}
	if c, several := e.holder(server, user, e.Named); c != "" || several {
		return c
	}
	seen := map[string]bool{"": true} // one that is not in the dump may read the same
	for _, q := range e.requests {
		now := cluster.Spelling(e.user(e.Object(q.SecretRef), server))
		if isOwn(q) && seen[now] {
			return ""
		}
		seen[now] = seen[now] || isOwn(q)
	}
	c, _ := e.holder(server, user, func(q release.Request) *cluster.Object { return e.Object(q.SecretRef) })
	if c != component.MachineAPI && cluster.Spelling(user) == cluster.Spelling(e.user(e.Root(), server)) {
		return "" // it fell back already: of the components the root secret is made for machine-api alone
	}
	return c
}

// holder is the one component for which a secret has a user; several reports that there are more.
func (e *explainer) holder(server, user string, of func(release.Request) *cluster.Object) (c component.Name, several bool) {
	for _, q := range e.requests {
		if !isOwn(q) || cluster.Spelling(e.user(of(q), server)) != cluster.Spelling(user) {
			continue
		}
		if c != "" {
			return "", true
		}
		c = q.Component
	}
	return c, false
}

type stranger struct {
	from   *cluster.Object
	step   string // by which it gets it
	q      release.Request
	owner  component.Name
	server string
	user   string
}

// strangers are others' accounts that a request gets: copied, and now in its secret.
func (e *explainer) strangers(q release.Request) []stranger {
	var all []stranger
	take := func(server string, from *cluster.Object, step string) {
		user := e.user(from, server)
		if user == "" {
			return
		}
		owner := e.owner(server, user) // some requests use machine-api's account
		if owner != "" && owner != q.Component && owner != component.Installer &&
			(owner != component.MachineAPI || isOwn(q)) {
			all = append(all, stranger{from, step, q, owner, server, user})
		}
	}
	for _, server := range e.servers {
		var chosen cluster.Choice
		if e.operated {
			chosen = e.Enhancement(q)
			take(server, chosen.From, chosen.Step)
		}
		if now := e.Object(q.SecretRef); cluster.Spelling(e.user(now, server)) !=
			cluster.Spelling(e.user(chosen.From, server)) {
			take(server, now, cluster.StepTarget)
		}
	}
	return all
}

// findOwn reports components with another's account, by secret, then those with the shared one.
func (e *explainer) findOwn() {
	var all []stranger
	for _, q := range e.requests {
		if isOwn(q) || e.Object(q.SecretRef) != nil {
			all = append(all, e.strangers(q)...)
		}
	}
	told := map[component.Name]bool{}
	for _, s := range e.relevant {
		var of []stranger
		for _, x := range all {
			if x.from == s && !(x.step == cluster.StepRoot && e.mayFallBack(x.q.Component)) {
				of = append(of, x)
			}
		}
		if len(of) > 0 {
			e.sayStrangers(s, of)
		}
		for _, x := range of {
			told[x.q.Component] = true
		}
	}
	for _, q := range e.requests {
		switch {
		case !isOwn(q) || told[q.Component] || e.mayFallBack(q.Component):
		case e.operated:
			e.fallsBack(q)
		default:
			e.borrows(q)
		}
	}
	e.rootOfAnother()
}

func (e *explainer) mayFallBack(c component.Name) bool { return slices.Contains(e.allowed, c) }

// sayStrangers tells which accounts of others a secret gives to whom.
func (e *explainer) sayStrangers(s *cluster.Object, of []stranger) {
	var gives []string
	var components []component.Name
	steps := map[string]bool{}
	for _, x := range of {
		one := fmt.Sprintf("%s gets %s's account, %s", cluster.Consumer(x.q), x.owner, x.user)
		gives = lists.AppendNew(gives, one)
		for _, c := range []component.Name{x.q.Component, x.owner} {
			own := c == x.q.Component || e.Named(e.requestOf(c)) == s
			if own && !slices.Contains(components, c) {
				components = append(components, c)
			}
		}
		steps[x.step] = true
	}
	why := ""
	switch {
	case steps[cluster.StepAnnotation]:
		why = ": its annotation names " + s.Annotations[openshift.RequestKey]
	case steps[cluster.StepRoot]:
		why = ": they have no secret of their own in " + root.Namespace + ", and the fallback gives no error"
	}
	f := finding.New(finding.SecretOfAnother, s.At().String(), "%s%s", strings.Join(gives, "; "), why)
	for _, x := range of {
		f.Accounts = append(f.Accounts,
			finding.Account{Server: x.server, Component: x.q.Component, Principal: x.user})
	}
	if f.Remedies = e.emit(components...); len(f.Remedies) == 0 {
		f.Remedies = e.emitExtra(s)
	}
	if only := of[0].q; e.operated && steps[cluster.StepTarget] && len(steps) == 1 &&
		e.Enhancement(only).Step == cluster.StepName {
		f.Text += ": cloud-credential-operator has not copied " + e.Enhancement(only).Secret
		f.Remedies = lookForRelease(only)
	}
	switch {
	case steps[cluster.StepAnnotation] && !slices.ContainsFunc(e.requests, func(q release.Request) bool { return e.Named(q) == s }):
		f.Remedies = append(f.Remedies, oc("annotate", s, openshift.RequestKey+"-"))
	case steps[cluster.StepRoot] && !e.apart(): // else others keep their accounts
		f.Remedies = append(f.Remedies,
			"if one account is meant for all, the main one of the credentials file: "+e.emitShared())
	}
	e.findings = append(e.findings, f)
}

// fallsBack reports a component with the shared account although it, or others, have their own.
func (e *explainer) fallsBack(q release.Request) {
	chosen, target := e.Enhancement(q), e.Object(q.SecretRef)
	if !e.apart() || e.Root() == nil || e.unseen[q.Ref] {
		return
	}
	var f *finding.Finding
	switch {
	case chosen.Step == cluster.StepRoot:
		f = finding.New(finding.SecretFallback, e.ownSecret(q).String(),
			"is missing: %s falls back to %s, and nothing gives an error", q.Component, root)
		f.Remedies = e.emit(q.Component)
	case target == nil || chosen.From == nil || !e.alike(target, e.Root()) || e.alike(chosen.From, e.Root()):
		return
	default:
		f = finding.New(finding.SecretFallback, q.SecretRef.String(),
			"%s still has the account of %s, not that of %s: an operator without the enhancement copies it, and nothing gives an error", q.Component, root, chosen.Secret)
		f.Remedies = lookForRelease(q)
	}
	for _, server := range e.servers {
		f.Accounts = append(f.Accounts,
			finding.Account{Server: server, Component: q.Component, Principal: e.user(e.Root(), server)})
	}
	e.meantFallback(f, q)
}

// meantFallback adds a finding that may be meant.
func (e *explainer) meantFallback(f *finding.Finding, q release.Request) {
	if q.Component != "" {
		f.Remedies = append(f.Remedies, "if it is meant: add --allow fallback="+string(q.Component))
	}
	e.findings = append(e.findings, f)
}

// lookForRelease is the remedy if the operator does not copy the secret of a request.
func lookForRelease(q release.Request) []string {
	return append(release.Look(q.Name), "a released operator does not know such secrets: use Manual mode and profile manual (docs/migration.md)")
}

// requestOf is the request of a component among those that the explanation is about.
func (e *explainer) requestOf(c component.Name) release.Request {
	for _, q := range e.requests {
		if q.Component == c {
			return q
		}
	}
	return release.Request{}
}
