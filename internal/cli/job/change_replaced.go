package job

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
)

// switched is the error of secrets with which a cluster may still work with accounts that go.
func (w *Run) switched(dump []corev1.Secret, replaced []provision.Replacement) error {
	var errs []error
	copied := false
	dump = w.secretsHere(dump)
	profile, _ := openshift.FindProfile(w.Wanted.Profile)
	for _, r := range replaced {
		for _, err := range openshift.Switched(dump, r.Server, r.From, r.Stays, r.Component != component.Installer || profile.Shared()) {
			if !slices.ContainsFunc(errs, func(said error) bool { return said.Error() == err.Error() }) { // one without a vCenter
				errs = append(errs, err)
			}
		}
		copied = copied || slices.ContainsFunc(openshift.HoldersOf(dump, r.Server, r.From), openshift.Copied)
	}
	err := errors.Join(errs...)
	if err == nil {
		return nil
	}
	hints := []string{"apply the secrets: " + w.renews(w.Wanted.ComponentNames(), w.Invocation, w.Tested(w.Invocation)...)}
	if copied {
		i := slices.IndexFunc(openshift.Readers(), func(r openshift.Reader) bool { return r.Hold == openshift.HoldsCopy })
		r := openshift.Readers()[i]
		hints = append(hints, fmt.Sprintf("%s %s; once %s has the new account, this makes it copy again: %s", r.Name, r.Account.Does, r.Secret, r.Restart))
	}
	return hint.Wrap(err, append(hints, "'oc get secrets -A -o yaml' prints all secrets of a cluster")...)
}

// unswitched is the error where nobody says whether the cluster works with the accounts that stay.
func (w *Run) unswitched(c Change) error {
	need, prove, hints := "the cluster must use", "it", hintsOf("apply them", w.Deliveries(w.Tested(w.Invocation)...))
	if len(hints) == 0 {
		need, prove, hints = "whoever installs must have", "that no secret of the cluster holds the old ones", []string{"hand them over: " + w.exports(w.Invocation)}
	}
	return hint.Wrap(errors.New(need+" the accounts of the credentials file before the old ones are removed"), append(hints, w.proofs(c, prove)...)...)
}

// switching says what has to be restarted so that it works with the accounts that stay.
func (w *Run) switching(c Change) {
	var components []component.Name
	root := c.Used.Secrets == nil
	for _, r := range c.Replaced() {
		components = append(components, r.Component)
		root = root || slices.Contains(openshift.HoldersOf(c.Used.Secrets, r.Server, r.Stays.User), component.RootSecret())
	}
	profile, _ := openshift.FindProfile(w.Wanted.Profile)
	for _, r := range profile.Readers(components) {
		if r.Account.Restart && (root || !r.Root()) {
			w.Infof("%s %s; to switch it to the account in use: %s", r.Name, r.Account.Does, r.Restart)
		}
	}
	w.Infof("while the accounts are disabled you can stop with Ctrl-C and go back with rotate undo")
}
