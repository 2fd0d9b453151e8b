package provision

import (
	"path"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// paths are the inventory paths that a vCenter's failure domains name, each once, the root first.
func (q *request) paths(v spec.VCenter) []string {
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
		add(ownVMFolder(fd))
		add(fd.Datastore)
		for _, n := range fd.Networks {
			add(n)
		}
		add(fd.Template)
		for _, p := range q.folderPaths(fd) {
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

// folderPath is the VM folder: the given one, or, where folders are to be made or --create-folders made it before, one
// named after the cluster. "" when the installer makes it.
func (s *snapshot) folderPath(fd spec.FailureDomain) string {
	if fd.Folder != "" {
		return fd.Folder
	}
	if p := s.request.ownFolder(fd); s.request.CreateFolders || s.carriesOurs(p) {
		return p
	}
	return ""
}

// ownFolder is the folder that --create-folders makes.
func (q *request) ownFolder(fd spec.FailureDomain) string {
	return path.Join(ownVMFolder(fd), q.Spec.Cluster)
}

// carriesOurs reports whether an object exists and one of our accounts has a permission on it, or an adopted one a role of
// ours: then an earlier run chose it, and a run without its flag must not move the grants to the whole datacenter.
func (s *snapshot) carriesOurs(p string) bool {
	o := s.inventory.At(p)
	if o == nil {
		return false
	}
	for _, account := range s.owned() {
		for _, permission := range s.perms.Held(s.userKey(account)) {
			if permission.Entity == o.Ref {
				return true
			}
		}
	}
	for _, g := range s.adoptees() {
		for _, permission := range s.permissionsOf(g) {
			if permission.Entity == o.Ref && s.facts[permission.RoleID].kind != foreignRole {
				return true
			}
		}
	}
	return false
}

// folderPaths are the folders to look up: the given one or ours and, where missing ones are to be made, those above.
func (q *request) folderPaths(fd spec.FailureDomain) []string {
	p := fd.Folder
	if p == "" {
		p = q.ownFolder(fd)
	}
	all := []string{p}
	if q.CreateFolders {
		for top := ownVMFolder(fd); p != top && len(p) > len(top); p = path.Dir(p) {
			all = append(all, path.Dir(p))
		}
	}
	return all
}
