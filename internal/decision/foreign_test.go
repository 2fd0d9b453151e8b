package decision

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// A user that the enhancement's script left is named with the command that removes it; not one with a description, one of another cluster,
// or one that has permissions.
func TestUsersOfTheScript(t *testing.T) {
	t.Parallel()
	q, found := values(t)
	p := &VCenterPlan{At: found[0]}
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
		p.At.SSO.Users = map[string]sso.User{"ocp-prod-csi-driver": {Name: "ocp-prod-csi-driver", Description: description}}
		got := p.insteadOf([]sso.Want{want})
		if !slices.EqualFunc(got, ways, strings.HasPrefix) {
			t.Errorf("%q: %q", description, got)
		}
	}
	// One whose password is stored here was ours: no other name, nor its use as it is, helps the cluster that works with it.
	q.Spec.Cluster = "prod"
	if err := q.Credentials.Set("vc1", component.CSIDriver, credfile.Account{User: "ocp-prod-csi-driver@vsphere.local", Password: secret.New("x")}); err != nil {
		t.Fatal(err)
	}
	back := []string{"if apply created it and somebody changed its description since, give that back on vc1: govc sso.user.update -d 'OpenShift cluster prod, component csi-driver; made by ocp-vsphere-admin' ocp-prod-csi-driver"}
	for description, ways := range map[string][]string{"changed": back, sso.Mark("other", component.CSIDriver): {"choose other names with accounts.username"}} {
		u := sso.User{Name: "ocp-prod-csi-driver", Description: description}
		p.At.SSO.Users = map[string]sso.User{u.Name: u}
		if got := p.insteadOf([]sso.Want{want}); !slices.Equal(got, ways) {
			t.Errorf("%q, stored: %q", description, got)
		}
		err := errForeign(p.At, component.CSIDriver, u)
		if hinted, ok := errors.AsType[*hint.Error](err); !ok || slices.Equal(hinted.Hints(), back) != (description == "changed") {
			t.Errorf("%q: %v", description, err)
		}
	}
}
