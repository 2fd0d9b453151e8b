package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// A component that works with an account that is not its own gets no error from anybody: openshift/enhancements#1931 falls back to
// the root secret in silence, and whatever a secret holds is a valid login. Here it is a finding.
//
// Premise: accounts are apart only where somebody set them apart. A cluster with one account, in the root secret and copied from
// there, is as it is on purpose; so is one in Manual mode where all components have the same.

// isOwn reports whether a request is of a component that has a secret of its own in kube-system by the enhancement.
func isOwn(q release.Request) bool {
	known, ok := release.ConsumerNamed(q.Name)
	return ok && known.Secret != ""
}

// ownSecret is where the enhancement has the secret of a request of its own.
func (w *explainer) ownSecret(q release.Request) component.Ref {
	known, _ := release.ConsumerNamed(q.Name)
	return component.At(root.Namespace, known.Secret)
}

// apart reports whether the enhancement's operator finds a secret in kube-system for some component alone.
func (w *explainer) apart() bool {
	return slices.ContainsFunc(w.requests, func(q release.Request) bool {
		c := w.Enhancement(q)
		return isOwn(q) && (c.Step == cluster.StepAnnotation || c.Step == cluster.StepName)
	})
}

// isOperated reports whether cloud-credential-operator copies to the components, as far as anybody says so: the cluster's mode, its
// mark on what it copied, or what was not done by hand. In Manual mode no component but machine-api has the root secret's account.
func (w *explainer) isOperated() bool {
	if w.Manual != nil {
		return w.Copies()
	}
	by, alike := true, false
	for _, q := range w.requests {
		target := w.Object(q.SecretRef)
		if !isOwn(q) || target == nil {
			continue
		}
		if target.Annotations[openshift.RequestKey] == q.String() {
			return true
		}
		like := w.Root() != nil && w.alike(target, w.Root())
		by = by && like
		alike = alike || like && q.Component != component.MachineAPI
	}
	return by || alike || w.apart()
}

// alike reports whether two secrets have the same accounts for the vCenters of the cluster.
func (w *explainer) alike(a, b *cluster.Object) bool {
	return !slices.ContainsFunc(w.servers, func(server string) bool {
		return !a.Held(server).Same(b.Held(server))
	})
}

// owner is the component whose account a user is on a vCenter: by its name, by the one secret in kube-system that is named for a
// component and has it, or, where all components read accounts of their own, by who reads it. "" where it is not known.
func (w *explainer) owner(server, user string) component.Name {
	if c := component.OfUser(user); c != "" || isBuiltIn(user) {
		return c
	}
	if c, several := w.holder(server, user, w.Named); c != "" || several {
		return c
	}
	seen := map[string]bool{"": true} // one that is not in the dump may read the same
	for _, q := range w.requests {
		now := cluster.Spelling(w.user(w.Object(q.SecretRef), server))
		if isOwn(q) && seen[now] {
			return ""
		}
		seen[now] = seen[now] || isOwn(q)
	}
	c, _ := w.holder(server, user, func(q release.Request) *cluster.Object { return w.Object(q.SecretRef) })
	if c != component.MachineAPI && cluster.Spelling(user) == cluster.Spelling(w.user(w.Root(), server)) {
		return "" // it fell back already: of the components the root secret is made for machine-api alone
	}
	return c
}

// holder is the one component for which a secret has a user; several tells that it is not one alone.
func (w *explainer) holder(server, user string, of func(release.Request) *cluster.Object) (c component.Name, several bool) {
	for _, q := range w.requests {
		if !isOwn(q) || cluster.Spelling(w.user(of(q), server)) != cluster.Spelling(user) {
			continue
		}
		if c != "" {
			return "", true
		}
		c = q.Component
	}
	return c, false
}

// stranger is an account that a component gets and that is another's.
type stranger struct {
	from   *cluster.Object
	step   string // by which it gets it
	q      release.Request
	owner  component.Name
	server string
	user   string
}

// strangers are the accounts of others that a request gets: what the operator copies, and what its secret holds now.
func (w *explainer) strangers(q release.Request) []stranger {
	var all []stranger
	take := func(server string, from *cluster.Object, step string) {
		user := w.user(from, server)
		if user == "" {
			return
		}
		if !w.fits(q, w.owner(server, user)) {
			all = append(all, stranger{from, step, q, w.owner(server, user), server, user})
		}
	}
	for _, server := range w.servers {
		var chosen cluster.Choice
		if w.operated {
			chosen = w.Enhancement(q)
			take(server, chosen.From, chosen.Step)
		}
		if now := w.Object(q.SecretRef); cluster.Spelling(w.user(now, server)) != cluster.Spelling(w.user(chosen.From, server)) {
			take(server, now, cluster.StepTarget)
		}
	}
	return all
}

// fits reports whether an account of an owner is no other component's than that of a request. Who has no account by the enhancement
// works with that of machine-api.
func (w *explainer) fits(q release.Request, owner component.Name) bool {
	return owner == "" || owner == q.Component || owner == component.Installer || owner == component.MachineAPI && !isOwn(q)
}

