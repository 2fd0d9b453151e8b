package provision_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// An administrator who followed the design by hand gave roles such names, the last of them with a word that reads like a digest.
// What an adopted account holds by them is theirs: it takes --displace, is recorded, and comes back; the roles stay.
func TestReadableNamesProveNothing(t *testing.T) {
	t.Parallel()
	for _, role := range []string{
		"openshift-csi-driver-datastore", "openshift-cluster1-csi-driver-datastore", "openshift-cluster1-csi-driver-datastore-facade",
		"openshift-csi-driver-datastore-facade",
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			h := one(t, vcsim.Options{})
			populate(t, h.lab)
			const who = "svc-csi@corp.example.com"
			h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {Principal: who}}
			h.setRole(t, 0, role, "Datastore.Browse")
			permit(t, h.admin(t), "/DC1/datastore/ds1", who, role, false)
			permit(t, h.admin(t), "/DC1/vm/legacy", who, role, true) // where nothing is wanted
			before := h.snapshot()

			p := h.plan(t)
			if c := change(t, p, who+" on /DC1/datastore/ds1"); !c.Displaces || c.Verb != plan.Update {
				t.Errorf("%s %s, displaces %v", c.Verb, c.Line(), c.Displaces)
			}
			for _, c := range p.VCenters[0].Changes {
				if c.Verb == plan.Delete {
					t.Errorf("goes: %s", c.Line())
				}
			}
			if _, err := h.apply(t); err == nil || !strings.Contains(err.Error(), "--displace") && !strings.Contains(err.Error(), "not confirmed") {
				t.Errorf("without --displace: %v", err)
			}
			h.same(t, before)
			h.displace = true
			h.mustApply(t)
			if s := h.snapshot(); !strings.Contains(s, `role "`+role+`" `) {
				t.Errorf("the role is gone:\n%s", s)
			}
			if _, err := h.destroy(t); err != nil {
				t.Fatal(err)
			}
			h.same(t, before)
		})
	}
}

// An account of ours that holds such a role gets ours in its place; the role stays.
func TestRolesOfReadableNamesStay(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	const role = "openshift-csi-driver-datastore"
	h.setRole(t, 0, role, "Datastore.AllocateSpace", "Datastore.Browse", "Datastore.FileManagement", "InventoryService.Tagging.ObjectAttachable")
	permit(t, h.admin(t), "/DC1/datastore/ds1", "ocp-cluster1-csi-driver@vsphere.local", role, false)
	h.mustApply(t)
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	list, err := authz(h.admin(t)).RoleList(context.Background())
	if err != nil || list.ByName(role) == nil {
		t.Errorf("the role is gone (%v)", err)
	}
}
