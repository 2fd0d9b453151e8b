package job

import (
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

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
	root := c.Used.Cluster == nil
	for _, r := range c.Replaced() {
		components = append(components, r.Component)
		root = root || slices.Contains(c.Used.Cluster.Holders(r.Server, r.Stays.User), component.RootSecret())
	}
	profile, _ := openshift.FindProfile(w.Wanted.Profile)
	for _, r := range profile.Readers(components) {
		if r.Account.Restart && (root || !r.Root()) {
			w.Infof("%s %s; to switch it to the account in use: %s", r.Name, r.Account.Does, r.Restart)
		}
	}
	w.Infof("while the accounts are disabled you can stop with Ctrl-C and go back with rotate undo")
}
