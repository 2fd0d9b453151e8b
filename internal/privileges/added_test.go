package privileges

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

func small(t *testing.T) *Matrix {
	t.Helper()
	m, err := Parse("small.yaml", []byte(`
components:
  machine-api:
    grants:
      - {scope: folder, propagate: true, privileges: [VirtualMachine.Inventory.Create], why: machines}
      - {scope: datastore, propagate: false, conditions: [vsan-file], privileges: [Datastore.FileManagement], why: files}
  diagnostics:
    grants:
      - {scope: vcenter, propagate: false, privileges: [Sessions.ValidateSession, {id: Host.Inventory.View, unknown: true}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWith(t *testing.T) {
	t.Parallel()
	m := small(t)
	before := slices.Clone(m.Rows)
	with := m.With([]Added{
		{Component: component.CSIDriver, Scope: ScopeCluster, Propagate: true, Privileges: []string{"Host.Config.Storage"}, Release: "4.23.0", Reason: "volumes move"},
		{Component: component.MachineAPI, Scope: ScopeFolder, Propagate: true, Privileges: []string{"VirtualMachine.Inventory.Create", "VirtualMachine.Inventory.Move"}},
		{Component: component.MachineAPI, Scope: ScopeDatastore, Privileges: []string{"Datastore.FileManagement"}, Release: "4.23.0", Reason: "images"},
		{Component: component.Diagnostics, Scope: ScopeVCenter, Privileges: []string{"Host.Inventory.View"}},
	})
	var got []string
	for _, r := range with.Rows {
		got = append(got, strings.Join([]string{string(r.Component), string(r.Scope), r.Privilege, strings.Join(component.Words(r.Conditions), ","), r.Why, r.Evidence}, " "))
	}
	want := []string{
		"machine-api folder VirtualMachine.Inventory.Create always machines ",
		"machine-api datastore Datastore.FileManagement always files; images ",
		"machine-api folder VirtualMachine.Inventory.Move always a release requires it release",
		"csi-driver cluster Host.Config.Storage always volumes move release",
		"diagnostics vcenter Sessions.ValidateSession always  ",
		"diagnostics vcenter Host.Inventory.View always a release requires it release",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := with.Rows[3].Source; s != "release 4.23.0, privileges.added of the specification" {
		t.Errorf("source: %s", s)
	}
	if diff := cmp.Diff(before, m.Rows); diff != "" {
		t.Errorf("the matrix itself was changed: %s", diff)
	}
	if !slices.Contains(with.Privileges(), "Host.Inventory.View") {
		t.Error("what a release asks for stays marked unknown, so that no vCenter is asked")
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		c         component.Name
		id        string
		want      string // scope, propagation, conditions
		basis     string
		candidate []Scope
	}{
		{component.MachineAPI, "Datastore.FileManagement", "datastore false", "matrix small grants it there for machine-api", nil},
		{component.MachineAPI, "Host.Inventory.EditCluster", "cluster true", "matrix default grants it there for machine-api", nil},
		{component.CSIDriver, "Host.Config.Storage", "cluster true pool-root; resource-pool true pool-existing", "matrix default grants it there for csi-driver", nil},
		{component.Diagnostics, "Datastore.FileManagement", "datastore false", "matrix small grants it there for machine-api", nil},
		{component.Diagnostics, "VirtualMachine.Interact.Suspend", "folder true", "vSphere API methods that need it are called on such an object", nil},
		{component.CSIDriver, "Alarm.Create", "vcenter false", "vSphere API methods that need it are called on such an object", nil},
		{component.CSIDriver, "VApp.Export", "", "", []Scope{ScopeVCenter, ScopeResourcePool, ScopeFolder}},
		{component.CSIDriver, "Made.Up", "", "", nil},
	} {
		placed, candidates, err := Place(small(t), tt.c, tt.id)
		if err != nil {
			t.Fatal(err)
		}
		var got, basis []string
		for _, p := range placed {
			got = append(got, strings.TrimSpace(string(p.Scope)+" "+map[bool]string{true: "true", false: "false"}[p.Propagate]+" "+strings.Join(component.Words(p.Conditions), ",")))
			basis = append(basis, p.Basis)
		}
		if strings.Join(got, "; ") != tt.want || !strings.Contains(strings.Join(basis, "; "), tt.basis) || !slices.Equal(candidates, tt.candidate) {
			t.Errorf("%s %s: got %q (%q), candidates %v", tt.c, tt.id, got, basis, candidates)
		}
	}
}

func TestHasAt(t *testing.T) {
	t.Parallel()
	m := small(t)
	for _, tt := range []struct {
		c      component.Name
		id     string
		chosen map[Condition]bool
		want   bool
	}{
		{component.MachineAPI, "VirtualMachine.Inventory.Create", nil, true},
		{component.CSIDriver, "VirtualMachine.Inventory.Create", nil, false},
		{component.MachineAPI, "Datastore.FileManagement", nil, false},
		{component.MachineAPI, "Datastore.FileManagement", map[Condition]bool{VSANFile: true}, true},
		{component.Diagnostics, "Host.Inventory.View", nil, false},
		{component.Diagnostics, "System.Read", nil, true},
	} {
		if got := m.HasAt(tt.c, tt.id, []map[Condition]bool{tt.chosen}); got != tt.want {
			t.Errorf("%s %s under %v: got %v", tt.c, tt.id, tt.chosen, got)
		}
	}
}

// A row that holds in some topologies places nothing in the others; rows that hold in all of them together place it everywhere.
func TestPlacedInTheTopology(t *testing.T) {
	t.Parallel()
	row := func(id string, cond Condition) Added {
		return Added{Component: component.CSIDriver, Scope: ScopeCluster, Propagate: cond == PoolRoot || cond == FolderCreated, Privileges: []string{id}, Conditions: []Condition{cond}}
	}
	m := (&Matrix{}).With([]Added{row("A.Group", HostGroup), row("A.Pool", PoolExisting), row("A.Pools", PoolExisting), row("A.Pools", PoolRoot), row("A.Folders", FolderCreated), row("A.Folders", FolderExisting)})
	grouped, plain := map[Condition]bool{FolderCreated: true, PoolExisting: true, HostGroup: true}, map[Condition]bool{FolderExisting: true, PoolRoot: true}
	for _, tt := range []struct {
		id                          string
		grouped, plain, two, anyOne bool
	}{
		{"A.Group", true, false, false, false},
		{"A.Pool", true, false, false, false},
		{"A.Pools", true, true, true, true},
		{"A.Folders", true, true, true, true},
		{"A.None", false, false, false, false},
	} {
		for _, w := range []struct {
			where []map[Condition]bool
			want  bool
		}{
			{[]map[Condition]bool{grouped}, tt.grouped}, {[]map[Condition]bool{plain}, tt.plain}, {[]map[Condition]bool{grouped, plain}, tt.two}, {Topologies(), tt.anyOne},
		} {
			if got := m.HasAt(component.CSIDriver, tt.id, w.where); got != w.want {
				t.Errorf("%s in %v: %t", tt.id, w.where, got)
			}
		}
	}
}

// What the API reference says is about privileges that exist, and every type has a scope or is said to have none.
func TestMethods(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for line := range strings.Lines(methods) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 {
			t.Fatalf("%q", line)
		}
		for id := range strings.SplitSeq(fields[2], ",") {
			ids[id] = true
		}
	}
	one := 0
	for id := range ids {
		if !slices.Contains(Catalogue(), id) {
			t.Errorf("%s is in no catalogue", id)
		}
		if len(scopesOfMethods(id)) == 1 {
			one++
		}
	}
	if len(ids) != 176 || one != 156 {
		t.Errorf("%d ids, %d of them at one scope", len(ids), one)
	}
}
