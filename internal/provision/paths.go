package provision

import (
	"maps"
	"path"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// paths are the inventory paths that a vCenter's failure domains name, each once, the root first.
func (j *Job) paths(v spec.VCenter) []string {
	all := []string{"/"}
	add := func(p string) {
		if p != "" && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	for _, fd := range v.FailureDomains {
		add(fd.DatacenterPath())
		add(fd.ComputeCluster)
		add(poolPath(fd))
		add(fd.Datastore)
		for _, n := range fd.Networks {
			add(n)
		}
		add(fd.Template)
		for _, p := range j.folderPaths(fd) {
			add(p)
		}
	}
	return all
}

// poolPath is where the VMs' resource pool is: the given one, else the cluster's own.
func poolPath(fd spec.FailureDomain) string {
	if fd.ResourcePool != "" {
		return fd.ResourcePool
	}
	return path.Join(fd.ComputeCluster, "Resources")
}

// folderPath is the VM folder: the given one, or, where folders are to be made, one named after the cluster. "" when
// the installer makes it.
func (j *Job) folderPath(fd spec.FailureDomain) string {
	if fd.Folder == "" && j.o.CreateFolders {
		return path.Join(fd.DatacenterPath(), "vm", j.o.Spec.Cluster)
	}
	return fd.Folder
}

// folderPaths is the VM folder and, where missing ones are to be made, the folders above it.
func (j *Job) folderPaths(fd spec.FailureDomain) []string {
	p := j.folderPath(fd)
	if p == "" {
		return nil
	}
	all := []string{p}
	if j.o.CreateFolders {
		for top := path.Join(fd.DatacenterPath(), "vm"); p != top && len(p) > len(top); p = path.Dir(p) {
			all = append(all, path.Dir(p))
		}
	}
	return all
}

// holds are the conditions of a failure domain, with those that the specification chose. A folder that we make exists
// by the time it is used.
func (j *Job) holds(fd spec.FailureDomain) map[privileges.Condition]bool {
	fd.Folder = j.folderPath(fd)
	holds := j.o.Spec.Selected()
	maps.Copy(holds, fd.Holds())
	return holds
}
