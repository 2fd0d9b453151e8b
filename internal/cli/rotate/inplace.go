package rotate

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// haveReady names, before anything is done, what is to be run at once afterwards.
func haveReady(w *job.Run, p *plan.Plan) {
	if w.Output != term.FormatTable || !job.LocksOut(p) {
		return
	}
	w.PrintElsewhere(p, w.Invocation, w.Tested(w.Invocation)...)
	for _, line := range w.Deliveries(w.Tested(w.Invocation)...) {
		w.Command("run this as soon as the passwords are set:", line)
	}
}
