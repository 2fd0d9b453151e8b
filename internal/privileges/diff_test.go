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

func parseText(t testing.TB, text string) *Matrix {
	t.Helper()
	m, err := Parse("own.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDiff(t *testing.T) {
	a := parseText(t, `
name: a
source: me
components:
  csi-driver:
    grants:
    - {scope: vcenter, propagate: false, privileges: [Cns.Searchable, StorageProfile.View]}
    - {scope: folder, propagate: true, privileges: [System.Read]}
    - {scope: folder, propagate: false, privileges: [System.Read]}
    - {scope: datastore, propagate: false, source: somebody, why: else, privileges: [Datastore.Browse]}
    - {scope: datastore, propagate: false, privileges: [{id: Datastore.Nothing, unknown: true}]}
    - {scope: datacenter, propagate: false, privileges: [System.Read, Folder.Create]}
`)
	b := parseText(t, `
name: b
source: you
ancestors: {components: [csi-driver], privileges: [System.Read]}
components:
  csi-driver:
    grants:
    - {scope: vcenter, propagate: true, conditions: [vsan-file], privileges: [Cns.Searchable]}
    - {scope: folder, propagate: true, privileges: [System.Read]}
    - {scope: datastore, propagate: false, privileges: [Datastore.Browse, Datastore.Nothing]}
    - {scope: cluster, propagate: true, grant-conditions: [pool-root], privileges: [Host.Config.Storage]}
    - {scope: datacenter, propagate: false, privileges: [System.Read, Folder.Create]}
    - {scope: datacenter, propagate: true, privileges: [System.Read]}
    - {scope: datacenter, propagate: true, conditions: [vsan-file], privileges: [Folder.Create]}
`)
	differences, ancestors := Diff(a, b)
	var got []string
	for _, d := range differences {
		got = append(got, fmt.Sprintf("%s %s %s: %s", d.Component, d.Scope, d.Privilege, d.Say("a", "b")))
	}
	want := []string{
		"csi-driver vcenter Cns.Searchable: propagate: false in a, true in b; conditions: always in a, vsan-file in b",
		"csi-driver vcenter StorageProfile.View: only in a: does not propagate",
		"csi-driver datacenter Folder.Create: propagate: false in a, true in b; conditions: always in a, vsan-file in b",
		"csi-driver datacenter System.Read: propagate: false in a, true in b",
		"csi-driver cluster Host.Config.Storage: only in b: propagates",
		"csi-driver folder System.Read: only in a: does not propagate",
		"csi-driver datastore Datastore.Nothing: unknown: true in a, false in b",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if ancestors == nil || ancestors.A != nil || ancestors.B == nil {
		t.Errorf("ancestors %+v", ancestors)
	}
}

// What the default adds to the design is what the golden file of additions lists, each with a source and a reason. It changes one
// row: what diagnostics reads of a datacenter reaches what is below it.
func TestDiffOfEnhancementAndDefault(t *testing.T) {
	differences, ancestors := Diff(load(t, "enhancement"), load(t, "default"))
	var added, changed []string
	for _, d := range differences {
		switch {
		case d.A != nil:
			changed = append(changed, fmt.Sprintf("%s %s %s: %s", d.Component, d.Scope, d.Privilege, d.Say("enhancement", "default")))
		case d.B.Source == "" || d.B.Why == "" || d.B.Evidence == "":
			t.Errorf("not explained: %+v", d.B)
		}
		if d.Component != component.Installer {
			added = append(added, fmt.Sprintf("%s %s %t %s %s", d.Component, d.Scope, d.B.Propagate, d.Privilege, strings.Join(component.Words(d.B.Conditions), ",")))
		}
	}
	var want []string
	for _, line := range golden(t, "additions.golden") {
		if !strings.HasPrefix(line, "installer ") {
			want = append(want, line)
		}
	}
	slices.Sort(want)
	slices.Sort(added)
	if d := cmp.Diff(want, added); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"diagnostics datacenter System.Read: propagate: false in enhancement, true in default"}, changed); d != "" {
		t.Error(d)
	}
	if ancestors == nil || ancestors.B == nil || ancestors.B.Source == "" {
		t.Errorf("ancestors %+v", ancestors)
	}
}

// A matrix does not differ from itself; turned round, a difference turns round.
func TestDiffTurnsRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(label string) *Matrix {
			m, err := Load(rapid.SampledFrom(Names()).Draw(t, label))
			if err != nil {
				t.Fatal(err)
			}
			part := *m
			part.Rows = nil
			for i, r := range m.Rows {
				if rapid.IntRange(0, 9).Draw(t, fmt.Sprint(label, i)) > 0 {
					part.Rows = append(part.Rows, r)
				}
			}
			return &part
		}
		a, b := pick("a"), pick("b")
		if same, ancestors := Diff(a, a); len(same) > 0 || ancestors != nil {
			t.Fatalf("differs from itself: %+v %+v", same, ancestors)
		}
		there, _ := Diff(a, b)
		back, _ := Diff(b, a)
		if len(there) != len(back) {
			t.Fatalf("%d differences, turned round %d", len(there), len(back))
		}
		for _, d := range there {
			if !slices.ContainsFunc(back, func(o Difference) bool {
				return o.Privilege == d.Privilege && o.Component == d.Component && o.Scope == d.Scope && cmp.Equal(o.A, d.B) && cmp.Equal(o.B, d.A)
			}) {
				t.Fatalf("%+v has no counterpart", d)
			}
		}
	})
}
