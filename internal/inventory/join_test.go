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
