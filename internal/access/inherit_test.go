package access

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// standing is a permission of a test.
type standing struct {
	on        *inventory.Object
	key       string // "" = u
	group     bool
	role      int
	propagate bool
}

// explain asks for u, who is in the groups g1 and g2.
func explain(all []standing, o *inventory.Object) []Evidence[standing] {
	on := func(at *inventory.Object) []standing {
		return slices.DeleteFunc(slices.Clone(all), func(s standing) bool { return s.on != at })
	}
	return Explain(Subject{Key: "u", Groups: []string{"group g1", "group g2"}}, o, on, func(s standing) Entry {
		return Entry{Key: cmp.Or(s.key, "u"), Group: s.group, Propagate: s.propagate}
	})
}

// R25: a permission that does not propagate counts on what is one object with where it stands, and no deeper.
func TestExplainComplexObjects(t *testing.T) {
	t.Parallel()
	object := func(kind, name string, parent *inventory.Object) *inventory.Object {
		return &inventory.Object{Ref: inventory.Ref{Type: kind, Value: name}, Name: name, Parent: parent}
	}
	root := object("Folder", "group-d1", nil)
	dc := object("Datacenter", "DC1", root)
	cluster := object("ClusterComputeResource", "C1", object("Folder", "host", dc))
	single := object("ComputeResource", "H1", object("Folder", "host", dc))
	datastores, networks := object("Folder", "datastore", dc), object("Folder", "network", dc)

	for _, c := range []struct {
		on, o *inventory.Object
		want  bool
	}{
		{dc, dc, true},
		{dc, object("Folder", "vm", dc), true},
		{dc, object("Folder", "host", dc), true},
		{dc, datastores, true},
		{dc, networks, true},
		{dc, object("Datastore", "ds1", datastores), false},
		{dc, object("Network", "VM Network", networks), false},
		{dc, object("StoragePod", "pod", datastores), false},
		{dc, object("Folder", "deeper", networks), false},
		{dc, cluster, false},
		{cluster, object("ResourcePool", "Resources", cluster), true},
		{cluster, object("HostSystem", "esx1", cluster), false},
		{single, object("ResourcePool", "Resources", single), true},
		{single, object("HostSystem", "H1", single), true},
		{root, dc, false},
		{root, datastores, false},
	} {
		for _, propagate := range []bool{false, true} {
			found := explain([]standing{{on: c.on, role: 7, propagate: propagate}}, c.o)
			if len(found) != 1 {
				t.Fatalf("%s, permission on %s: %+v", c.o.Ref, c.on.Ref, found)
			}
			if want := c.want || propagate; found[0].Counts != want {
				t.Errorf("%s, permission on %s, propagate %v: counts %v: %s", c.o.Ref, c.on.Ref, propagate, found[0].Counts, found[0].Why)
			}
			if !propagate && c.o != c.on && c.want != strings.Contains(found[0].Why, "which has the same permissions") {
				t.Errorf("%s, permission on %s: %s", c.o.Ref, c.on.Ref, found[0].Why)
			}
		}
	}

	// On the way of a whole walk the nearest decides, and what is one with the datacenter is as near as it.
	both := []standing{{on: root, role: 1, propagate: true}, {on: dc, role: 2}}
	counts := func(o *inventory.Object) (roles []int) {
		for _, e := range explain(both, o) {
			if e.Counts {
				roles = append(roles, e.Permission.role)
			}
		}
		return roles
	}
	if got := counts(datastores); !slices.Equal(got, []int{2}) {
		t.Errorf("on the datastore folder roles %v count", got)
	}
	if got := counts(object("Datastore", "ds1", datastores)); !slices.Equal(got, []int{1}) {
		t.Errorf("on a datastore roles %v count", got)
	}
}

// A global permission is that of an object above the root folder: what propagates reaches everything that nothing nearer decides.
func TestExplainGlobal(t *testing.T) {
	t.Parallel()
	tree := inventory.NewTree()
	root := tree.Node(inventory.Ref{Type: "Folder", Value: "group-d1"})
	tree.SetRoot(root)
	dc := &inventory.Object{Ref: inventory.Ref{Type: "Datacenter", Value: "DC1"}, Name: "DC1", Parent: root}
	hidden := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "group-v9"}, Name: "x"} // nobody sees what is above it
	global := standing{on: inventory.Global, role: 1, propagate: true}
	for name, c := range map[string]struct {
		all  []standing
		at   *inventory.Object
		want string
	}{
		"the root folder": {[]standing{global}, root, "global: inherited"},
		"below it":        {[]standing{global}, dc, "global: inherited"},
		"of a group":      {[]standing{{on: inventory.Global, key: "group g1", group: true, propagate: true}}, dc, "global: inherited"},
		"of another":      {[]standing{{on: inventory.Global, key: "group g9", group: true, propagate: true}}, dc, ""},
		"not propagating": {[]standing{{on: inventory.Global}}, root, "global: does not propagate"},
		"one nearer":      {[]standing{global, {on: root, key: "group g1", group: true, propagate: true}}, dc, "/: inherited; global: displaced by the nearer permission on /"},
		"one that stays":  {[]standing{global, {on: root}}, dc, "/: does not propagate; global: inherited"},
		"nobody knows":    {[]standing{global}, hidden, ""},
	} {
		var got []string
		for _, e := range explain(c.all, c.at) {
			got = append(got, e.At.Path()+": "+e.Said())
		}
		if said := strings.Join(got, "; "); said != c.want {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}
