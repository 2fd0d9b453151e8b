package provision_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
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
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			if strings.Contains(c.Line(), part) {
				return c
			}
		}
	}
	t.Fatalf("no change says %q:\n%s", part, text(p))
	return nil
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
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	list, err := authz(c).RoleList(ctx)
	if err != nil {
		t.Fatal(err)
	}
	const name = "openshift-csi-driver-datastore"
	role := list.ByName(name)
	if err := authz(c).UpdateRole(ctx, role.RoleId, name, []string{"Datastore.Browse", "Datastore.Delete"}); err != nil {
		t.Fatal(err)
	}
	got := change(t, h.plan(t), "role "+name)
	if got.Verb != plan.Update || !strings.Contains(got.Line(), "-Datastore.Delete") || !strings.Contains(got.Line(), "+Datastore.FileManagement") {
		t.Errorf("the change is %s %s", got.Verb, got.Line())
	}
	if !strings.Contains(got.Note, `VSPHERE.LOCAL\ocp-cluster1-csi-driver`) {
		t.Errorf("nobody is said to be affected: %q", got.Note)
	}
	h.o.Additive = true
	if got := change(t, h.plan(t), "role "+name); strings.Contains(got.Line(), "-Datastore.Delete") {
		t.Errorf("--additive removes a privilege: %s", got.Line())
	}
	h.o.Additive = false
	h.mustApply(t)
	if p := h.plan(t); !p.Empty() {
		t.Errorf("not mended:\n%s", text(p))
	}
}

// R3: a role whose name differs only in case is a conflict, not a twin.
func TestR3CaseConflict(t *testing.T) {
	h := one(t, vcsim.Options{})
	if _, err := authz(h.admin(t)).AddRole(context.Background(), "OpenShift-CSI-Driver-Datastore", []string{"Datastore.Browse"}); err != nil {
		t.Fatal(err)
	}
	if err := h.plan(t).Err(); err == nil || !strings.Contains(err.Error(), "differs only in case") {
		t.Errorf("error is %v", err)
	}
}

