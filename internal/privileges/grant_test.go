package privileges

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// held is what a component holds, as "scope propagate id".
func held(m *Matrix, c component.Name, on ...Condition) map[string]bool {
	holds := map[Condition]bool{}
	for _, o := range on {
		holds[o] = true
	}
	out := map[string]bool{}
	for _, g := range m.Grants(c, holds) {
		for _, id := range g.Privileges {
			out[fmt.Sprintf("%s %t %s", g.Scope, g.Propagate, id)] = true
		}
	}
	return out
}

func TestConditionsDecide(t *testing.T) {
	topology := []Condition{FolderExisting, PoolRoot}
	for _, tt := range []struct {
		component component.Name
		row       string
		on        []Condition
		want      bool
	}{
		{component.CSIDriver, "cluster true Host.Config.Storage", []Condition{PoolRoot}, true},
		{component.CSIDriver, "cluster true Host.Config.Storage", []Condition{PoolExisting}, false},
		{component.CSIDriver, "cluster true Host.Config.Storage", []Condition{PoolExisting, VSANFile}, true},
		{component.CSIDriver, "resource-pool true Host.Config.Storage", []Condition{PoolExisting}, true},
		{component.CSIDriver, "vcenter false StorageProfile.Update", nil, true}, // managed-storageclass is on
		{component.CSIDriver, "vcenter false Cns.Searchable", nil, true},
		{component.CSIDriver, "datacenter false System.Read", []Condition{FolderExisting}, true},
		{component.CSIDriver, "datacenter false System.Read", []Condition{FolderCreated}, false},
		{component.MachineAPI, "vcenter false StorageProfile.View", topology, false},
		{component.MachineAPI, "vcenter false StorageProfile.View", []Condition{StoragePolicy}, true},
		{component.MachineAPI, "vcenter false StorageProfile.View", []Condition{DocumentedOnly}, true},
		{component.MachineAPI, "cluster true Host.Inventory.EditCluster", topology, false},
		{component.MachineAPI, "cluster true Host.Inventory.EditCluster", []Condition{HostGroup}, true},
		{component.MachineAPI, "folder true VApp.Import", topology, false},
		{component.MachineAPI, "folder true VApp.Import", []Condition{OVAImport}, true},
		{component.MachineAPI, "folder true VirtualMachine.Config.UpgradeVirtualHardware", []Condition{HardwareUpgrade}, true},
		{component.MachineAPI, "datacenter true Folder.Create", []Condition{FolderCreated}, false}, // the installer's alone
		{component.MachineAPI, "folder true VirtualMachine.Provisioning.Clone", []Condition{FolderCreated}, true},
		{component.MachineAPI, "vcenter false Cns.Searchable", []Condition{DocumentedOnly}, false},
		{component.Installer, "datacenter true Folder.Create", []Condition{FolderCreated}, true},
		{component.Installer, "datacenter true Folder.Create", []Condition{FolderExisting}, false},
		{component.Installer, "cluster true VApp.Import", []Condition{PoolExisting}, false},
		{component.Installer, "cluster true System.Read", []Condition{PoolExisting}, true},
		{component.Installer, "resource-pool true VApp.Import", []Condition{PoolRoot}, true}, // kept: the caller puts it on the cluster
		{component.CloudController, "folder true VirtualMachine.Config.Query", nil, false},   // no vCenter has it
		{component.CloudController, "folder true System.Read", nil, true},
		{component.Diagnostics, "datacenter true System.Read", nil, true},
		{component.Diagnostics, "datastore false Datastore.Browse", nil, true},
	} {
		if got := held(load(t, "default"), tt.component, tt.on...)[tt.row]; got != tt.want {
			t.Errorf("%s %v: %s held %t, want %t", tt.component, tt.on, tt.row, got, tt.want)
		}
	}
}

func TestManagedStorageClassCanBeSwitchedOff(t *testing.T) {
	m := load(t, "default")
	for name, want := range map[string]bool{"": true, "no-managed-storageclass": false, "managed-storageclass": true} {
		holds, err := ParseConditions(strings.Fields(name))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, g := range m.Grants(component.CSIDriver, holds) {
			ids = append(ids, g.Privileges...)
		}
		if got := slices.Contains(ids, "StorageProfile.Update"); got != want {
			t.Errorf("%q: StorageProfile.Update held %t", name, got)
		}
	}
}

