package privileges

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

func load(t testing.TB, name string) *Matrix {
	t.Helper()
	m, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// golden returns the lines of a file in testdata without comments.
func golden(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

func TestEnhancementIsVerbatim(t *testing.T) {
	m := load(t, "enhancement")
	var got, unknown []string
	count := map[component.Name]int{}
	distinct, valid := map[string]bool{}, map[string]bool{}
	for _, r := range m.Rows {
		if r.Component == component.Installer {
			continue // by reference to the matrix installer
		}
		got = append(got, fmt.Sprintf("%s %s %t %s", r.Component, r.Scope, r.Propagate, r.Privilege))
		count[r.Component]++
		distinct[r.Privilege] = true
		if r.Unknown {
			unknown = append(unknown, r.Privilege)
		} else {
			valid[r.Privilege] = true
		}
		if !slices.Equal(r.Conditions, []Condition{Always}) || r.Evidence != "design" {
			t.Errorf("%s: conditions %v, evidence %q", r.Privilege, r.Conditions, r.Evidence)
		}
	}
	if d := cmp.Diff(golden(t, "enhancement.golden"), got); d != "" {
		t.Errorf("not the design's lists (-want +got):\n%s", d)
	}
	want := map[component.Name]int{component.MachineAPI: 37, component.CSIDriver: 8, component.CloudController: 8, component.Diagnostics: 4}
	if d := cmp.Diff(want, count); d != "" {
		t.Error(d)
	}
	if len(distinct) != 43 || len(valid) != 41 {
		t.Errorf("%d distinct ids, %d real; want 43 and 41", len(distinct), len(valid))
	}
	if d := cmp.Diff([]string{"VirtualMachine.Config.Query", "Host.Inventory.View"}, unknown); d != "" {
		t.Error(d)
	}
}

func TestEveryRowIsComplete(t *testing.T) {
	catalogue := Catalogue()
	for _, name := range Names() {
		m := load(t, name)
		if m.Name != name || m.Description == "" || m.Source == "" || m.AsOf == "" || len(m.Notes) == 0 {
			t.Errorf("%s: incomplete head %+v", name, m)
		}
		for _, r := range m.Rows {
			where := fmt.Sprintf("%s: %s %s %s", name, r.Component, r.Scope, r.Privilege)
			if r.Source == "" || r.Why == "" || r.Evidence == "" || len(r.Conditions) == 0 {
				t.Errorf("%s: source %q, why %q, evidence %q, conditions %v", where, r.Source, r.Why, r.Evidence, r.Conditions)
			}
			if strings.Contains(r.Source+r.Why, "$") {
				t.Errorf("%s: name not replaced: %s %s", where, r.Source, r.Why)
			}
			if known := slices.Contains(catalogue, r.Privilege); known == r.Unknown {
				t.Errorf("%s: in the catalogue %t, marked unknown %t", where, known, r.Unknown)
			}
			if !Implicit(r.Privilege) && !r.Unknown && UIName(r.Privilege) == "" {
				t.Errorf("%s: no name in the vSphere Client", where)
			}
			if Operation(r.Privilege) == "" {
				t.Errorf("%s: no operation", where)
			}
		}
	}
}

func TestInstallerPreflight(t *testing.T) {
	m := load(t, "installer")
	var got []string
	distinct := map[string]bool{}
	for _, g := range m.Preflight {
		got = append(got, fmt.Sprintf("%s %d %s %s %v", g.Group, len(g.Privileges), g.Description, g.Scope, g.Conditions))
		for _, id := range g.Privileges {
			distinct[id] = true
		}
	}
	want := []string{ // in the order of the installer's checks
		"resourcepool 4 vSphere vCenter Resource Pool resource-pool [always]",
		"folder 29 Pre-existing Virtual Machine Folder folder [folder-existing]",
		"vcenter 11 vSphere vCenter vcenter [always]",
		"cluster 4 vSphere vCenter Cluster cluster [pool-root]",
		"datacenter 31 vSphere vCenter Datacenter datacenter [folder-created]",
		"datastore 4 vSphere vCenter Datastore datastore [always]",
		"portgroup 1 vSphere Port Group network [always]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(distinct) != 47 {
		t.Errorf("%d distinct ids, want 47", len(distinct))
	}
	// The error text lists ids in the installer's order, which is not the alphabet's.
	dc := m.Preflight[4].Privileges
	if d := cmp.Diff([]string{"VirtualMachine.Provisioning.MarkAsTemplate", "Folder.Create", "Folder.Delete", "InventoryService.Tagging.ObjectAttachable"}, dc[len(dc)-4:]); d != "" {
		t.Error(d)
	}
	for _, name := range []string{"enhancement", "documented", "component-scoped", "default"} {
		if p := load(t, name).Preflight; p != nil {
			t.Errorf("%s has preflight groups %v", name, p)
		}
	}
}

// key is where a row grants what.
func (r Row) key() string { return fmt.Sprintf("%s %t %s", r.Scope, r.Propagate, r.Privilege) }

// rowKeys are the rows of a component that can be sent, by what makes them one.
func rowKeys(m *Matrix, c component.Name) map[string]Row {
	out := map[string]Row{}
	for _, r := range m.Rows {
		if r.Component == c {
			out[r.key()] = r
		}
	}
	return out
}

func TestDefaultHoldsTheDesignAndTheInstaller(t *testing.T) {
	m := load(t, "default")
	for from, components := range map[string][]component.Name{
		"enhancement": {component.MachineAPI, component.CSIDriver, component.CloudController, component.Diagnostics},
		"installer":   {component.Installer},
		"capv":        {component.ClusterAPI},
		"minimal":     {component.MachineConfig},
		"auditor":     {component.Auditor},
	} {
		for _, c := range components {
			have := rowKeys(m, c)
			for key, want := range rowKeys(load(t, from), c) {
				if d := cmp.Diff(want, have[key]); d != "" {
					t.Errorf("%s %s %s (-%s +default):\n%s", from, c, key, from, d)
				}
			}
		}
	}
}

// What default has and the design has not is listed in additions.golden (-update), to be read with each change of a matrix.
func TestDefaultAdditions(t *testing.T) {
	m, design := load(t, "default"), load(t, "enhancement")
	all := []string{"# What default holds beyond the design: component scope propagate privilege conditions"}
	for _, c := range component.Names() {
		known := rowKeys(design, c)
		for _, r := range m.Rows {
			if _, ok := known[r.key()]; r.Component == c && !ok {
				all = append(all, fmt.Sprintf("%s %s %s", c, r.key(), strings.Join(component.Words(r.Conditions), ",")))
			}
		}
	}
	if *update {
		if err := os.WriteFile("testdata/additions.golden", []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(golden(t, "additions.golden"), all[1:]); d != "" {
		t.Errorf("read what default adds, and write it anew: go test ./internal/privileges -run TestDefaultAdditions -update\n%s", d)
	}
}

func TestAncestors(t *testing.T) {
	for _, name := range Names() {
		a := load(t, name).Ancestors
		of, want := map[string][]component.Name{
			"default": append(component.Default(), component.ClusterAPI, component.MachineConfig), "documented": component.Default(), "capv": {component.ClusterAPI},
			"minimal": append(component.Default(), component.ClusterAPI, component.MachineConfig),
		}[name]
		if (a != nil) != want {
			t.Errorf("%s: ancestors %v", name, a)
		}
		if a == nil {
			continue
		}
		if !slices.Equal(a.Components, of) || !slices.Equal(a.Privileges, []string{"System.Read"}) || a.Why == "" || a.Source == "" {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestComponentsOfMatrices(t *testing.T) {
	for _, name := range Names() {
		want := component.Default()
		switch name {
		case "installer":
			want = []component.Name{component.Installer}
		case "capv":
			want = []component.Name{component.ClusterAPI}
		case "auditor":
			want = []component.Name{component.Auditor}
		case "minimal":
			want = append(component.Default(), component.ClusterAPI, component.MachineConfig)
		case "default":
			want = component.Names()
		}
		if got := load(t, name).Components(); !slices.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	m := load(t, "component-scoped")
	want := map[component.Name]string{
		component.MachineAPI: "machineManagement", component.CSIDriver: "storage", component.CloudController: "cloudControllerManager",
		component.Diagnostics: "vsphereProblemDetector", component.Installer: "machineManagement",
	}
	if d := cmp.Diff(want, m.Upstream); d != "" {
		t.Error(d)
	}
}
