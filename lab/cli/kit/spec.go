package kit

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// cluster names the cluster that a lab's provisioning file is for.
const cluster = "cluster1"

// specOf is a provisioning file for what a lab has: a failure domain per vCenter, on the first datacenter with a
// cluster and a datastore, reached under the address that the vCenter listens on.
func specOf(lab *vcsim.Lab) (*spec.Spec, error) {
	names := make([]string, len(lab.VCenters))
	for i, vc := range lab.VCenters {
		names[i] = vc.Server()
	}
	s, err := spec.FromServers(names)
	if err != nil {
		return nil, err
	}
	s.Cluster = cluster
	for i, vc := range lab.VCenters {
		s.VCenters[i].Address = vc.Addr()
		for _, dc := range vc.Estate().Datacenters {
			fd, ok := failureDomainOf(dc)
			if !ok {
				continue
			}
			fd.Name = vc.Server()
			fd.Region = cmp.Or(vc.TagOf(dc.Path, "openshift-region"), region(i))
			fd.Zone = cmp.Or(vc.TagOf(fd.ComputeCluster, "openshift-zone"), zone(i))
			s.VCenters[i].FailureDomains = []spec.FailureDomain{fd}
			break
		}
	}
	return s, nil
}

// TagFailureDomains gives the datacenter and the cluster of each failure domain the tags by which OpenShift's components find its region
// and its zone, as the files of the lab call them.
func TagFailureDomains(lab *vcsim.Lab) error {
	for i, vc := range lab.VCenters {
		for _, dc := range vc.Estate().Datacenters {
			if fd, ok := failureDomainOf(dc); ok {
				if err := vc.Tag(dc.Path, "openshift-region", region(i)); err != nil {
					return err
				}
				if err := vc.Tag(fd.ComputeCluster, "openshift-zone", zone(i)); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// region and zone are those of the failure domain of a vCenter, from 0.
func region(vcenter int) string { return fmt.Sprintf("region-%d", vcenter+1) }
func zone(vcenter int) string   { return fmt.Sprintf("zone-%d", vcenter+1) }

func failureDomainOf(dc vcsim.Datacenter) (spec.FailureDomain, bool) {
	if len(dc.Clusters) == 0 || len(dc.Datastores) == 0 || len(dc.Networks) == 0 {
		return spec.FailureDomain{}, false
	}
	fd := spec.FailureDomain{
		Datacenter:     dc.Path,
		ComputeCluster: dc.Clusters[0].Path,
		Datastore:      dc.Datastores[0],
		Networks:       []string{dc.Networks[0].Path},
		ResourcePool:   first(dc.Clusters[0].Pools),
		Template:       first(dc.Templates),
	}
	if path.Dir(dc.Path) == "/" {
		fd.Datacenter = strings.TrimPrefix(dc.Path, "/")
	}
	ours := slices.IndexFunc(dc.Folders, func(f string) bool { return path.Base(f) == cluster })
	if ours >= 0 {
		fd.Folder = dc.Folders[ours]
	}
	fd.Folder = cmp.Or(fd.Folder, first(dc.Folders))
	return fd, true
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