// When the installer creates the folder, its datacenter rows stand in for its folder rows, and nothing is lost but what
// the notes of the matrix say, which the cluster gives.
func TestFolderCreatedLosesNothing(t *testing.T) {
	for _, name := range []string{"default", "installer", "documented"} {
		m := load(t, name)
		for _, c := range m.Components() {
			created := held(m, c, FolderCreated, PoolRoot)
			for _, r := range m.Rows {
				if r.Component != c || r.Scope != ScopeFolder || !slices.Equal(r.Conditions, []Condition{FolderExisting}) {
					continue
				}
				if created["datacenter true "+r.Privilege] {
					continue
				}
				if r.Privilege == "Host.Config.Storage" && created["cluster true "+r.Privilege] {
					continue
				}
				t.Errorf("%s %s: %s is lost when the installer creates the folder", name, c, r.Privilege)
			}
		}
	}
}

func TestGrantsAreWhole(t *testing.T) {
	var matrices []*Matrix
	for _, name := range Names() {
		matrices = append(matrices, load(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(matrices).Draw(t, "matrix")
		c := rapid.SampledFrom(component.Names()).Draw(t, "component")
		holds := rapid.MapOf(rapid.SampledFrom(Conditions()), rapid.Bool()).Draw(t, "holds")
		grants := m.Grants(c, holds)
		var rows int
		for i, g := range grants {
			rows += len(g.Rows)
			if g.Component != c || !slices.IsSorted(g.Privileges) {
				t.Fatalf("grant %+v", g)
			}
			var want []string
			for _, r := range g.Rows {
				if r.Component != c || r.Scope != g.Scope || r.Propagate != g.Propagate {
					t.Fatalf("row %+v in grant %s %t", r, g.Scope, g.Propagate)
				}
				if !r.Unknown {
					want = append(want, r.Privilege)
				}
			}
			if d := cmp.Diff(sortedUnique(want), g.Privileges); d != "" {
				t.Fatal(d)
			}
			if i > 0 {
				a, b := slices.Index(Scopes(), grants[i-1].Scope), slices.Index(Scopes(), g.Scope)
				if a > b || a == b && (grants[i-1].Propagate || !g.Propagate) {
					t.Fatalf("%s %t after %s %t", g.Scope, g.Propagate, grants[i-1].Scope, grants[i-1].Propagate)
				}
			}
		}
		for _, r := range m.Rows {
			if r.Component != c {
				continue
			}
			holdsOne := slices.ContainsFunc(r.Conditions, func(o Condition) bool {
				if o == ManagedStorageClass {
					on, said := holds[o]
					return on || !said
				}
				return o == Always || holds[o]
			})
			if holdsOne {
				rows--
			}
		}
		if rows != 0 {
			t.Fatalf("%d rows too many", rows)
		}
	})
}

func TestGrantConditionsOfTheResourcePool(t *testing.T) {
	for _, g := range load(t, "installer").Grants(component.Installer, nil) {
		if g.Scope == ScopeResourcePool && !slices.Equal(g.Rows[0].GrantConditions, []Condition{PoolExisting}) {
			t.Errorf("a root pool carries no permission: resource pool row %+v", g.Rows[0])
		}
	}
}

func TestParseConditions(t *testing.T) {
	for _, tt := range []struct{ names, want, err string }{
		{"", "always managed-storageclass", ""},
		{"vsan-file storage-policy", "always managed-storageclass storage-policy vsan-file", ""},
		{"no-managed-storageclass", "always", ""},
		{"always", "always managed-storageclass", ""},
		{"vsan-files", "", `unknown condition "vsan-files"; nearest: "vsan-file"`},
		{"no-managed-storage", "", `unknown condition "no-managed-storage"; nearest: "no-managed-storageclass"`},
		{"zebra", "", `unknown condition "zebra"; known: vsan-file, storage-policy`},
		{"folder-created", "", `condition "folder-created" follows from the failure domains and cannot be set`},
		{"managed-storageclass no-managed-storageclass", "", "exclude each other"},
		{"no-managed-storageclass managed-storageclass", "", "exclude each other"},
	} {
		holds, err := ParseConditions(strings.Fields(tt.names))
		var on []string
		for c, v := range holds {
			if v {
				on = append(on, string(c))
			}
		}
		slices.Sort(on)
		if got := strings.Join(on, " "); got != tt.want {
			t.Errorf("%q: %s", tt.names, got)
		}
		if tt.err == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %v", tt.names, err)
		}
	}
}

func TestConditionsAreDescribed(t *testing.T) {
	for _, c := range Conditions() {
		if c.Describe() == "" {
			t.Errorf("%s is not described", c)
		}
		if c != Always && c.Topology() == slices.Contains(Selectable(), c) {
			t.Errorf("%s is decided by the topology and by a spec, or by neither", c)
		}
	}
	if got := Condition("folder").Describe(); got != "" {
		t.Errorf("a condition that does not exist is described: %s", got)
	}
}
