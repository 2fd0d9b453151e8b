package cli

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// haveReady names, before anything is done, what is to be run at once afterwards.
func (w *work) haveReady(p *plan.Plan) {
	if w.Output != term.FormatTable || !locksOut(p) {
		return
	}
	w.elsewhere(w.said)
	for _, line := range w.deliveries() {
		w.Command("run this as soon as the passwords are set:", line)
	}
}

// locksOut reports whether a plan gives an account a new password that somebody may log in with.
func locksOut(p *plan.Plan) bool {
	return p.Any(func(c *plan.Change) bool {
		after, ok := c.After.(plan.UserState)
		return ok && after.NewPassword && !after.Disabled
	})
}

// letGo names the workloads that go on with an old password although their secrets are new, with what makes them let go.
func (w *work) letGo() {
	profile, _ := openshift.FindProfile(w.wanted.Profile)
	for _, r := range profile.Readers(w.wanted.ComponentNames()) {
		switch {
		case !r.Password.Restart:
		case !profile.Shared() && (r.Root() || r.Component.OptIn()): // nobody knows whether this secret holds it, and a restart before it is new locks the account
			w.Infof("then, once %s holds the new password of %s: %s", r.Secret, profile.AccountOf(r.Component), r.Restart)
		default:
			w.Command("then:", r.Restart)
		}
	}
}
