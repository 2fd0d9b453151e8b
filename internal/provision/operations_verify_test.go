package provision_test

import (
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// holdAgainst compares a look-up's answer with what verify says of the same object: that something hides it if, and only if, the
// account's own finder does not find it.
func (s *stage) holdAgainst(v *verify.Result, c component.Name, operation, answer string) {
	s.Helper()
	path := map[string]string{
		"find cluster": "/DC1/host/C1", "find pool": s.pool, "find folder": s.folder, "find datastore": s.datastore,
		"find network": s.network, "find datastore, installer": s.datastore,
	}[operation]
	for _, a := range v.VCenters[0].Accounts {
		for _, o := range a.Objects {
			if a.Component == string(c) && o.Path == path && o.Scope != verify.ScopeBelow && (o.HiddenBy == "") != (answer == "ok") {
				s.Errorf("%s: %s: %s, and verify says that %q hides it", c, operation, answer, o.HiddenBy)
			}
		}
	}
}

// An account passes verify if, and only if, the simulation lets it do its work: without any one of these privileges it is refused
// an operation that is its duty, and verify fails the account for that privilege.
func TestVerifyAgreesWithEnforcement(t *testing.T) {
	notShort(t, "one step after the other")
	t.Parallel()
	s := newStage(t, "default", "folder")
	for _, c := range []struct {
		component       component.Name
		role, privilege string
		operation       string
	}{
		{component.MachineAPI, "openshift-machine-api-folder", "VirtualMachine.Interact.PowerOn", "power on"},
		{component.MachineAPI, "openshift-machine-api-folder", "VirtualMachine.Inventory.Delete", "destroy machine"},
		{component.MachineAPI, "openshift-machine-api-datastore", "Datastore.AllocateSpace", "clone template"},
		{component.MachineAPI, "openshift-machine-api-network", "Network.Assign", "clone template"},
		{component.CSIDriver, "openshift-csi-driver-datastore", "Datastore.FileManagement", "create disk file"},
		{component.Diagnostics, "openshift-diagnostics-datastore", "Datastore.Browse", "browse datastore"},
		{component.Installer, "openshift-installer-folder", "VirtualMachine.Provisioning.MarkAsTemplate", "mark as template"},
	} {
		op, _ := s.named(c.operation)
		do := func() string { return s.perform(op, s.clients[c.component]) }
		fails := func() bool {
			for _, a := range s.h.verify(t).VCenters[0].Accounts {
				for _, o := range a.Objects {
					if a.Component == string(c.component) && slices.Contains(o.Missing, c.privilege) {
						return a.Failed()
					}
				}
			}
			return false
		}
		if answer := do(); answer != "ok" || fails() {
			t.Fatalf("%s: %s: %s", c.component, c.operation, answer)
		}
		role := s.h.liveRole(t, 0, c.role)
		less := slices.DeleteFunc(slices.Clone(role.Privilege), func(id string) bool { return id == c.privilege })
		s.need(authz(s.admin).UpdateRole(s.ctx, role.RoleId, role.Name, less))
		if answer, failed := do(), fails(); answer == "ok" || !failed {
			t.Errorf("%s without %s: %s is %q, and verify fails it: %t", c.component, c.privilege, c.operation, answer, failed)
		}
		s.need(authz(s.admin).UpdateRole(s.ctx, role.RoleId, role.Name, role.Privilege))
	}
}
