package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// stillUsed refuses to take accounts away that the cluster's secrets still give to somebody, where secrets are named. goes tells
// of a user, name@domain, whether it is one of the accounts.
func (w *work) stillUsed(secrets []corev1.Secret, goes func(user string) bool) error {
	if secrets == nil {
		return nil
	}
	var said []string
	named := map[openshift.Holder]bool{}
	for _, r := range openshift.Resolve(secrets, openshift.ExplainOptions{Servers: servers(w.wanted)}) {
		text := fmt.Sprintf("%s: %s still gets %s from %s", r.Server, r.Consumer, r.User, r.From)
		if goes(r.Gets()) && !slices.Contains(said, text) {
			said = append(said, text)
			named[openshift.Holder{Secret: r.From, Server: r.Server, User: r.User}] = true
		}
	}
	// Who resolves to an account is not all who work with it: a cluster identity is read by its controller alone.
	identities := false
	for _, h := range openshift.HoldersOn(secrets, servers(w.wanted), goes) {
		if named[h] {
			continue
		}
		text := fmt.Sprintf("%s still holds %s", h.Secret, h.User)
		if h.Server != "" {
			text = h.Server + ": " + text
		}
		identities = identities || h.Server == ""
		said = append(said, text)
	}
	if len(said) == 0 {
		return nil
	}
	hints := []string{
		"nothing was removed: the cluster's secrets still contain these accounts",
		"replace them first: 'oc get secrets -A -o yaml | " + program + " secrets explain -f -' shows who gets what",
	}
	if identities {
		hints = append(hints, "'"+identityDump+" | "+program+" identity check --dump -' shows which clusters of Cluster API do")
	}
	errs := make([]error, len(said))
	for i, text := range said {
		errs[i] = errors.New(text)
	}
	return hint.Wrap(errors.Join(errs...), append(hints, "if the cluster is gone or is being removed too, omit --secrets")...)
}

// removes tells whether a user is an account of the components that a command takes away.
func (w *work) removes(user string) bool {
	for _, c := range w.wanted.ComponentNames() {
		if a := w.wanted.Account(c); user != "" && (a.Group == nil || !*a.Group) && a.MayBe(user) {
			return true
		}
	}
	return false
}

// pruned tells whether a user is an account that a plan deletes.
func pruned(p *plan.Plan) func(user string) bool {
	return func(user string) bool {
		return p.Any(func(c *plan.Change) bool {
			return c.Verb == plan.Delete && c.Kind == plan.User && strings.EqualFold(c.Name, user)
		})
	}
}
