package reconcile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// What several releases come to names as not needed only what none of them needs, and each release says what it does not need itself.
// A privilege is noted for the first that needs it, and may be placed if any of them asks for it.
func TestTogether(t *testing.T) {
	t.Parallel()
	before := specOf(t, "privileges:\n  added:\n  - {component: machine-api, scope: folder, privileges: [Alarm.Create, VirtualMachine.Interact.Suspend], release: 4.22.0, reason: CredentialsRequest machine-api requires it}\n"+
		"reconciledAvailableUpdates: [{version: 4.22.0, image: \"quay.io/a/b:c\"}]\n")
	patch := requests(request(component.MachineAPI, "machine-api"))
	minor := requests(request(component.MachineAPI, "machine-api", asking("VirtualMachine.Interact.Suspend", "VApp.Export")))
	place := map[string][]privileges.Scope{"VApp.Export": {privileges.ScopeFolder}}
	of := func(version string, to *release.Requests) reconcile.Options {
		return reconcile.Options{Spec: before, Matrix: matrix(t, "base", base), From: patch, To: to, Release: version, Place: place}
	}
	whole, each, err := reconcile.Together([]reconcile.Options{of("4.20.5", patch), of("4.21.0", minor), of("4.21.1", minor)})
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Add) != 1 || !slices.Equal(whole.Add[0].Privileges, []string{"VApp.Export"}) || whole.Add[0].Release != "4.21.0" {
		t.Errorf("%+v", whole.Add)
	}
	if len(whole.Unneeded) != 1 || !slices.Equal(whole.Unneeded[0].Privileges, []string{"Alarm.Create"}) || !slices.Equal(whole.Undoes, []string{"4.22.0"}) {
		t.Errorf("%+v, %q", whole.Unneeded, whole.Undoes)
	}
	if got := each[0].Unneeded; len(got) != 1 || !slices.Equal(got[0].Privileges, []string{"Alarm.Create", "VirtualMachine.Interact.Suspend"}) {
		t.Errorf("%+v", got)
	}
	if len(each[0].Changes) != 0 || len(each[1].Changes) != 1 || len(whole.Gone) != 0 {
		t.Errorf("%+v, %+v", each, whole.Gone)
	}
	place["Datastore.Move"] = []privileges.Scope{privileges.ScopeDatastore}
	if _, _, err := reconcile.Together([]reconcile.Options{of("4.20.5", patch), of("4.21.0", minor)}); err == nil || !strings.Contains(err.Error(), `requires privilege "Datastore.Move"`) {
		t.Errorf("%v", err)
	}
}
