package secrets

import (
	"context"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// upgradeable says how a cluster in Manual mode is told that it may upgrade: the command itself where the cluster says which release it
// has completed, and a later one is recorded as reconciled; else what prints it.
func (o *EmitOptions) upgradeable(ctx context.Context, e *emission) {
	o.Infof("in Manual mode an upgrade to a new minor release waits until its secrets exist and you confirm it")
	status := "reconcile status"
	if !o.Against.Cluster.Given() {
		o.Infof("which release the cluster has completed is not known here; this prints the command, with the version:")
		o.Next("oc get clusterversion version -o yaml | " + o.CommandLine(status, o.Source.OfFile(o.Said), "--cluster-version", "-"))
		return
	}
	line, err := "", error(nil)
	cv, err := o.ClusterVersion(ctx, "", o.Against.Cluster)
	if err == nil {
		var recorded []release.Ref
		if e.asked != nil {
			recorded = e.asked.ReconciledUpdates
		}
		if ready := cv.Ready(recorded); ready != "" || cv.Version == "" {
			line, err = cv.UpgradeableTo(ready)
		}
	}
	switch {
	case err != nil:
		o.Infof("which release the cluster has completed is not known (%v); this prints the command, with the version:", err)
	case line == "":
		o.Infof("no new minor release after %s, which the cluster has completed, is recorded as reconciled; this says which ones are available:", cv.Version)
	default:
		o.Infof("once these secrets are applied, for the newest release that is recorded as reconciled:")
		o.Next(line)
		return
	}
	o.Next(o.CommandLine(status, o.Source.OfFile(o.Said), o.Against.Cluster.Words()...))
}
