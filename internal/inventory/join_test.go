package inventory_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// What one account sees and another does not is one tree; what nobody sees has its place there, and no reference.
func TestJoinAndAssume(t *testing.T) {
	t.Parallel()
	ref := func(kind, value string) inventory.Ref { return inventory.Ref{Type: kind, Value: value} }
	root, stores := ref("Folder", "group-d1"), ref("Folder", "group-s3")
	one, two := inventory.NewTree(), inventory.NewTree()
	ds := one.Node(ref("Datastore", "datastore-5")) // of an account that sees the datastore alone
	ds.Name, ds.Parent = "ds1", one.Node(stores)
	one.SetPath("/DC1/datastore/ds1", ds)
	vm := two.Node(ref("Folder", "group-v9")) // of one that sees the root folder, and a folder
	vm.Name, vm.Parent = "cluster1", two.Node(ref("Folder", "group-v3"))
	two.Node(root).Name = "Datacenters"
	two.SetRoot(two.Node(root))
	two.SetPath("/", two.Root)
	two.SetPath("/DC1/vm/openshift/cluster1", vm)

	tree := inventory.NewTree()
	tree.SetRoot(tree.Node(root))
	tree.Join(one)
	tree.Join(two)
	places := []inventory.Place{
		{"/", "Folder"},
		{"/DC1", "Datacenter"},
		{"/DC1/host/C1", "ClusterComputeResource"},
		{"/DC1/host/C1/Resources/openshift", "ResourcePool"},
		{"/DC1/datastore/ds1", "Datastore"},
		{"/DC1/vm/openshift/cluster1", "Folder"},
	}
	tree.Assume(places)
	var got []string
	for _, p := range places {
		o := tree.At(p.Path)
		chain := ""
		for _, above := range o.Ancestors() {
			chain += fmt.Sprintf(" < %s %s", above.Ref.Type, above.Ref.Value)
		}
		got = append(got, fmt.Sprintf("%s: %s%s", o.Path(), o.Ref, chain))
	}
	if diff := cmp.Diff([]string{
		"/: Folder:group-d1",
		"/DC1: Datacenter: < Folder group-d1",
		"/DC1/host/C1: ClusterComputeResource: < Folder  < Datacenter  < Folder group-d1",
		"/DC1/host/C1/Resources/openshift: ResourcePool: < ResourcePool  < ClusterComputeResource  < Folder  < Datacenter  < Folder group-d1",
		"/DC1/datastore/ds1: Datastore:datastore-5 < Folder group-s3 < Datacenter  < Folder group-d1",
		"/DC1/vm/openshift/cluster1: Folder:group-v9 < Folder group-v3 < Folder  < Datacenter  < Folder group-d1",
	}, got); diff != "" {
		t.Error(diff)
	}
	if dc := tree.At("/DC1"); dc != ds1(tree).Parent.Parent || dc != tree.At("/DC1/host/C1").Parent.Parent || dc.Known() || !dc.Exists() || !tree.At("/DC1/datastore/ds1").Known() {
		t.Error("the datacenter is not one object, which nobody sees")
	}
}

func ds1(tree *inventory.Tree) *inventory.Object { return tree.At("/DC1/datastore/ds1") }

// Objects below known ones become part of the tree with what they lead to; what leads elsewhere is to be read.
func TestAdopt(t *testing.T) {
	t.Parallel()
	tree := inventory.NewTree()
	object := func(kind, name string, parent *inventory.Object) *inventory.Object {
		return &inventory.Object{Ref: inventory.Ref{Type: kind, Value: name}, Name: name, Parent: parent}
	}
	add := func(kind, name string, parent *inventory.Object) *inventory.Object {
		o := tree.Node(inventory.Ref{Type: kind, Value: name})
		o.Name, o.Parent = name, parent
		return o
	}
	root := add("Folder", "root", nil)
	tree.SetRoot(root)
	vms, nets := add("Folder", "vm", root), add("Folder", "network", root)
	pool, unread := add("ResourcePool", "pool", root), tree.Node(inventory.Ref{Type: "Folder", Value: "unread"})
	in := func(o *inventory.Object, pool string) *inventory.Object {
		o.Pool = object("ResourcePool", pool, nil)
		return o
	}
	on := func(o *inventory.Object, dvs string) *inventory.Object {
		o.Switch = object("DistributedVirtualSwitch", dvs, nil)
		return o
	}
	one, other := on(object("DistributedVirtualPortgroup", "net", nets), "dvs"), object("Network", "net", nets)
	other.Ref.Value = "network-2"
	children := []*inventory.Object{
		one, other, object("DistributedVirtualSwitch", "dvs", nets), on(object("DistributedVirtualPortgroup", "far", nets), "elsewhere"),
		in(object("VirtualMachine", "node", vms), "pool"), in(object("VirtualMachine", "lost", vms), "elsewhere"),
		object("VirtualMachine", "template", vms), object("VirtualMachine", "of-a-vapp", object("VirtualApp", "vapp", nil)),
		object("Folder", "below-unread", unread), object("Folder", "", vms), object("Folder", "vm", nets),
	}
	tree.Adopt(children)
	var got []string
	for _, o := range children {
		if tree.Object(o.Ref) == o {
			got = append(got, o.Path())
		}
	}
	if diff := cmp.Diff([]string{
		"/network/net (DistributedVirtualPortgroup)", "/network/net (Network)", "/network/dvs", "/vm/node", "/vm/template",
	}, got); diff != "" {
		t.Error(diff)
	}
	if node := tree.Object(inventory.Ref{Type: "VirtualMachine", Value: "node"}); node.Pool != pool ||
		one.Switch != tree.Object(inventory.Ref{Type: "DistributedVirtualSwitch", Value: "dvs"}) || tree.Object(vms.Ref) != vms {
		t.Error("what they lead to is not the tree's")
	}
}