// findOwn tells of components that work with an account that is not their own: first those with another's, by secret, then those
// with the one that is there for all.
func (w *explainer) findOwn() {
	var all []stranger
	for _, q := range w.requests {
		if isOwn(q) || w.Object(q.SecretRef) != nil {
			all = append(all, w.strangers(q)...)
		}
	}
	told := map[component.Name]bool{}
	for _, s := range w.relevant {
		var of []stranger
		for _, x := range all {
			if x.from == s && !(x.step == cluster.StepRoot && w.mayFallBack(x.q.Component)) {
				of = append(of, x)
			}
		}
		if len(of) > 0 {
			w.sayStrangers(s, of)
		}
		for _, x := range of {
			told[x.q.Component] = true
		}
	}
	for _, q := range w.requests {
		switch {
		case !isOwn(q) || told[q.Component] || w.mayFallBack(q.Component):
		case w.operated:
			w.fallsBack(q)
		default:
			w.borrows(q)
		}
	}
	w.rootOfAnother()
}

func (w *explainer) mayFallBack(c component.Name) bool { return slices.Contains(w.allowed, c) }

// sayStrangers tells which accounts of others a secret gives to whom.
func (w *explainer) sayStrangers(s *cluster.Object, of []stranger) {
	var gives []string
	var components []component.Name
	steps := map[string]bool{}
	for _, x := range of {
		one := fmt.Sprintf("%s gets %s's account, %s", cluster.Consumer(x.q), x.owner, x.user)
		if !slices.Contains(gives, one) {
			gives = append(gives, one)
		}
		for _, c := range []component.Name{x.q.Component, x.owner} {
			own := c == x.q.Component || w.Named(w.requestOf(c)) == s
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
		f.Accounts = append(f.Accounts, finding.Account{Server: x.server, Component: x.q.Component, Principal: x.user})
	}
	if f.Remedies = w.emit(components...); len(f.Remedies) == 0 {
		f.Remedies = w.emitExtra(s)
	}
	if only := of[0].q; w.operated && steps[cluster.StepTarget] && len(steps) == 1 && w.Enhancement(only).Step == cluster.StepName {
		f.Text += ": cloud-credential-operator has not copied " + w.Enhancement(only).Secret
		f.Remedies = lookForRelease(only)
	}
	switch {
	case steps[cluster.StepAnnotation] && !w.isNamed(s):
		f.Remedies = append(f.Remedies, oc("annotate", s, openshift.RequestKey+"-"))
	case steps[cluster.StepRoot] && !w.apart(): // else those with a secret of their own keep their accounts
		f.Remedies = append(f.Remedies, "if one account is meant for all, the main one of the credentials file: "+w.emitShared())
	}
	w.findings = append(w.findings, f)
}

// fallsBack tells that a component works with the account for all although it, or others, have one of their own.
func (w *explainer) fallsBack(q release.Request) {
	chosen, target := w.Enhancement(q), w.Object(q.SecretRef)
	if !w.apart() || w.Root() == nil || w.unseen[q.Ref] {
		return
	}
	var f *finding.Finding
	switch {
	case chosen.Step == cluster.StepRoot:
		f = finding.New(finding.SecretFallback, w.ownSecret(q).String(), "is missing: %s falls back to %s, and nothing gives an error", q.Component, root)
		f.Remedies = w.emit(q.Component)
	case target == nil || chosen.From == nil || !w.alike(target, w.Root()) || w.alike(chosen.From, w.Root()):
		return
	default:
		f = finding.New(finding.SecretFallback, q.SecretRef.String(),
			"%s still has the account of %s, not that of %s: an operator without the enhancement copies it, and nothing gives an error", q.Component, root, chosen.Secret)
		f.Remedies = lookForRelease(q)
	}
	for _, server := range w.servers {
		f.Accounts = append(f.Accounts, finding.Account{Server: server, Component: q.Component, Principal: w.user(w.Root(), server)})
	}
	w.meantFallback(f, q)
}

// meantFallback adds a finding that may be meant.
func (w *explainer) meantFallback(f *finding.Finding, q release.Request) {
	f.Remedies = append(f.Remedies, "if it is meant: add --allow-fallback "+string(q.Component))
	w.findings = append(w.findings, f)
}

// lookForRelease says what to do where the operator does not copy the secret that the enhancement has for a request.
func lookForRelease(q release.Request) []string {
	return append(release.Look(q.Name), "a released operator does not know such secrets: use Manual mode and profile manual (docs/migration.md)")
}

// requestOf is the request of a component among those that the explanation is about.
func (w *explainer) requestOf(c component.Name) release.Request {
	for _, q := range w.requests {
		if q.Component == c {
			return q
		}
	}
	return release.Request{}
}

// isNamed reports whether a secret has the name that the enhancement gives some component's.
func (w *explainer) isNamed(s *cluster.Object) bool {
	return slices.ContainsFunc(w.requests, func(q release.Request) bool { return w.Named(q) == s })
}
