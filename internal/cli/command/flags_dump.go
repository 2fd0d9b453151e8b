package command

import (
	"context"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
)

// ClusterDump is a cluster with where it was read from: a dump, or its API server.
type ClusterDump struct {
	*cluster.Cluster
	Source string        // the file, or the URL
	Data   []byte        // all that was read
	Faults []error       // values and objects that are malformed; the rest is read all the same
	Asked  *kube.Cluster // nil = it was a file
}

// DumpedObjects is the command that prints all that [Factory.ReadCluster] looks at, and `doctor` beside that.
const DumpedObjects = "oc get secrets,credentialsrequests,clusteroperators,cloudcredentials,infrastructures -A -o yaml"

// ReadCluster reads the secrets of a cluster, what says who reads them, and more; nil where neither path nor c names one. Faults are no
// error.
func (f *Factory) ReadCluster(ctx context.Context, path string, c ClusterFlags, more ...kube.Objects) (*ClusterDump, error) {
	infrastructure := clusterObject()
	infrastructure.Maybe, infrastructure.Forbidden = true, true
	d := &ClusterDump{}
	var err error
	d.Source, d.Data, d.Asked, err = f.objectsFrom(ctx, path, c, append([]kube.Objects{AllSecrets(), OperatorMode(), infrastructure}, more...)...)
	if err != nil || d.Data == nil {
		return nil, err
	}
	if d.Cluster, d.Faults, err = cluster.Read(d.Source, d.Data); err != nil {
		return nil, err
	}
	if d.Misplaced != nil { // it may name vCenters that are in use
		d.Faults = append(d.Faults, hint.Wrap(d.Misplaced, "mend what the Infrastructure says ("+EditsInfrastructure+"): a failure domain goes before its vCenter"))
	}
	d.Whole = c.Given()
	return d, nil
}
