package provision_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// An account that cannot be shown to work is no proof.
func TestVerifyProvesNothingWithoutAccounts(t *testing.T) {
	t.Parallel()
	h := demo(t)
	if v := h.verify(t); v.Meets(asAsked) || v.Summary.Failed != 10 {
		t.Errorf("%+v", v.Summary)
	}
	h.mustApply(t)
	if err := os.Remove(h.path); err != nil {
		t.Fatal(err)
	}
	if v := h.verify(t); v.Meets(asAsked) || v.Summary.Failed != 10 {
		t.Errorf("%+v", v.Summary)
	}
}

// What a path leads to has to be what the failure domain calls it.
func TestWrongTypes(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*spec.FailureDomain){
		"networks":       func(fd *spec.FailureDomain) { fd.Networks = []string{"/DC1/network/dvs0"} },
		"folder":         func(fd *spec.FailureDomain) { fd.Folder = "/DC1/vm/templates/rhcos" },
		"computeCluster": func(fd *spec.FailureDomain) { fd.ComputeCluster = "/DC1/host/C1/Resources/openshift" },
	} {
		h := one(t, vcsim.Options{})
		change(&h.spec.VCenters[0].FailureDomains[0])
		err := h.plan(t).Err()
		var hinted interface{ Hints() []string }
		if !errors.As(err, &hinted) || hinted.Hints()[0] != "correct "+field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// --additive narrows nothing: neither what a permission reaches nor what its role holds.
func TestAdditiveKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.Privileges.Conditions = []string{"storage-policy"}
	h.mustApply(t)
	h.spec.Privileges.Conditions = nil
	h.o.Request.Additive = true
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("fewer conditions take something away (%v):\n%s", p.Err(), text(p))
	}
	h.spec.Privileges.Conditions = []string{"vsan-file"}
	h.mustApply(t)
	if got := h.liveRole(t, 0, "openshift-machine-api-vcenter").Privilege; !slices.Contains(got, "StorageProfile.View") {
		t.Errorf("the role of other conditions holds %v", got)
	}
	h.spec.Privileges.RoleLayout = "component"
	for _, v := range h.plan(t).VCenters {
		for _, c := range v.Changes {
			if before, ok := c.Before.(plan.PermissionState); ok && before.Propagate && !c.After.(plan.PermissionState).Propagate {
				t.Errorf("--additive: %s", c.Line())
			}
		}
	}
}

// A folder that --create-folders made is used by later runs without the flag: nothing moves to the datacenter.
func TestCreatedFolderStaysChosen(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.VCenters[0].FailureDomains[0].Folder = ""
	h.o.Request.CreateFolders = true
	h.mustApply(t)
	h.o.Request.CreateFolders = false
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
}

// Folders on the way to the one that is made are as readable as those that exist: one run does all of it.
func TestCreatedFoldersAreReadable(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	fds := h.spec.VCenters[0].FailureDomains
	fds[0].Networks = []string{"/DC1/network/VM Network"} // a switch would make the whole datacenter readable
	second := fds[0]
	fds[0].Folder, second.Folder, second.Name = "/DC1/vm/new/deep/c9", "/DC1/vm/new", "zone-2"
	h.spec.VCenters[0].FailureDomains = []spec.FailureDomain{fds[0], second}
	h.o.Request.CreateFolders = true
	h.mustApply(t)
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
	h.spec.VCenters[0].FailureDomains = fds[:1]
	fds[0].Folder = "/DC1/vm/other/deep/c9"
	h.o.Request.Prune = true
	h.mustApply(t)
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
}

// An account that somebody else made between plan and apply is not ours, and no password of ours is left for it.
func TestTakenAccount(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	job := h.job(t)
	defer job.Close(context.Background())
	p := job.Plan(context.Background())
	twin := open(t, h.lab, t.TempDir(), h.spec)
	twin.mustApply(t)
	if err := job.Apply(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "somebody else created it after the plan") {
		t.Errorf("error is %v", err)
	}
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	if servers := file.Servers(); len(servers) > 0 {
		t.Errorf("passwords that open nothing are kept for %v", servers)
	}
}

// What an account has beyond the matrix is found.
func TestVerifyFindsExcess(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	id, err := authz(c).AddRole(ctx, "browser", []string{"Datastore.Browse", "Datastore.Delete"})
	if err != nil {
		t.Fatal(err)
	}
	ds, err := object.NewSearchIndex(c).FindByInventoryPath(ctx, "/DC1/datastore/ds1")
	if err != nil || ds == nil {
		t.Fatal(err)
	}
	err = authz(c).SetEntityPermissions(ctx, ds.Reference(), []types.Permission{{Principal: "ocp-cluster1-diagnostics@vsphere.local", RoleId: id}})
	if err != nil {
		t.Fatal(err)
	}
	v := h.verify(t)
	if v.Meets(asAsked) || v.Summary.Excess != 1 || v.Summary.Missing != 0 {
		t.Fatalf("%+v", v.Summary)
	}
	for _, a := range v.VCenters[0].Accounts {
		for _, o := range a.Objects {
			if len(o.Excess) > 0 && (a.Component != "diagnostics" || o.Path != "/DC1/datastore/ds1" || o.Excess[0] != "Datastore.Delete") {
				t.Errorf("%s has %v too much on %s", a.Component, o.Excess, o.Path)
			}
		}
	}
}

// R7: a role that somebody was given between plan and destroy is not torn out of their hands.
func TestR7GivenMeanwhile(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	job := h.job(t)
	defer job.Close(ctx)
	p := job.PlanDestroy(ctx)
	if err := h.lab.VCenters[0].Directory().AddUser("somebody", "Secret-123x", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	role := h.liveRole(t, 0, "openshift-diagnostics-datastore")
	err := authz(c).SetEntityPermissions(ctx, c.ServiceContent.RootFolder, []types.Permission{{Principal: "somebody@vsphere.local", RoleId: role.RoleId}})
	if err != nil {
		t.Fatal(err)
	}
	if err := job.Destroy(ctx, p); err != nil {
		t.Fatal(err)
	}
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "role "+role.Name+": it is in use") {
		t.Errorf("error is %v", err)
	}
	if !strings.Contains(h.snapshot(), `account VSPHERE.LOCAL\somebody role "`+role.Name+`"`) {
		t.Errorf("somebody lost it:\n%s", h.snapshot())
	}
}
