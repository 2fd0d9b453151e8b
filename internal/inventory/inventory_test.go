package inventory_test

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// R25: what is one object with its parent takes no permission of its own either, and the parent is the one to use. Only its
// type and place tell, not its name, which an administrator may have changed.
func TestComplexObjects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, name, parent string
		want               bool
	}{
		{"Folder", "vm", "Datacenter", true},
		{"Folder", "host", "Datacenter", true},
		{"Folder", "datastore", "Datacenter", true},
		{"Folder", "network", "Datacenter", true},
		{"Folder", "Machines", "Datacenter", true},
		{"ResourcePool", "Resources", "ClusterComputeResource", true},
		{"ResourcePool", "Resources", "ComputeResource", true},
		{"HostSystem", "esx1", "ComputeResource", true},

		{"HostSystem", "esx1", "ClusterComputeResource", false},
		{"ResourcePool", "openshift", "ResourcePool", false},
		{"Folder", "vm", "Folder", false},
		{"Folder", "network", "Folder", false},
		{"StoragePod", "pod", "Folder", false},
		{"Datastore", "datastore", "Folder", false},
		{"Network", "network", "Folder", false},
		{"Datacenter", "DC1", "Folder", false},
	} {
		object := func(kind, name string, parent *inventory.Object) *inventory.Object {
			return &inventory.Object{Ref: inventory.Ref{Type: kind, Value: name}, Name: name, Parent: parent}
		}
		parent := object(c.parent, "parent", object("Folder", "above", nil))
		o := object(c.kind, c.name, parent)
		if got := o.Complex(); got != c.want {
			t.Errorf("%s %s below %s: %v", c.kind, c.name, c.parent, got)
		}
		instead, why := o.Unassignable()
		if (instead == parent && why != "") != c.want {
			t.Errorf("%s %s below %s: permissions go to %v: %s", c.kind, c.name, c.parent, instead, why)
		}
	}
	root := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "group-d1"}}
	if root.Complex() {
		t.Error("the root folder is one with nothing")
	}
}

// Only the types of what is above an object tell whether it is below a datacenter, not what that is called.
func TestDatacenterOfAnObject(t *testing.T) {
	t.Parallel()
	below := func(parent *inventory.Object, kind, name string) *inventory.Object {
		return &inventory.Object{Ref: inventory.Ref{Type: kind, Value: name}, Name: name, Parent: parent}
	}
	tree := inventory.NewTree()
	root := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "group-d1"}}
	tree.SetRoot(root)
	network := below(root, "Folder", "network")
	dc := below(network, "Datacenter", "vm")
	planned := below(below(dc, "Folder", "vm"), "", "planned")
	planned.Ref = inventory.Ref{}
	for o, want := range map[*inventory.Object]string{
		root: "", network: "", dc: "", planned.Parent: "/network/vm", planned: "/network/vm", below(nil, "Folder", "unseen"): "",
	} {
		if got := o.Datacenter(); got != want {
			t.Errorf("%s: %q", o.Path(), got)
		}
	}
}
