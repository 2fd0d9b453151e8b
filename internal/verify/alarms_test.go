package verify

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// What the detector will say is said once, of accounts that are as they have to be; another component's account raises no alarm.
func TestPredictedAlarms(t *testing.T) {
	t.Parallel()
	alarm := Alarm{Check: "CheckAccountPermissions", Alert: "VSphereOpenshiftClusterHealthFail", Object: "/", Missing: []string{"StorageProfile.Update"}}
	node := Alarm{Check: "CheckResourcePoolPermissions", Alert: "VSphereOpenshiftNodeHealthFail", Object: "/DC1/host/C1/Resources/p", Missing: []string{"VApp.Import"}}
	v := &Result{VCenters: []VCenter{
		{Server: "vc1", Accounts: []Account{{Component: "diagnostics", Principal: "d", Login: "ok", Alarms: []Alarm{alarm, node}}}},
		{Server: "vc2", Accounts: []Account{{Component: "diagnostics", Principal: "d", Login: "ok", Alarms: []Alarm{alarm}}}},
		{Server: "vc3", Accounts: []Account{{Component: "diagnostics", Principal: "d", Login: LoginAbsent, Alarms: []Alarm{alarm}}}},
	}}
	found := v.Predicted()
	if len(found) != 1 || len(found[0].Accounts) != 2 || strings.Contains(found[0].Text, "vc3") {
		t.Fatalf("%+v", found)
	}
	for _, want := range []string{"CheckAccountPermissions, CheckResourcePoolPermissions of its own account", "vc1", "vc2", "VSphereOpenshiftClusterHealthFail, VSphereOpenshiftNodeHealthFail"} {
		if !strings.Contains(found[0].Text, want) {
			t.Errorf("%q lacks %q", found[0].Text, want)
		}
	}
	if (&Result{VCenters: []VCenter{{Accounts: []Account{{Login: "ok"}}}}}).Predicted() != nil {
		t.Error("an alarm of nobody")
	}
	if (&Expected{}).Alarms([]component.Name{component.CSIDriver}, nil) != nil {
		t.Error("the CSI driver raises the detector's alarms")
	}
}
