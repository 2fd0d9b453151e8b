package decision

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// A user that the enhancement's script left is named with the command that removes it; not one with a description, one of another cluster,
// or one that has permissions.
func TestUsersOfTheScript(t *testing.T) {
	t.Parallel()
	_, found := values(t)
	p := &VCenterPlan{Snapshot: found[0]}
	want := sso.Want{Name: "ocp-prod-csi-driver", Component: component.CSIDriver, Description: sso.Mark("prod", component.CSIDriver)}
	for description, ways := range map[string][]string{
		"": {
			"choose other names", "or use it as it is: components.csi-driver.principal: ocp-prod-csi-driver@",
			"if the enhancement's script left it and nobody uses it, remove it on vc1: govc sso.user.rm ocp-prod-csi-driver",
		},
		"made by hand":                              {"choose other names", "or use it as it is: "},
		sso.Mark("other", component.CSIDriver):      {"choose other names"},
		sso.Mark("prod", component.CloudController): {"choose other names"},
	} {
		p.SSO.Users = map[string]sso.User{"ocp-prod-csi-driver": {Name: "ocp-prod-csi-driver", Description: description}}
		got := p.insteadOf([]sso.Want{want})
		if !slices.EqualFunc(got, ways, strings.HasPrefix) {
			t.Errorf("%q: %q", description, got)
		}
	}
}
