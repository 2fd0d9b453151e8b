package provision_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// An administrator who followed the design by hand gave roles such names, the last of them with a word that reads like a digest.
// What an adopted account holds by them is theirs: it takes --displace, is recorded, and comes back; the roles stay.
func TestReadableNamesProveNothing(t *testing.T) {
	t.Parallel()
	for _, role := range []string{
		"openshift-csi-driver-datastore", "openshift-cluster1-csi-driver-datastore", "openshift-cluster1-csi-driver-datastore-facade",
		"openshift-csi-driver-datastore-facade",
		dsRole, // as somebody makes it who follows a work order: it is put back, so it stays
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			h := one(t, vcsim.Options{})
			populate(t, h.lab)
			const who = "svc-csi@corp.example.com"
			h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {Principal: who}}
			holds := []string{"Datastore.Browse"}
			if role == dsRole {
				holds = append(holds, "Datastore.AllocateSpace", "Datastore.FileManagement", "InventoryService.Tagging.ObjectAttachable")
			}
			h.setRole(t, 0, role, holds...)
			permit(t, h.admin(t), "/DC1/datastore/ds1", who, role, role == dsRole) // else it gives just what is wanted, and stays
			if role != dsRole {
				permit(t, h.admin(t), "/DC1/vm/legacy", who, role, true) // where nothing is wanted
			}
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

// The parts of a destroy in a wrong order: roles that revoking will give back stay, whichever cluster's, and so does the record of them.
func TestRolesThatAreGivenBackStay(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	const who = "svc-csi@corp.example.com"
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: who}}
	h.setRole(t, 0, dsRole, "Datastore.AllocateSpace", "Datastore.Browse", "Datastore.FileManagement", "InventoryService.Tagging.ObjectAttachable")
	permit(t, h.admin(t), "/DC1/datastore/ds1", who, dsRole, true)
	before := h.snapshot()
	h.displace = true
	h.mustApply(t)
	applied := h.snapshot()
	for _, cluster := range []string{"", "cluster2", "cluster1"} {
		roles := h.colleague(t, func(s *spec.Spec) { s.Cluster = cluster }).only(plan.Role)
		roles.o.Request.Beside = h.path
		job := provision.New(roles.o) // without a credentials file, as roles delete
		if err := job.Destroy(t.Context(), job.PlanDestroy(t.Context())); err != nil {
			t.Fatal(err)
		}
		job.Close(context.Background())
		h.same(t, applied)
	}
	for _, kind := range []plan.Kind{plan.User, plan.Permission, plan.Role} {
		if _, err := h.only(kind).destroy(t); err != nil {
			t.Fatal(err)
		}
	}
	h.same(t, before)
}

// A role of another prefix is ours where an account of ours holds it: its digest says who made it.
func TestRolePrefixChanges(t *testing.T) {
	t.Parallel()
	begun := func(t *testing.T) (h *house, empty string) {
		h = one(t, vcsim.Options{})
		populate(t, h.lab)
		h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {}, "diagnostics": {Principal: "svc-diag@corp.example.com"}}
		// somebody else's, of the same kind, who holds one of them too
		h.setRole(t, 0, "acme-"+dsRole, "Datastore.AllocateSpace", "Datastore.Browse", "Datastore.FileManagement", "InventoryService.Tagging.ObjectAttachable")
		empty = h.snapshot()
		h.mustApply(t)
		h.spec.Privileges.RolePrefix = "team-"
		return h, empty
	}
	t.Run("destroy", func(t *testing.T) {
		t.Parallel()
		h, empty := begun(t)
		if _, err := h.destroy(t); err != nil {
			t.Fatal(err)
		}
		h.same(t, empty)
	})
	t.Run("apply", func(t *testing.T) {
		t.Parallel()
		h, empty := begun(t)
		l := reads(t, h, plan.Role, func(j *provision.Job) *inspect.RoleList { return j.Roles(context.Background(), false) })
		if got := roleNamed(t, l.VCenters[0], dsRole); got.State != inspect.RoleOtherPrefix {
			t.Errorf("%s is %s", got.Name, got.State)
		}
		h.mustApply(t)
		if s := h.snapshot(); strings.Contains(s, `"openshift-csi-driver`) || strings.Contains(s, `"openshift-cluster1`) {
			t.Errorf("old roles stay:\n%s", s)
		}
		if p := h.plan(t); p.Err() != nil || !p.Empty() {
			t.Errorf("the second plan (%v):\n%s", p.Err(), text(p))
		}
		if _, err := h.destroy(t); err != nil {
			t.Fatal(err)
		}
		h.same(t, empty)
	})
}
