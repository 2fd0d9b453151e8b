package spec

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
)

// ClusterInfrastructure is what the Infrastructure of a cluster says of it.
type ClusterInfrastructure struct {
	Name     string // status.infrastructureName, in the names of what the cluster makes
	Topology *Spec  // its vCenters, and its failure domains where these are complete
}

// InfrastructureIn is ParseInfrastructure of a dump of other objects, which may hold no Infrastructure, or one without vCenters, as
// that of a cluster elsewhere or of a release before 4.13: nil then.
func InfrastructureIn(name string, data []byte) (*ClusterInfrastructure, error) {
	named, infra := false, &ClusterInfrastructure{}
	objects.New(name).Each(data, func(from objects.Object) {
		if from.Kind == infrastructureKind {
			infra.Name = from.Object.Object("status").Text("infrastructureName").Value
			items, _ := from.Object.Object("spec").Object("platformSpec").Object("vsphere").List("vcenters")
			named = len(items) > 0
		}
	})
	if !named {
		return nil, nil //nolint:nilnil // none is no error
	}
	var err error
	if infra.Topology, err = ParseInfrastructure(name, data); err != nil {
		infra.Topology, err = ParseInfrastructureServers(name, data)
	}
	if err != nil {
		return nil, err
	}
	return infra, nil
}
