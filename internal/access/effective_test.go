package access

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// beyond are the ids that are not implicit.
func beyond(ids []string) string { return strings.Join(privileges.Strip(ids), " ") }

func below(o *inventory.Object, kind, name string) *inventory.Object {
	return &inventory.Object{Ref: inventory.Ref{Type: kind, Value: name}, Name: name, Parent: o}
}

// What is needed is what was asked for on the object, else what the nearest object above asks for below it; what is granted is
// what the permissions for it bring along.
func TestNeededAndGranted(t *testing.T) {
	t.Parallel()
	d := domain(false) // no folder, no pool: the datacenter and the cluster carry
	w := Permissions(Bind(matrix(t, false), []Account{account(component.MachineAPI)}, []Domain{d}))
	w.Know(nil)
	vm := below(below(d.Folder, "Folder", "made"), "VirtualMachine", "vm1")
	vm.Pool = d.Pool
	who := account(component.MachineAPI).Subject()
	for _, c := range []struct {
		o               *inventory.Object
		needed, granted string
	}{
		{d.Datacenter.Parent, "Sessions.ValidateSession", "Sessions.ValidateSession"},
		{d.Datacenter, "", "VirtualMachine.Inventory.Create VirtualMachine.Provisioning.Clone"},
		{d.Folder, "VirtualMachine.Inventory.Create VirtualMachine.Provisioning.Clone", "VirtualMachine.Inventory.Create VirtualMachine.Provisioning.Clone"},
		{d.Cluster, "Resource.AssignVMToPool", "Resource.AssignVAppToPool Resource.AssignVMToPool"},
		{d.Pool, "Resource.AssignVAppToPool", "Resource.AssignVAppToPool Resource.AssignVMToPool"},
		{below(d.Cluster, "HostSystem", "esx1"), "Resource.AssignVMToPool", "Resource.AssignVAppToPool Resource.AssignVMToPool"},
		{d.Datastore, "Datastore.AllocateSpace", "Datastore.AllocateSpace"},
		{below(d.Datastore.Parent, "Datastore", "other"), "", "VirtualMachine.Inventory.Create VirtualMachine.Provisioning.Clone"},
		{
			vm, "Resource.AssignVMToPool VirtualMachine.Inventory.Create VirtualMachine.Provisioning.Clone",
			"Resource.AssignVAppToPool Resource.AssignVMToPool VirtualMachine.Inventory.Create VirtualMachine.Provisioning.Clone",
		},
	} {
		if got := beyond(w.Needed(who, c.o)); got != c.needed {
			t.Errorf("needed on %s: %q, want %q", c.o.Path(), got, c.needed)
		}
		if got := beyond(w.Granted(who, c.o)); got != c.granted {
			t.Errorf("granted on %s: %q, want %q", c.o.Path(), got, c.granted)
		}
	}
	if got := w.Needed(account(component.CSIDriver).Subject(), d.Datastore); got != nil {
		t.Errorf("an account without needs: %q", got)
	}
	if got := w.Objects(who); len(got) != 7 || got[0].Path() != "/" {
		t.Errorf("%d objects", len(got))
	}
}

// Of several needs on one object, what propagates alone is needed below; the permission brings the others along.
func TestNeededBelow(t *testing.T) {
	t.Parallel()
	d := domain(false, privileges.FolderExisting)
	need := func(id string, propagate bool) Need {
		return Need{Account: account(component.MachineAPI), Scope: privileges.ScopeFolder, Place: d.Folder, Propagate: propagate, Row: &privileges.Row{Privilege: id}}
	}
	w := Permissions([]Need{need("Folder.Create", false), need("Folder.Delete", true)})
	w.Know(nil)
	who, child := account(component.MachineAPI).Subject(), below(d.Folder, "Folder", "child")
	if got := beyond(w.Needed(who, d.Folder)); got != "Folder.Create Folder.Delete" {
		t.Errorf("on the folder: %q", got)
	}
	if got := beyond(w.Needed(who, child)); got != "Folder.Delete" {
		t.Errorf("needed below: %q", got)
	}
	if got := beyond(w.Granted(who, child)); got != "Folder.Create Folder.Delete" {
		t.Errorf("granted below: %q", got)
	}
	if p := w.At("machine-api", d.Folder); !slices.Equal(p.Further, []string{"Folder.Create"}) {
		t.Errorf("further than it has to: %q", p.Further)
	}
}

// What a permission displaces is not needed below it either: the network folder takes the switch's permission.
func TestNearerNeedsDisplace(t *testing.T) {
	t.Parallel()
	d := domain(false)
	folder := below(d.Networks[0].Parent, "Folder", "nets")
	d.Networks[0].Switch = below(folder, "VmwareDistributedVirtualSwitch", "dvs")
	w := Permissions(Bind(matrix(t, false), []Account{account(component.MachineAPI)}, []Domain{d}))
	who := account(component.MachineAPI).Subject()
	if got := w.Needed(who, below(folder, "DistributedVirtualPortgroup", "uplink")); beyond(got) != "" || len(got) == 0 {
		t.Errorf("below the folder that takes the switch's permission: %q", got)
	}
	w.Know(nil)
	for o, want := range map[*inventory.Object]bool{below(folder, "DistributedVirtualPortgroup", "uplink"): false, below(d.Networks[0].Parent, "Network", "plain"): true} {
		if got := beyond(w.Granted(who, o)); (got != "") != want {
			t.Errorf("granted on %s: %q", o.Path(), got)
		}
	}
}

