package snapshot

import (
	"path"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Paths are the inventory paths that a vCenter's failure domains name, each once, the root first.
func (q *Request) Paths(v spec.VCenter) []string {
	all := []string{"/"}
	for _, p := range q.Places(v) {
		all = lists.AppendNew(all, p.Path)
	}
	for _, fd := range v.FailureDomains {
		all = lists.AppendNew(all, q.folderPaths(fd)...)
	}
	return all
}

// Places are the paths of a vCenter's failure domains at which there has to be an object, with its type.
func (q *Request) Places(v spec.VCenter) []inventory.Place {
	var all []inventory.Place
	add := func(p string, types []string) {
		if p != "" {
			all = lists.AppendNew(all, inventory.Place{Path: p, Type: types[0]})
		}
	}
	for _, fd := range v.FailureDomains {
		add(fd.DatacenterPath(), datacenters)
		add(fd.ComputeCluster, clusters)
		add(poolPath(fd), pools)
		add(OwnVMFolder(fd), folders)
		add(fd.Datastore, datastores)
		for _, n := range fd.Networks {
			add(n, networks)
		}
		add(fd.Template, machines)
		add(fd.Folder, folders)
		if fd.Folder == "" && q.CreateFolders {
			add(q.ownFolder(fd), folders)
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

// FolderPath is the VM folder: the given one, or, where folders are to be made or --create-folders made it before, one
// named after the cluster. "" when the installer makes it.
func (s *Snapshot) FolderPath(fd spec.FailureDomain) string {
	if fd.Folder != "" {
		return fd.Folder
	}
	if p := s.Request.ownFolder(fd); s.Request.CreateFolders || s.carriesOurs(p) {
		return p
	}
	return ""
}

// ownFolder is the folder that --create-folders makes.
func (q *Request) ownFolder(fd spec.FailureDomain) string {
	return path.Join(OwnVMFolder(fd), q.Spec.Cluster)
}

// carriesOurs reports whether an object exists and one of our accounts has a permission on it, or an adopted one a role of
// ours: then an earlier run chose it, and a run without its flag must not move the grants to the whole datacenter.
func (s *Snapshot) carriesOurs(p string) bool {
	o := s.Inventory.At(p)
	if o == nil {
		return false
	}
	return slices.ContainsFunc(s.Perms.On(o.Ref), func(p perms.Permission) bool {
		return slices.ContainsFunc(s.Owned(), func(name string) bool { return s.UserKey(name) == p.Key }) ||
			s.Facts[p.RoleID].Kind != ForeignRole &&
				slices.ContainsFunc(s.Adoptees(), func(g access.Principal) bool { return s.Holds(g, p) })
	})
}

// folderPaths are the folders to look up: the given one or ours and, where missing ones are to be made, those above.
func (q *Request) folderPaths(fd spec.FailureDomain) []string {
	p := fd.Folder
	if p == "" {
		p = q.ownFolder(fd)
	}
	all := []string{p}
	if q.CreateFolders {
		for top := OwnVMFolder(fd); p != top && len(p) > len(top); p = path.Dir(p) {
			all = append(all, path.Dir(p))
		}
	}
	return all
}
