package provision_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// earlier makes of what apply made what the version before digests made: roles without a digest and without the cluster,
// ReadOnly for adopted accounts that only read.
func (h *house) earlier(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	for i := range h.lab.VCenters {
		v := h.lab.VCenters[i]
		c, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
		if err != nil {
			t.Fatal(err)
		}
		list, err := authz(c).RoleList(ctx)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[int32]int32{}
		for _, r := range list {
			name := strings.Replace(undigested(r.Name), "openshift-cluster1-", "openshift-", 1)
			switch {
			case name == r.Name:
				continue
			case strings.HasSuffix(name, "-read"):
				ids[r.RoleId] = list.ByName("ReadOnly").RoleId
				continue
			}
			if ids[r.RoleId], err = authz(c).AddRole(ctx, name, r.Privilege); err != nil {
				t.Fatal(err)
			}
		}
		all, err := methods.RetrieveAllPermissions(ctx, c, &types.RetrieveAllPermissions{This: *c.ServiceContent.AuthorizationManager})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all.Returnval {
			if id, ok := ids[p.RoleId]; ok {
				p.RoleId = id
				if err := authz(c).SetEntityPermissions(ctx, *p.Entity, []types.Permission{p}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for id := range ids {
			if err := authz(c).RemoveRole(ctx, id, true); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What the version before this one provisioned is taken over: permissions move to the roles of today one by one, each in one
// request that replaces the old one, and each old role goes when nobody holds it any more (R7: a vCenter would refuse else).
func TestEarlierVersion(t *testing.T) {
	t.Parallel()
	h := demo(t)
	populate(t, h.lab)
	h.spec.VCenters = h.spec.VCenters[:1]
	h.spec.Components = map[component.Name]spec.Component{
		"machine-api": {}, "csi-driver": {Principal: "svc-csi@corp.example.com"}, "diagnostics": {Principal: `CORP\OCP storage`}, "installer": {},
	}
	empty := h.snapshot()
	h.mustApply(t)
	today := h.snapshot()
	h.earlier(t)

	// The old names grant the same, so nothing is missing and nothing is too much.
	if v := h.verify(t); !v.OK(false) {
		t.Fatalf("%+v", v.Summary)
	}
	before := h.snapshot()
	p := h.plan(t)
	if len(p.Displacing()) > 0 {
		t.Errorf("what we made ourselves is taken for others':\n%s", text(p))
	}
	c := change(t, p, "permission of ocp-cluster1-machine-api@vsphere.local on /DC1/datastore/ds1")
	if had, ok := c.Before.(plan.PermissionState); c.Verb != plan.Update || !ok || had.Role != "openshift-machine-api-datastore" {
		t.Errorf("%s %s", c.Verb, c.Line())
	}
	if c := change(t, p, "role openshift-machine-api-datastore"); c.Verb != plan.Create && c.Verb != plan.Delete {
		t.Errorf("%s %s", c.Verb, c.Line())
	}

	var calls []string
	h.lab.VCenters[0].SetFault(func(_ int, method string) vcsim.Fault {
		calls = append(calls, method)
		return vcsim.Fault{}
	})
	h.mustApply(t)
	h.lab.VCenters[0].SetFault(nil)
	if slices.Contains(calls, "RemoveEntityPermission") {
		t.Error("a permission was removed on the way")
	}
	if !slices.Contains(calls, "RemoveAuthorizationRole") {
		t.Error("the old roles stay")
	}
	h.same(t, today)
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("the second plan (%v):\n%s", p.Err(), text(p))
	}
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	h.same(t, empty)

	// A role of an old name that somebody changed since is not ours to remove, and a destroy before the move takes from
	// adopted accounts nothing that may be another cluster's.
	h.mustApply(t)
	h.earlier(t)
	if h.snapshot() != before {
		t.Fatal("not as before")
	}
	h.setRole(t, 0, "openshift-machine-api-datastore", "Datastore.Browse", "Global.Diagnostics")
	report, err := h.destroy(t)
	if err != nil {
		t.Fatal(err)
	}
	if note := change(t, report, "role openshift-machine-api-datastore"); note.Verb != plan.Note || !strings.Contains(note.Note, "somebody changed it") {
		t.Errorf("%s %s", note.Verb, note.Line())
	}
	if s := h.snapshot(); !strings.Contains(s, `svc-csi role "openshift-csi-driver-datastore"`) || strings.Contains(s, "ocp-cluster1-machine-api") {
		t.Errorf("the wrong things are gone:\n%s", s)
	}
}
