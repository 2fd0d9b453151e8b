package decision

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
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
