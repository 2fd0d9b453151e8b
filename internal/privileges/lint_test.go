package privileges

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

func TestLintOffline(t *testing.T) {
	for _, name := range Names() {
		var want []string
		if name == "enhancement" || name == "default" {
			want = []string{
				`cloud-controller cluster: privilege "Host.Inventory.View" exists on no vCenter and is never sent; lost: nothing: reading hosts needs only System.View and System.Read`,
				`cloud-controller folder: privilege "VirtualMachine.Config.Query" exists on no vCenter and is never sent; nearest: "VirtualMachine.Config.QueryUnownedFiles"; lost: nothing: reading virtual machines needs only System.View and System.Read`,
			}
		}
		var got []string
		for _, f := range load(t, name).Lint(Catalogue()) {
			if f.Severity != finding.Note {
				t.Errorf("%s: %+v", name, f)
			}
			got = append(got, f.String())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestLintLive(t *testing.T) {
	older := slices.DeleteFunc(Catalogue(), func(id string) bool { return id == "Cns.Searchable" || Implicit(id) })
	older = append(older, "Host.Inventory.View")
	m, err := Parse("m.yaml", []byte(`components:
  csi-driver:
    from: enhancement
    grants:
      - {scope: cluster, propagate: true, why: file volumes, privileges: [Host.Config.Storge]}
      - {scope: cluster, propagate: false, why: file volumes, privileges: [Host.Config.Storge, System.Read]}
  cloud-controller:
    grants:
      - {scope: cluster, propagate: true, privileges: [{id: Host.Inventory.View, unknown: true}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Unconfirmed{
		{component.CSIDriver, ScopeVCenter, "Cns.Searchable", "", "search and list CNS volumes", finding.Warning},
		{component.CSIDriver, ScopeCluster, "Host.Config.Storge", "Host.Config.Storage", "file volumes", finding.Error},
		{component.CloudController, ScopeCluster, "Host.Inventory.View", "Host.Inventory.View", Operation("Host.Inventory.View"), finding.Warning},
	}
	got := m.Lint(older)
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	for i, part := range []string{"is not in this catalogue; lost: search", `nearest: "Host.Config.Storage"; lost: file volumes`, "this catalogue has it"} {
		if !strings.Contains(got[i].String(), part) {
			t.Errorf("%s: want %s", got[i], part)
		}
	}
}

func TestCatalogue(t *testing.T) {
	ids := Catalogue()
	if len(ids) != 482 || !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != 482 {
		t.Errorf("%d ids, sorted %t", len(ids), slices.IsSorted(ids))
	}
	for id, l := range labels {
		if known := slices.Contains(ids, id); known != (l.ui != "" || Implicit(id)) {
			t.Errorf("%s: in the catalogue %t, label %q", id, known, l.ui)
		}
	}
}

func TestStrip(t *testing.T) {
	in := []string{"System.View", "Network.Assign", "Cns.Searchable", "System.Read", "Network.Assign", "System.Anonymous"}
	before := slices.Clone(in)
	if d := cmp.Diff([]string{"Cns.Searchable", "Network.Assign"}, Strip(in)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(before, in); d != "" {
		t.Error("the argument was changed", d)
	}
	if got := Strip(nil); got == nil || len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestNearest(t *testing.T) {
	ids := Catalogue()
	for _, tt := range []struct {
		name  string
		known []string
		want  string
	}{
		{"cns.searchable", ids, "Cns.Searchable"},
		{"Cns.Serachable", ids, "Cns.Searchable"},
		{"VirtualMachine.Config.AddExistingDisc", ids, "VirtualMachine.Config.AddExistingDisk"},
		{"VirtualMachine.Inventory.Clone", ids, "VirtualMachine.Provisioning.Clone"},
		{"VirtualMachine.Config.Query", ids, "VirtualMachine.Config.QueryUnownedFiles"},
		{"Host.Inventory.View", ids, ""},
		{"Host.Inventory.ManageClusterLifecycle", ids, "Host.Inventory.ManageClusterLifecyle"}, // vCenter's own spelling
		{"csi", component.Words(component.Names()), "csi-driver"},
		{"zebra", component.Words(component.Names()), ""},
		{"machineapi", component.Words(component.Names()), "machine-api"},
		{"diagnostic", component.Words(component.Names()), "diagnostics"},
		{"pool", component.Words(Scopes()), ""},
		{"host", component.Words(Conditions()), "host-group"},
		{"", ids, ""},
		{"default", nil, ""},
	} {
		if got := hint.Nearest(tt.name, tt.known); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNearestFindsItselfAndDoesNotDependOnOrder(t *testing.T) {
	ids := Catalogue()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom(ids).Draw(t, "id")
		if got := hint.Nearest(id, ids); got != id {
			t.Fatalf("%s is its own nearest, got %q", id, got)
		}
		i := rapid.IntRange(0, len(id)-1).Draw(t, "letter")
		typo := id[:i] + id[i+1:]
		if !slices.Contains(ids, typo) && len(id) > 12 && hint.Nearest(typo, ids) == "" {
			t.Fatalf("nothing is near %s", typo)
		}
		turned := slices.Clone(ids)
		slices.Reverse(turned)
		if a, b := hint.Nearest(typo, ids), hint.Nearest(typo, turned); a != b {
			t.Fatalf("%s: %q or %q", typo, a, b)
		}
	})
}
