package provision_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// These tests hold the tool against the rules of a vCenter; the numbers are those of the simulation's own tests.

// admin is a plain govmomi client of the first vCenter's administrator.
func (h *house) admin(t *testing.T) *vim25.Client {
	t.Helper()
	v := h.lab.VCenters[0]
	c, err := v.Login(context.Background(), v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func authz(c *vim25.Client) *object.AuthorizationManager { return object.NewAuthorizationManager(c) }

func (h *house) mustApply(t *testing.T) {
	t.Helper()
	if report, err := h.apply(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
}

// change finds a change of a plan by its line.
func change(t *testing.T, p *plan.Plan, part string) *plan.Change {
	t.Helper()
	for _, c := range p.Changes() {
		if strings.Contains(undigested(c.Line()), part) {
			return c
		}
	}
	t.Fatalf("no change says %q:\n%s", part, text(p))
	return nil
}

// toldOf is the finding of a plan about an object that says a part.
func toldOf(t *testing.T, p *plan.Plan, part string) *finding.Finding {
	t.Helper()
	for _, f := range p.Findings {
		if f.Object != nil && strings.Contains(undigested(f.String()), part) {
			return f
		}
	}
	t.Fatalf("no finding says %q:\n%s", part, text(p))
	return nil
}

// general are the findings of a plan that are about no object; the lab's failure domains lack tags.
func general(p *plan.Plan) []*finding.Finding {
	return slices.DeleteFunc(slices.Clone(p.Findings), func(f *finding.Finding) bool { return f.Object != nil || f.Code == finding.MissingTags })
}

// staying is what the run of a plan leaves although it was asked to take it away.
func staying(p *plan.Plan) []*finding.Finding {
	return plan.Fold(slices.DeleteFunc(slices.Clone(p.Findings), func(f *finding.Finding) bool { return f.Code != finding.StaysBehind }))
}

func one(t *testing.T, o vcsim.Options) *house {
	t.Helper()
	s := parse(t, demoSpec)
	s.VCenters = s.VCenters[:1]
	return open(t, start(t, o), t.TempDir(), s)
}

// R1, R4: a role with the privileges that we want and the implicit ones is no difference; one with others is changed
// as a whole, under its name, and those whom it affects are named.
func TestR1R4DriftedRole(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	const name = "openshift-csi-driver-datastore"
	role := h.liveRole(t, 0, name)
	if err := authz(c).UpdateRole(ctx, role.RoleId, role.Name, []string{"Datastore.Browse", "Datastore.Delete"}); err != nil {
		t.Fatal(err)
	}
	got := change(t, h.plan(t), "role "+name)
	if got.Verb != plan.Update || !strings.Contains(got.Line(), "-Datastore.Delete") || !strings.Contains(got.Line(), "+Datastore.FileManagement") {
		t.Errorf("the change is %s %s", got.Verb, got.Line())
	}
	if !strings.Contains(got.Note, `VSPHERE.LOCAL\ocp-cluster1-csi-driver`) {
		t.Errorf("nobody is said to be affected: %q", got.Note)
	}
	h.o.Request.Additive = true
	if got := change(t, h.plan(t), "role "+name); strings.Contains(got.Line(), "-Datastore.Delete") {
		t.Errorf("--additive removes a privilege: %s", got.Line())
	}
	h.o.Request.Additive = false
	h.mustApply(t)
	if p := h.plan(t); !p.Empty() {
		t.Errorf("not mended:\n%s", text(p))
	}
}

// R3: a role whose name differs only in case is a conflict, not a twin.
func TestR3CaseConflict(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	if _, err := authz(h.admin(t)).AddRole(context.Background(), strings.ToUpper(dsRole), []string{"Datastore.Browse"}); err != nil {
		t.Fatal(err)
	}
	if err := h.plan(t).Err(); err == nil || !strings.Contains(err.Error(), "differs only in case") {
		t.Errorf("error is %v", err)
	}
}

// R7: a role of ours that somebody else was given stays at destroy, and the plan says for whom.
func TestR7RoleInUse(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	if err := h.lab.VCenters[0].Directory().AddUser("somebody", "Secret-123x", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	role := h.liveRole(t, 0, "openshift-diagnostics-vcenter")
	err := authz(c).SetEntityPermissions(ctx, c.ServiceContent.RootFolder, []types.Permission{{Principal: "somebody@vsphere.local", RoleId: role.RoleId}})
	if err != nil {
		t.Fatal(err)
	}
	report, err := h.destroy(t)
	if err != nil {
		t.Fatal(err)
	}
	if note := toldOf(t, report, "role openshift-diagnostics-vcenter"); !strings.Contains(note.Text, `VSPHERE.LOCAL\somebody`) {
		t.Error(note)
	}
	if s := undigested(h.snapshot()); !strings.Contains(s, `role "openshift-diagnostics-vcenter"`) || strings.Contains(s, `role "openshift-diagnostics-datastore"`) {
		t.Error("the wrong roles are gone")
	}
}

// R11, R14: a permission of our account that somebody changed is displaced, with its former role in the note; one that
// stands elsewhere is removed, unless --additive.
func TestR11R14Displaced(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	for _, path := range []string{"/DC1/datastore/ds1", "/DC1/datastore/other"} {
		ref, err := object.NewSearchIndex(c).FindByInventoryPath(ctx, path)
		if err != nil || ref == nil {
			t.Fatalf("%s: %v", path, err)
		}
		err = authz(c).SetEntityPermissions(ctx, ref.Reference(), []types.Permission{
			{Principal: `VSPHERE.LOCAL\OCP-cluster1-csi-driver`, RoleId: -5, Propagate: true},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	p := h.plan(t)
	if got := change(t, p, "on /DC1/datastore/ds1"); got.Verb != plan.Update || got.Note != "displaces NoAccess, propagates" {
		t.Errorf("%s %s", got.Verb, got.Line())
	}
	if got := change(t, p, "on /DC1/datastore/other"); got.Verb != plan.Delete {
		t.Errorf("%s %s", got.Verb, got.Line())
	}
	h.o.Request.Additive = true
	if strings.Contains(text(h.plan(t)), "- permission") {
		t.Error("--additive removes a permission")
	}
}

// R16, R17: what takes no permission is found in the plan, with what to use instead.
func TestR16Forbidden(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.VCenters[0].FailureDomains[0].Folder = "/DC1/vm"
	err := h.plan(t).Err()
	if err == nil || !strings.Contains(err.Error(), "permissions cannot be set on /DC1/vm: ") {
		t.Fatalf("error is %v", err)
	}
	var hinted interface{ Hints() []string }
	if !errors.As(err, &hinted) || !strings.Contains(hinted.Hints()[0], "use /DC1,") {
		t.Errorf("no hint at the datacenter: %v", err)
	}
}

// R18: a permission that somebody removed since the plan was made is no failure.
func TestR18AlreadyGone(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	job := h.job(t)
	defer job.Close(ctx)
	p := job.PlanDestroy(ctx)
	if err := authz(c).RemoveEntityPermission(ctx, c.ServiceContent.RootFolder, "ocp-cluster1-installer@vsphere.local", false); err != nil {
		t.Fatal(err)
	}
	if err := job.Destroy(ctx, p); err != nil {
		t.Fatal(err)
	}
	if err := failures(p); err != nil {
		t.Errorf("%v\n%s", err, text(p))
	}
}

// R19: an administrator of the vCenter cannot be a component's account, and nothing is done on the way to saying so.
func TestR19AdministratorAsComponent(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.Components = map[component.Name]spec.Component{"diagnostics": {Principal: "administrator@vsphere.local"}}
	before := h.snapshot()
	_, err := h.apply(t)
	if err == nil || !strings.Contains(err.Error(), "administrator@vsphere.local administers this vCenter") {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff(before, h.snapshot()); diff != "" {
		t.Error(diff)
	}
}

// permitGroup gives a group a role on an object and everything below it.
func permitGroup(t *testing.T, c *vim25.Client, on types.ManagedObjectReference, group string, role int32) error {
	t.Helper()
	return authz(c).SetEntityPermissions(t.Context(), on, []types.Permission{{Principal: group, Group: true, RoleId: role, Propagate: true}})
}
