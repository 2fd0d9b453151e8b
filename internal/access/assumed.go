package access

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Assumed is a failure domain of the topology that options describe, in an inventory that has nothing else.
func Assumed(o privileges.RoleSetOptions) Domain {
	tree := inventory.NewTree()
	object := func(parent *inventory.Object, kind, name string) *inventory.Object {
		made := tree.Node(inventory.Ref{Type: kind, Value: name})
		made.Name, made.Parent = name, parent
		return made
	}
	root := object(nil, "Folder", "root")
	tree.SetRoot(root)
	dc := object(root, "Datacenter", "datacenter")
	vm := object(dc, "Folder", "vm")
	network := object(dc, "Folder", "network")
	d := Domain{
		Holds:      privileges.TopologyOf(o.Holds),
		Datacenter: dc,
		Cluster:    object(object(dc, "Folder", "host"), "ClusterComputeResource", "cluster"),
		Folder:     vm,
		Datastore:  object(object(dc, "Folder", "datastore"), "Datastore", "ds"),
		Networks:   []*inventory.Object{object(network, "DistributedVirtualPortgroup", "pg")},
	}
	d.Networks[0].Switch = object(network, "VmwareDistributedVirtualSwitch", "dvs")
	d.Pool = object(d.Cluster, "ResourcePool", "Resources")
	if d.Holds[privileges.PoolExisting] {
		d.Pool = object(d.Pool, "ResourcePool", "pool")
	}
	if d.Holds[privileges.FolderExisting] {
		d.Folder = object(vm, "Folder", "folder")
		if o.Template {
			d.Template = object(object(vm, "Folder", "templates"), "VirtualMachine", "template")
		}
	}
	return d
}
