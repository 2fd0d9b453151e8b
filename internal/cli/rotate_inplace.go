package cli

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// haveReady names, before anything is done, what is to be run at once afterwards.
func haveReady(w *work, p *plan.Plan) {
	if w.Output != term.FormatTable || !locksOut(p) {
		return
	}
	w.elsewhere(w.said)
	for _, line := range w.deliveries() {
		w.Command("run this as soon as the passwords are set:", line)
	}
}
