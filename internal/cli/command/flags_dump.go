package command

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// ClusterDump is what a dump of a cluster, or the cluster itself, says of its secrets and of who reads them.
type ClusterDump struct {
	Name    string
	Data    []byte
	Secrets []corev1.Secret
	Faults  []error                  // values and objects that are malformed; the rest is read all the same
	How     openshift.ExplainOptions // as far as it says: the mode, the vCenters

	Topology *spec.Spec // its vCenters and failure domains; nil = it does not show them

	from *kube.Cluster // of [SecretsFlags.ReadCluster]: the cluster that was asked; nil = it was a file
}

// Asked is the cluster that the dump was read from; nil = it was a file.
func (d *ClusterDump) Asked() *kube.Cluster { return d.from }

// DumpedObjects is the command that prints all that [Factory.ReadCluster] looks at, and `doctor` beside that.
const DumpedObjects = "oc get secrets,credentialsrequests,clusteroperators,cloudcredentials,infrastructures -A -o yaml"

// secretsAndReaders are the secrets and, where this user may read it, what says who reads them.
func secretsAndReaders() []kube.Objects {
	infrastructure := clusterObject()
	infrastructure.Maybe, infrastructure.Forbidden = true, true
	return []kube.Objects{AllSecrets(), OperatorMode(), infrastructure}
}

// ReadCluster reads the secrets of a cluster, what says who reads them, and more; allowed are the words of --allow-fallback.
func (f *Factory) ReadCluster(ctx context.Context, path string, c ClusterFlags, allowed []string, more ...kube.Objects) (*ClusterDump, error) {
	var err error
	d := &ClusterDump{}
	if d.Name, d.Data, err = f.Objects(ctx, path, c, append(secretsAndReaders(), more...)...); err != nil {
		return nil, err
	}
	if d.Secrets, d.Faults, err = objects.ReadSecrets(d.Name, d.Data); err != nil {
		return nil, err
	}
	for _, word := range allowed {
		d.How.AllowFallback = append(d.How.AllowFallback, component.Name(word))
	}
	d.How.Whole = c.Given()
	if err := d.look(); err != nil {
		d.Faults = append(d.Faults, err)
	}
	return d, nil
}

// look reads what a dump shows beside the secrets. The error says what is wrong with its Infrastructure.
func (d *ClusterDump) look() error {
	if op, err := release.ParseOperator(d.Name, d.Data); err == nil { // else a fault says what is malformed
		d.How.Manual = op.Manual()
	}
	infra, err := spec.InfrastructureIn(d.Name, d.Data)
	if err == nil && infra != nil {
		d.Topology, d.How.Infrastructure, d.How.InfrastructureName = infra.Topology, Servers(infra.Topology), infra.Name
	}
	return err
}