// On one object a user's own permission beats those of its groups, which unite; the nearest object with any decides.
func TestExplainUsersAndGroups(t *testing.T) {
	t.Parallel()
	root := below(nil, "Folder", "root")
	dc := below(root, "Datacenter", "dc")
	folder := below(below(dc, "Folder", "vm"), "Folder", "f")
	own := func(on *inventory.Object, role int, propagate bool) standing {
		return standing{on: on, role: role, propagate: propagate}
	}
	group := func(on *inventory.Object, name string, role int) standing {
		return standing{on: on, key: "group " + name, group: true, role: role, propagate: true}
	}
	for name, c := range map[string]struct {
		all  []standing
		on   *inventory.Object
		want []int
	}{
		"the user's beats the groups'":                        {[]standing{group(dc, "g1", 1), own(dc, 2, true)}, dc, []int{2}},
		"groups unite":                                        {[]standing{group(dc, "g1", 1), group(dc, "g2", 2)}, dc, []int{1, 2}},
		"another's group":                                     {[]standing{group(dc, "g3", 1)}, dc, nil},
		"a group nearer beats the user above":                 {[]standing{own(root, 1, true), group(dc, "g1", 2)}, folder, []int{2}},
		"not what does not propagate":                         {[]standing{own(root, 1, true), own(dc, 2, false)}, folder, []int{1}},
		"but on the object itself it counts":                  {[]standing{own(root, 1, true), own(dc, 2, false)}, dc, []int{2}},
		"a user's that does not propagate leaves the group's": {[]standing{own(dc, 1, false), group(dc, "g1", 2)}, folder, []int{2}},
		"a user of the name of a group is somebody else":      {[]standing{{on: dc, key: "group u", group: true, role: 1, propagate: true}}, dc, nil},
	} {
		var got []int
		for _, e := range explain(c.all, c.on) {
			if e.Counts {
				got = append(got, e.Permission.role)
			} else if e.Why == "" {
				t.Errorf("%s: %+v does not count and nobody knows why", name, e.Permission)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v counts, want %v", name, got, c.want)
		}
	}
}

func TestKnowAndName(t *testing.T) {
	t.Parallel()
	m := matrix(t, true)
	adopted := account(component.CSIDriver)
	adopted.Adopted = true
	d := domain(false, privileges.FolderExisting, privileges.PoolExisting)
	roles := func(layout string, catalogue []string) (*Wanted, map[string]string) {
		w := Permissions(Bind(m, []Account{account(component.MachineAPI), adopted}, []Domain{d}))
		w.Know(catalogue)
		w.Name(Naming{Matrix: m, Prefix: "x-", Layout: layout, Cluster: "c1"})
		names := map[string]string{}
		for _, p := range w.All {
			names[p.Account.Key+" "+p.At.Path()] = p.Role
		}
		return w, names
	}
	_, all := roles("", nil)
	if all["machine-api /datacenter"] != privileges.ReadOnly {
		t.Errorf("reading: %q", all["machine-api /datacenter"])
	}
	if !strings.HasPrefix(all["csi-driver /datacenter"], "x-c1-csi-driver-read-") || !strings.HasPrefix(all["csi-driver /datacenter/datastore/ds"], "x-c1-csi-driver-datastore-") {
		t.Errorf("adopted: %q", all)
	}
	less := slices.DeleteFunc(privileges.Catalogue(), func(id string) bool { return id == "VirtualMachine.Provisioning.Clone" })
	w, some := roles("", less)
	p := w.At("machine-api", d.Folder)
	if some["machine-api /datacenter/vm/folder"] != all["machine-api /datacenter/vm/folder"] || slices.Contains(p.Holds, "VirtualMachine.Provisioning.Clone") {
		t.Errorf("a name depends on the release: %q, %v", p.Role, p.Holds)
	}
	if !slices.Contains(p.Privileges, "VirtualMachine.Provisioning.Clone") || !slices.Contains(w.Needed(p.Account.Subject(), d.Folder), "VirtualMachine.Provisioning.Clone") {
		t.Error("what a vCenter does not know is needed no longer")
	}
	if got := w.Know(less); !slices.Equal(got["VirtualMachine.Provisioning.Clone"], []component.Name{component.MachineAPI}) || len(got) != 1 {
		t.Errorf("unknown: %v", got)
	}
	w, flat := roles(privileges.LayoutComponent, nil)
	ds := w.At("machine-api", d.Datastore)
	if flat["machine-api /datacenter/datastore/ds"] != flat["machine-api /datacenter/vm/folder"] || !slices.Contains(ds.Holds, "VirtualMachine.Inventory.Create") {
		t.Errorf("one role per component: %q", flat)
	}
	if slices.Contains(w.Needed(ds.Account.Subject(), d.Datastore), "VirtualMachine.Inventory.Create") {
		t.Error("a layout adds to what is needed")
	}
}
