package decision

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// A plan says first that accounts could not see what they are granted, once for all vCenters, and names a matrix with the rule.
func TestPlanSaysWhatIsOfNoUse(t *testing.T) {
	t.Parallel()
	for matrix, want := range map[string]string{
		"enhancement": "with matrix enhancement, 110 privileges are of no use: no ReadOnly lets the accounts see what is above the objects: /DC (machine-api, csi-driver)",
		"default":     "",
	} {
		q, found := values(t)
		m, err := privileges.Load(matrix)
		if err != nil {
			t.Fatal(err)
		}
		q.Spec.Components = map[component.Name]spec.Component{component.MachineAPI: {}, component.CSIDriver: {}}
		q.Matrix = q.Spec.Fold(m)
		all := removing(q, found).Decide((*Decision).Change).Unable()
		switch {
		case want == "" && len(all) > 0:
			t.Errorf("%s: %+v", matrix, all[0])
		case want == "":
		case len(all) != 2 || all[0].Text != want || len(all[0].Accounts) != 4 || len(all[0].Remedies) != 1 ||
			all[0].Remedies[0] != "matrix default has a rule for ancestors: ocp-vsphere-admin plan --matrix default":
			t.Errorf("%s: %d findings, the first is %+v", matrix, len(all), all[0])
		}
	}
}

// Encrypted machines are told of once for all vCenters, of components that meet them, with the condition or the matrix that mends it.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	for matrix, want := range map[string]string{
		"enhancement": "matrix enhancement has no row with that condition, matrix default has: ocp-vsphere-admin plan --conditions data-disks,vm-encryption --matrix default",
		"default":     "name vm-encryption in privileges.conditions, or: ocp-vsphere-admin plan --conditions data-disks,vm-encryption",
	} {
		q, found := values(t)
		m, err := privileges.Load(matrix)
		if err != nil {
			t.Fatal(err)
		}
		q.Spec.Components = map[component.Name]spec.Component{component.CSIDriver: {}, component.Diagnostics: {}}
		q.Matrix, q.Spec.Privileges.Conditions = q.Spec.Fold(m), []string{"data-disks"}
		if all := SnapshotsOf(q, found).Encrypted(); all != nil {
			t.Errorf("nothing is encrypted: %+v", all[0])
		}
		at := q.Unkeyed(found[0].VCenter, found[0].Inventory)
		if len(at) != 1 || at[0].Value != "/DC/vm/f" {
			t.Fatalf("looked for in %v", at)
		}
		found[0].Encrypted = map[inventory.Ref]string{at[0]: "deeper/node"}
		all := SnapshotsOf(q, found).Encrypted()
		if len(all) != 1 || len(all[0].Accounts) != 1 || all[0].Accounts[0].Component != component.CSIDriver ||
			!strings.HasPrefix(all[0].Text, "/DC/vm/f/deeper/node on "+found[0].VCenter.Server+" is encrypted, and no account") ||
			len(all[0].Remedies) != 1 || all[0].Remedies[0] != want {
			t.Errorf("%s: %+v", matrix, all)
		}
		q.Spec.Privileges.Conditions = []string{"vm-encryption"}
		if at := q.Unkeyed(found[0].VCenter, found[0].Inventory); at != nil {
			t.Errorf("looked for in %v although the condition is named", at)
		}
	}
}
