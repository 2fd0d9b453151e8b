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
	said := v.Predicted()
	for _, want := range []string{"CheckAccountPermissions, CheckResourcePoolPermissions of its own account on vc1, vc2 (", "(VSphereOpenshiftClusterHealthFail, VSphereOpenshiftNodeHealthFail)"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	if none := (&Result{VCenters: []VCenter{{Accounts: []Account{{Login: "ok"}}}}}).Predicted(); none != "" {
		t.Error("an alarm of nobody:", none)
	}
	if (&Expected{}).Alarms([]component.Name{component.CSIDriver}, nil) != nil {
		t.Error("the CSI driver raises the detector's alarms")
	}
}
