package diagnosis

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// In Manual mode nobody copies: a component has the account that its secret holds, whatever kube-system has for it.

// unread tells of the secrets of kube-system that are meant for a request: an error where the component works with another account.
func (w *explainer) unread(q release.Request) {
	target := w.Object(q.SecretRef)
	meant := w.Annotated(q)
	if s := w.Named(q); s != nil && !slices.Contains(meant, s) {
		meant = append(meant, s)
	}
	for _, s := range meant {
		const why = "in Manual mode nobody reads this secret: "
		if target == nil || w.alike(target, s) {
			w.add(finding.SecretShadowed, s, why+"%s works with what %s holds", cluster.Consumer(q), q.SecretRef)
			continue
		}
		changed, about, _ := w.changes(q, s)
		f := w.add(finding.SecretUnseen, s, why+"%s works with what %s holds, %s", cluster.Consumer(q), q.SecretRef, strings.Join(changed, "; "))
		f.Remedies, f.Accounts = w.emit(q.Component), about
	}
}

// borrows tells that a component whose secret was written by hand works with an account that is there for all, or for several, although
// others have one of their own.
func (w *explainer) borrows(q release.Request) {
	target := w.Object(q.SecretRef)
	if target == nil {
		return
	}
	var users []string
	var about []finding.Account
	for _, server := range w.servers {
		user := w.user(target, server)
		if user == "" || !w.isCommon(q, server) || !slices.ContainsFunc(w.requests, func(other release.Request) bool {
			return isOwn(other) && w.user(w.Object(other.SecretRef), server) != "" && !w.isCommon(other, server)
		}) {
			continue
		}
		users = append(users, server+": "+user)
		about = append(about, finding.Account{Server: server, Component: q.Component, Principal: user})
	}
	if len(users) == 0 {
		return
	}
	f := finding.New(finding.SecretFallback, q.SecretRef.String(), "%s works with an account that is not its own, while others have theirs: %s",
		q.Component, strings.Join(users, "; "))
	f.Accounts, f.Remedies = about, w.emit(q.Component)
	w.meantFallback(f, q)
}

// isCommon reports whether the account in the secret of a component is there for others as well: the administrator of SSO, the account
// of the root secret, which of the components is made for machine-api alone, or one that a second component reads too.
func (w *explainer) isCommon(q release.Request, server string) bool {
	user := w.user(w.Object(q.SecretRef), server)
	switch {
	case isBuiltIn(user):
		return true
	case w.owner(server, user) == q.Component:
		return false
	case cluster.Spelling(user) == cluster.Spelling(w.user(w.Root(), server)) && q.Component != component.MachineAPI:
		return true
	}
	return slices.ContainsFunc(w.requests, func(other release.Request) bool {
		return isOwn(other) && other.Ref != q.Ref && cluster.Spelling(w.user(w.Object(other.SecretRef), server)) == cluster.Spelling(user)
	})
}

// isBuiltIn reports whether a user is the administrator that each SSO domain is made with, and so no component's own account.
func isBuiltIn(user string) bool {
	name, _, _ := strings.Cut(cluster.Spelling(user), "@")
	return name == "administrator"
}
