package access

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

func itself(c component.Name) component.Name { return c }

// What a matrix lacks is a gap of the duty, at the call, in the failure domains and under the condition that it is for.
func TestGaps(t *testing.T) {
	t.Parallel()
	m, err := privileges.Load("default")
	if err != nil {
		t.Fatal(err)
	}
	o := privileges.RoleSetOptions{Components: m.Components(), Holds: map[privileges.Condition]bool{privileges.ManagedStorageClass: true}}
	said := func() (lines []string) {
		for _, r := range privileges.GapRows(Gaps(m, o, itself)) {
			lines = append(lines, fmt.Sprintf("%s: %s; %s; %s; %s; %s", r.Duty.Component, r.Does, r.Call(), r.Why(), r.Where(), r.When))
		}
		return lines
	}
	if got := said(); got != nil {
		t.Errorf("of default: %q", got)
	}
	rows := m.Rows
	for _, tt := range []struct {
		component component.Name
		privilege string
		want      []string
	}{
		{component.CSIDriver, "Cns.Searchable", []string{
			"csi-driver: [query volumes]; CnsQueryVolume, CnsQueryAllVolume, CnsQueryAsync; Cns.Searchable on vcenter; everywhere; ",
			"csi-driver: [snapshot volume]; CnsQuerySnapshots; Cns.Searchable on vcenter; everywhere; ",
		}},
		{component.Installer, "Folder.Delete", []string{"installer: [delete folder]; Destroy_Task; Folder.Delete on folder; folder-created; "}},
		{component.ClusterAPI, "Cryptographer.EncryptNew", []string{"cluster-api: [encrypt machine]; CloneVM_Task; Cryptographer.EncryptNew on folder; everywhere; vm-encryption"}},
	} {
		m.Rows = slices.DeleteFunc(slices.Clone(rows), func(r privileges.Row) bool { return r.Component == tt.component && r.Privilege == tt.privilege })
		if got := said(); !slices.Equal(got, tt.want) {
			t.Errorf("without %s: %q, want %q", tt.privilege, got, tt.want)
		}
	}
	m.Rows = slices.DeleteFunc(slices.Clone(rows), func(r privileges.Row) bool { return r.Component == component.CloudController })
	o.Components = []component.Name{component.CloudController}
	if got := said(); len(got) == 0 {
		t.Error("without rows nothing is missing")
	}
	shared := func(component.Name) component.Name { return component.Installer }
	m.Rows, o.Components = rows, component.Default()
	all := map[component.Name]component.Name{}
	for _, c := range component.Default() {
		all[c] = component.Installer
	}
	if got := Gaps(m.Fold(all, nil), o, shared); len(got) > 0 {
		t.Errorf("with everybody's account: %v", got)
	}
	o.Known = []string{"Cns.Searchable"}
	if got := Gaps(m, o, itself); len(got) > 0 {
		t.Errorf("what a vCenter does not know it does not ask for: %v", got)
	}
}
