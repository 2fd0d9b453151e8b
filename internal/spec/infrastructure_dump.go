package spec

import (
	"cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
)

// ClusterInfrastructure is what the Infrastructure of a cluster says of it.
type ClusterInfrastructure struct {
	Name     string // status.infrastructureName, in the names of what the cluster makes
	API      string // status.apiServerURL, with the whole name of the cluster
	Platform string // VSphere, or another; "" = it does not say
	Topology *Spec  // nil if it has no vCenters
}

// InfrastructureIn is ParseInfrastructure of a dump; nil if it has none. The error is of vCenters.
func InfrastructureIn(name string, data []byte) (*ClusterInfrastructure, error) {
	var infra *ClusterInfrastructure
	named := false
	objects.New(name).Each(data, func(from objects.Object) {
		if from.Kind == infrastructureKind {
			status, platform := from.Object.Object("status"), from.Object.Object("spec").Object("platformSpec")
			infra = &ClusterInfrastructure{Name: status.Text("infrastructureName").Value, API: status.Text("apiServerURL").Value, Platform: cmp.Or(
				status.Object("platformStatus").Text("type").Value, status.Text("platform").Value,
				platform.Text("type").Value,
			)}
			items, _ := platform.Object("vsphere").List("vcenters")
			named = len(items) > 0
		}
	})
	if !named {
		return infra, nil
	}
	var err error
	if infra.Topology, err = ParseInfrastructure(name, data); err != nil {
		infra.Topology, err = ParseInfrastructureServers(name, data)
	}
	return infra, err
}