// R7: a role of ours that somebody else was given stays at destroy, and the plan says for whom.
func TestR7RoleInUse(t *testing.T) {
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	list, err := authz(c).RoleList(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.lab.VCenters[0].Directory().AddUser("somebody", "Secret-123x", vcsim.Details{}); err != nil {
		t.Fatal(err)
	}
	role := list.ByName("openshift-diagnostics-vcenter")
	err = authz(c).SetEntityPermissions(ctx, c.ServiceContent.RootFolder, []types.Permission{{Principal: "somebody@vsphere.local", RoleId: role.RoleId}})
	if err != nil {
		t.Fatal(err)
	}
	report, err := h.destroy(t)
	if err != nil {
		t.Fatal(err)
	}
	if note := change(t, report, "role openshift-diagnostics-vcenter"); note.Verb != plan.Note || !strings.Contains(note.Note, `VSPHERE.LOCAL\somebody`) {
		t.Errorf("%s %s", note.Verb, note.Line())
	}
	if !strings.Contains(h.snapshot(), `role "openshift-diagnostics-vcenter"`) || strings.Contains(h.snapshot(), `role "openshift-diagnostics-datastore"`) {
		t.Error("the wrong roles are gone")
	}
}

// R11, R14: a permission of our account that somebody changed is displaced, with its former role in the note; one that
// stands elsewhere is removed, unless --additive.
func TestR11R14Displaced(t *testing.T) {
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
	h.o.Additive = true
	if strings.Contains(text(h.plan(t)), "- permission") {
		t.Error("--additive removes a permission")
	}
}

// R16, R17: what takes no permission is found in the plan, with what to use instead.
func TestR16Forbidden(t *testing.T) {
	h := one(t, vcsim.Options{})
	h.spec.VCenters[0].FailureDomains[0].Folder = "/DC1/vm"
	err := h.plan(t).Err()
	if err == nil || !strings.Contains(err.Error(), "/DC1/vm takes no permission") {
		t.Fatalf("error is %v", err)
	}
	var hinted interface{ Hints() []string }
	if !errors.As(err, &hinted) || !strings.Contains(hinted.Hints()[0], "use /DC1,") {
		t.Errorf("no hint at the datacenter: %v", err)
	}
}

// R18: a permission that somebody removed since the plan was made is no failure.
func TestR18AlreadyGone(t *testing.T) {
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
	h := one(t, vcsim.Options{})
	h.spec.Components = map[string]spec.Component{"diagnostics": {Principal: "administrator@vsphere.local"}}
	before := h.snapshot()
	_, err := h.apply(t)
	if err == nil || !strings.Contains(err.Error(), "administrator@vsphere.local administers this vCenter") {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff(before, h.snapshot()); diff != "" {
		t.Error(diff)
	}
}

// R32: an account that the vCenter does not know yet is asked for again.
func TestR32NewAccountsAreSeenLate(t *testing.T) {
	h := one(t, vcsim.Options{UserDelay: 600 * time.Millisecond})
	h.mustApply(t)
	if v := h.verify(t); !v.OK() {
		t.Errorf("%+v", v)
	}
}

// R33: the SSO domain is asked for, never assumed.
func TestR33Domain(t *testing.T) {
	h := one(t, vcsim.Options{Domain: "sso.example.com"})
	h.mustApply(t)
	if !strings.Contains(h.snapshot(), `SSO.EXAMPLE.COM\ocp-cluster1-installer description`) {
		t.Errorf("no account in the domain:\n%s", h.snapshot())
	}
	if v := h.verify(t); !v.OK() {
		t.Errorf("%+v", v)
	}
}

// R36: a wrong password is tried once per verify, so that nobody is locked out by it.
func TestR36OneAttempt(t *testing.T) {
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	dir := h.lab.VCenters[0].Directory()
	if err := dir.SetPassword("ocp-cluster1-csi-driver@vsphere.local", "Other-Secret-1x"); err != nil {
		t.Fatal(err)
	}
	for range dir.LockoutPolicy().MaxFailed - 1 {
		v := h.verify(t)
		if v.OK() || v.Summary.Failed != 1 {
			t.Fatalf("%+v", v.Summary)
		}
	}
	if u, _ := dir.User("ocp-cluster1-csi-driver@vsphere.local"); u.Locked {
		t.Error("the account is locked: more than one attempt per verify")
	}
}

// R40: vCenters of one SSO domain share the accounts and their passwords; apart ones of the same domain name do not.
func TestR40Linked(t *testing.T) {
	for _, linked := range []bool{true, false} {
		s := parse(t, demoSpec)
		h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: linked}), t.TempDir(), s)
		report, err := h.apply(t)
		if err != nil {
			t.Fatalf("linked %v: %v\n%s", linked, err, text(report))
		}
		users := strings.Count(text(report), "+ user ")
		if want := map[bool]int{true: 5, false: 10}[linked]; users != want {
			t.Errorf("linked %v: %d accounts created, want %d", linked, users, want)
		}
		first, second := h.stored(t, "vcenter1.example.com"), h.stored(t, "vcenter2.example.com")
		if first.Password.Equal(second.Password) != linked {
			t.Errorf("linked %v: the passwords are the same: %v", linked, !linked)
		}
		if v := h.verify(t); !v.OK() {
			t.Errorf("linked %v: %+v", linked, v)
		}
		if p := h.plan(t); !p.Empty() {
			t.Errorf("linked %v:\n%s", linked, text(p))
		}
	}
}

