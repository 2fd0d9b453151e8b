package access

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// With the matrix minimal every component can do what it does, in every kind of failure domain and under every condition; without any row
// of it, or any condition of a row, one of them cannot. The rows that the installer has of its own matrix are what it checks.
func TestMinimalIsWhatDutiesNeed(t *testing.T) {
	t.Parallel()
	m, err := privileges.Load("minimal")
	if err != nil {
		t.Fatal(err)
	}
	checked, err := privileges.Load("installer")
	if err != nil {
		t.Fatal(err)
	}
	if want := append(component.Default(), component.ClusterAPI, component.MachineConfig); !slices.Equal(m.Components(), want) {
		t.Errorf("rows of %s", m.Components())
	}
	for _, c := range m.Components() {
		if does := firstGap(c, m); does != "" {
			t.Errorf("%s cannot %s", c, does)
		}
	}
	for i, r := range m.Rows {
		ofInstaller := func(k privileges.Row) bool {
			return k.Component == r.Component && k.Scope == r.Scope && k.Privilege == r.Privilege && slices.Equal(k.Conditions, r.Conditions)
		}
		if slices.ContainsFunc(checked.Rows, ofInstaller) {
			continue
		}
		for _, without := range r.Conditions {
			less := *m
			less.Rows = slices.Clone(m.Rows)
			less.Rows[i].Conditions = slices.DeleteFunc(slices.Clone(r.Conditions), func(c privileges.Condition) bool { return c == without })
			if len(less.Rows[i].Conditions) == 0 {
				less.Rows = slices.Delete(less.Rows, i, i+1)
			}
			if firstGap(r.Component, &less) == "" {
				t.Errorf("%s does everything without %s on %s, %s", r.Component, r.Privilege, r.Scope, without)
			}
		}
	}
}

// firstGap is something that a component cannot do with a matrix: in some kind of failure domain, on a distributed switch or not, with
// the folder of a move named or not, under a condition of what it does or under none; "" = nothing.
func firstGap(c component.Name, m *privileges.Matrix) string {
	one := *m
	one.Rows = slices.DeleteFunc(slices.Clone(m.Rows), func(r privileges.Row) bool { return r.Component != c })
	for _, topology := range privileges.Topologies() {
		for _, when := range append([]privileges.Condition{""}, conditionsOf([]component.Name{c})...) {
			for _, managed := range []bool{true, false} {
				for _, kind := range []string{"", "standard network", "named move folder"} {
					o := privileges.RoleSetOptions{Components: []component.Name{c}, Template: topology[privileges.FolderExisting], Holds: maps.Clone(topology)}
					o.Holds[privileges.ManagedStorageClass] = managed
					if when != "" {
						o.Holds[when] = true
					}
					d := Assumed(o)
					switch kind {
					case "standard network":
						d.Networks[0].Switch = nil
					case "named move folder":
						d.MoveFolder = topology[privileges.FolderExisting]
					}
					for _, i := range answers(&one, d, o, itself)[c] {
						return fmt.Sprintf("%s: %s, %s on %s, where %v", i.Duty.Name, i.Ask.Calls, i.Missing, i.Object.Path(), o.Holds)
					}
				}
			}
		}
	}
	return ""
}