// R40: while a vCenter of the same SSO domain cannot be read, the accounts stay, and so do their passwords.
func TestR40DestroyWithAnUnreadVCenter(t *testing.T) {
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	before := h.snapshot()
	h.mustApply(t)
	second := h.lab.VCenters[1]
	second.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Refused} })
	report, err := h.destroy(t)
	if err == nil {
		t.Fatal("a vCenter that cannot be read is no failure")
	}
	if note := change(t, report, "user ocp-cluster1-installer@vsphere.local"); note.Verb != plan.Note || !strings.Contains(note.Note, "vcenter2.example.com may share") {
		t.Errorf("%s %s", note.Verb, note.Line())
	}
	h.stored(t, "vcenter1.example.com")
	h.stored(t, "vcenter2.example.com")
	second.SetFault(nil)
	if report, err := h.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(h.snapshot(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// R40: sections of one SSO domain that disagree on a password are not made to agree by guessing.
func TestR40TwoPasswords(t *testing.T) {
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	other := credfile.Account{User: "ocp-cluster1-machine-api@vsphere.local", Password: secret.New("Typed-by-hand-1")}
	if err := errors.Join(file.Set("vcenter2.example.com", "machine-api", other), file.Save()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.apply(t); err == nil || !strings.Contains(err.Error(), "two different passwords for ocp-cluster1-machine-api@vsphere.local") {
		t.Errorf("error is %v", err)
	}
	if !h.stored(t, "vcenter2.example.com").Password.Equal(other.Password) {
		t.Error("one of them is lost")
	}
}

// R36: a refused password is tried once in all, not once per vCenter, where it could lock the account.
func TestR36OneAttemptForAllVCenters(t *testing.T) {
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	dir := h.lab.VCenters[0].Directory()
	policy := dir.LockoutPolicy()
	policy.MaxFailed = 2
	dir.SetLockoutPolicy(policy)
	if err := dir.SetPassword("ocp-cluster1-csi-driver@vsphere.local", "Other-Secret-1x"); err != nil {
		t.Fatal(err)
	}
	if v := h.verify(t); v.Summary.Failed != 2 {
		t.Errorf("%+v", v.Summary)
	}
	if u, _ := dir.User("ocp-cluster1-csi-driver@vsphere.local"); u.Locked {
		t.Error("the account is locked: each vCenter was tried")
	}
}

// An account that cannot be shown to work is no proof.
func TestVerifyProvesNothingWithoutAccounts(t *testing.T) {
	h := demo(t)
	if v := h.verify(t); v.OK() || v.Summary.Failed != 10 {
		t.Errorf("%+v", v.Summary)
	}
	h.mustApply(t)
	if err := os.Remove(h.path); err != nil {
		t.Fatal(err)
	}
	if v := h.verify(t); v.OK() || v.Summary.Failed != 10 {
		t.Errorf("%+v", v.Summary)
	}
}

// Two clusters that share adopted accounts, roles and objects: each takes away what it asked for, whatever the others
// have elsewhere stays.
func TestAdoptedAccounts(t *testing.T) {
	h := one(t, vcsim.Options{})
	adopted := map[string]spec.Component{"csi-driver": {Principal: `CORP\alice`}, "diagnostics": {Principal: "bob@corp.example.com"}}
	h.spec.Components = adopted
	second := parse(t, strings.ReplaceAll(demoSpec, "/DC1/vm/openshift/cluster1", "/DC1/vm/legacy"))
	second.VCenters, second.Components, second.Cluster = second.VCenters[:1], adopted, "cluster2"
	other := open(t, h.lab, t.TempDir(), second)
	before := h.snapshot()
	h.mustApply(t)
	v := h.verify(t)
	if !v.OK() || v.Summary.Unverified != 2 {
		t.Errorf("%+v", v.Summary)
	}
	other.mustApply(t)
	if report, err := h.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	if got := granted(t, other.plan(t), `CORP\alice`); got["/DC1/vm/legacy"] != "" {
		t.Error("destroy took a permission that only the other cluster asks for")
	}
	other.mustApply(t)
	if report, err := other.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(h.snapshot(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// What a path leads to has to be what the failure domain calls it.
func TestWrongTypes(t *testing.T) {
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

// A second cluster with fewer conditions does not narrow the roles that the first one holds; --additive narrows nothing.
func TestSharedRolesAreNotNarrowed(t *testing.T) {
	h := one(t, vcsim.Options{})
	h.spec.Privileges.Conditions = []string{"storage-policy"}
	h.mustApply(t)
	second := parse(t, demoSpec)
	second.VCenters, second.Cluster = second.VCenters[:1], "cluster2"
	other := open(t, h.lab, t.TempDir(), second)
	if note := change(t, other.plan(t), "role openshift-machine-api-vcenter"); note.Verb != plan.Note || !strings.Contains(note.Note, "keeps StorageProfile.View") {
		t.Errorf("%s %s", note.Verb, note.Line())
	}
	other.mustApply(t)
	if p := h.plan(t); !p.Empty() {
		t.Errorf("the first cluster lost something:\n%s", text(p))
	}
	h.spec.Privileges.RoleLayout = "component"
	h.o.Additive = true
	for _, v := range h.plan(t).VCenters {
		for _, c := range v.Changes {
			if before, ok := c.Before.(plan.PermissionState); ok && c.Acts() && before.Propagate && !c.After.(plan.PermissionState).Propagate {
				t.Errorf("--additive: %s", c.Line())
			}
		}
	}
}

// A folder that --create-folders made is used by later runs without the flag: nothing moves to the datacenter.
func TestCreatedFolderStaysChosen(t *testing.T) {
	h := one(t, vcsim.Options{})
	h.spec.VCenters[0].FailureDomains[0].Folder = ""
	h.o.CreateFolders = true
	h.mustApply(t)
	h.o.CreateFolders = false
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	if v := h.verify(t); !v.OK() {
		t.Errorf("%+v", v.Summary)
	}
}

// An account that somebody else made between plan and apply is not ours, and no password of ours is left for it.
func TestTakenAccount(t *testing.T) {
	h := one(t, vcsim.Options{})
	job := h.job(t)
	defer job.Close(context.Background())
	p := job.Plan(context.Background())
	twin := open(t, h.lab, t.TempDir(), h.spec)
	twin.mustApply(t)
	if err := job.Apply(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "somebody else made it since the plan") {
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
