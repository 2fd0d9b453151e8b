package vcsim

import (
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	create = "Folder.Create"
	remove = "Folder.Delete"
	rename = "Folder.Rename"

	clusterVM    = "/DC0/vm/DC0_C0_RP1_VM0"
	standaloneVM = "/DC0/vm/DC0_H0_VM0"
)

func TestR21UserBeatsGroups(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	r.group("g", "u")
	r.group("h", "u")
	if err := r.dir.AddGroup("outer", ""); err != nil {
		t.Fatal(err)
	}
	if err := r.dir.AddMember("outer", "h", true); err != nil {
		t.Fatal(err)
	}
	r.grantRole("/DC0", "g", true, true, r.role(create))
	r.grantRole("/DC0", "outer", true, true, r.role(remove))
	r.wantHolds("/DC0", u, create, true) // the groups' rights unite
	r.wantHolds("/DC0", u, remove, true)
	r.grant("/DC0", u, true, rename)
	r.wantHolds("/DC0", u, create, false) // the user's own entry is the only one
	r.wantHolds("/DC0", u, rename, true)
}

func TestR22NearestDecides(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	r.group("g", "u")
	r.grant("/", u, true, create)
	r.wantHolds(clusterVM, u, create, true)
	r.grant("/DC0", u, true, remove)
	r.wantHolds(clusterVM, u, create, false)
	r.wantHolds(clusterVM, u, remove, true)
	r.grantRole("/DC0/host/DC0_C0", "g", true, true, r.role(rename)) // a child's group entry beats a parent's user entry
	r.wantHolds("/DC0/host/DC0_C0", u, rename, true)
	r.wantHolds("/DC0/host/DC0_C0", u, remove, false)
	r.grantRole("/DC0/host/DC0_C0", "u", false, true, -5) // NoAccess narrows
	r.wantHolds("/DC0/host/DC0_C0", u, "System.View", false)
}

func TestR23WithoutPropagate(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	r.grant("/", u, false, create)
	r.wantHolds("/", u, create, true)
	r.wantHolds("/DC0", u, create, false)
	r.grant("/DC0/host/DC0_C0/Resources/DC0_C0_RP1", u, false, remove)
	r.wantHolds("/DC0/host/DC0_C0/Resources/DC0_C0_RP1", u, remove, true)
	r.wantHolds(clusterVM, u, remove, false)
}

func TestR24TwoPathsOfAVM(t *testing.T) {
	r := newRig(t, func(m *simulator.Model, _ *authzOptions) { m.App = 1 })
	u := r.user("u")
	folder := must(object.NewFolder(r.admin.Client, r.ref("/DC0/vm")).CreateFolder(ctx, "f"))
	move := must(folder.MoveInto(ctx, []types.ManagedObjectReference{r.ref(clusterVM)}))
	if err := move.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	const vm = "/DC0/vm/f/DC0_C0_RP1_VM0"
	r.grant("/DC0/vm/f", u, true, create)
	r.grant("/DC0/host/DC0_C0", u, true, remove)
	r.wantHolds(vm, u, create, true)
	r.wantHolds(vm, u, remove, true) // both paths are added
	r.grant(vm, u, true, rename)
	r.wantHolds(vm, u, create, false) // its own entry overrides both
	r.wantHolds(vm, u, remove, false)
	if err := r.manager(r.admin).RemoveEntityPermission(ctx, r.ref(vm), u, false); err != nil {
		t.Fatal(err)
	}

	if err := r.vm(r.admin, vm).MarkAsTemplate(ctx); err != nil {
		t.Fatal(err)
	}
	r.wantHolds(vm, u, create, true)
	r.wantHolds(vm, u, remove, false) // a template has the folder's path only

	// In a vApp the vApp's chain applies, not the folder's.
	app := "/DC0/host/DC0_C0/Resources/DC0_C0_APP0"
	ds := "[LocalDS_0]"
	task, err := methods.CreateChildVM_Task(ctx, r.admin, &types.CreateChildVM_Task{
		This: r.ref(app), Config: types.VirtualMachineConfigSpec{Name: "inapp", GuestId: "otherGuest", Files: &types.VirtualMachineFileInfo{VmPathName: ds}},
	})
	if err != nil {
		t.Fatal(err)
	}
	info, err := object.NewTask(r.admin.Client, task.Returnval).WaitForResult(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r.user("v")
	r.grant(app, "v", true, create)
	r.grant("/DC0", "v", true, remove)
	got := r.a.effective(must(r.dir.Lookup("v", false)), info.Result.(types.ManagedObjectReference))
	if !got[create] || got[remove] {
		t.Errorf("VM in a vApp: create %v, remove %v", got[create], got[remove])
	}
}

func TestR25ComplexEntities(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	r.grant("/DC0", u, false, create)
	for path, want := range map[string]bool{
		"/DC0": true, "/DC0/vm": true, "/DC0/host": true, "/DC0/datastore": true, "/DC0/network": true,
		clusterVM: false, "/DC0/host/DC0_C0": false, "/DC0/datastore/LocalDS_0": false, "/DC0/network/VM Network": false,
		"/DC0/network/DVS0": false, "/DC0/network/DC0_DVPG0": false,
	} {
		r.wantHolds(path, u, create, want)
	}
	r.grant("/DC0/host/DC0_C0", u, false, remove)
	r.wantHolds("/DC0/host/DC0_C0/Resources", u, remove, true)
	r.wantHolds("/DC0/host/DC0_C0/DC0_C0_H0", u, remove, false)
	r.wantHolds("/DC0/host/DC0_C0/Resources/DC0_C0_RP1", u, remove, false)
	r.grant("/DC0/host/DC0_H0", u, false, rename)
	r.wantHolds("/DC0/host/DC0_H0/Resources", u, rename, true)
	r.wantHolds("/DC0/host/DC0_H0/DC0_H0", u, rename, true)
	r.wantHolds(standaloneVM, u, rename, false)
}

func TestR26Chains(t *testing.T) {
	r := newRig(t, func(m *simulator.Model, _ *authzOptions) { m.Pod = 1 })
	u := r.user("u")
	r.grant("/DC0", u, true, create)
	for _, path := range []string{
		"/DC0/datastore/LocalDS_0", "/DC0/network/VM Network", "/DC0/network/DC0_DVPG0", "/DC0/network/DVS0",
		"/DC0/host/DC0_C0/DC0_C0_H0", "/DC0/host/DC0_C0/Resources/DC0_C0_RP1", "/DC0/host/DC0_H0/DC0_H0", clusterVM, standaloneVM,
		"/DC0/datastore/DC0_POD0",
	} {
		r.wantHolds(path, u, create, true)
	}
	r.grant("/DC0/datastore/LocalDS_0", u, false, remove) // a leaf needs no propagate
	r.wantHolds("/DC0/datastore/LocalDS_0", u, remove, true)
	r.grant("/DC0/host/DC0_C0", u, true, rename)
	for path, want := range map[string]bool{
		"/DC0/host/DC0_C0/DC0_C0_H0": true, "/DC0/host/DC0_C0/Resources": true, "/DC0/host/DC0_C0/Resources/DC0_C0_RP1": true,
		clusterVM: true, standaloneVM: false, "/DC0/datastore/LocalDS_0": false,
	} {
		r.wantHolds(path, u, rename, want)
	}
}

func TestR27NonEntities(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	r.grant("/", u, false, "Sessions.TerminateSession")
	for _, ref := range []types.ManagedObjectReference{*r.admin.ServiceContent.SessionManager, {Type: "Tag", Value: "urn:vmomi:InventoryServiceTag:1"}} {
		res := must(r.manager(r.admin).FetchUserPrivilegeOnEntities(ctx, []types.ManagedObjectReference{ref}, u))
		if len(res[0].Privileges) != 4 {
			t.Errorf("%s: %v", ref, res[0].Privileges)
		}
	}
}

// Whoever checks a session of his own is refused without the privilege: a client that takes that for "no" logs in anew.
func TestR27SessionIsActive(t *testing.T) {
	r := newRig(t)
	r.grant("/", r.user("without"), false, "Sessions.TerminateSession")
	r.grant("/", r.user("with"), false, "Sessions.ValidateSession")
	_, err := r.login("without@vsphere.local").SessionManager.SessionIsActive(ctx)
	if f := wantFault[types.NoPermission](t, err); f.PrivilegeId != "Sessions.ValidateSession" {
		t.Errorf("%s", f.PrivilegeId)
	}
	if active, err := r.login("with@vsphere.local").SessionManager.SessionIsActive(ctx); !active || err != nil {
		t.Errorf("%v, %v", active, err)
	}
}

func TestR28PrincipalForms(t *testing.T) {
	r := newRig(t)
	stored, id := r.user("Alice"), r.role(create)
	for _, form := range []string{"Alice@vsphere.local", `vsphere.local\alice`, `VSPHERE.LOCAL\ALICE`, "alice"} {
		if err := r.set(r.admin, "/DC0", types.Permission{Principal: form, RoleId: id, Propagate: true}); err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		if got := r.permissions("/DC0", false); len(got) != 1 || got[0].Principal != stored {
			t.Errorf("set as %s, read as %v", form, names(got))
		}
	}
	c := r.login("ALICE@VSPHERE.LOCAL")
	if s := must(c.SessionManager.UserSession(ctx)); s.UserName != stored {
		t.Errorf("session of %q, want %q", s.UserName, stored)
	}
}

func TestR29FetchPrivileges(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	r.group("g", "u")
	r.grantRole("/DC0", "g", true, true, r.role(create))
	for form, want := range map[string]bool{u: true, "u@vsphere.local": true, "u": false, "who@vsphere.local": false} {
		r.wantHolds("/DC0", form, create, want)
	}
	_, err := r.manager(r.admin).FetchUserPrivilegeOnEntities(ctx, []types.ManagedObjectReference{{Type: "VirtualMachine", Value: "vm-4711"}}, u)
	wantFault[types.ManagedObjectNotFound](t, err)
	r.user("v") // sees the cluster only
	r.grant("/DC0/host/DC0_C0", "v", true)
	_, err = r.manager(r.login("v@vsphere.local")).FetchUserPrivilegeOnEntities(ctx, []types.ManagedObjectReference{r.ref("/DC0")}, u)
	if f := wantFault[types.NoPermission](t, err); f.PrivilegeId != "System.View" {
		t.Errorf("%+v", f)
	}
}

func TestR30HasUserPrivilege(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	r.grant("/DC0", u, true, create)
	for form, want := range map[string]bool{u: true, "u@vsphere.local": true, "who@vsphere.local": false} {
		res, err := methods.HasUserPrivilegeOnEntities(ctx, r.admin, &types.HasUserPrivilegeOnEntities{
			This: *r.admin.ServiceContent.AuthorizationManager, UserName: form, PrivId: []string{create, remove},
			Entities: []types.ManagedObjectReference{r.ref("/DC0"), *r.admin.ServiceContent.SessionManager},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range res.Returnval {
			if got := e.PrivAvailability[0].IsGranted; got != (want && i == 0) {
				t.Errorf("%s on %s: %v", form, e.Entity, got)
			}
			if e.PrivAvailability[1].IsGranted {
				t.Errorf("%s has %s", form, remove)
			}
		}
	}
}

func TestR31SessionPrivileges(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	r.grant("/DC0", u, true, create)
	c := r.login("u@vsphere.local")
	s := must(c.SessionManager.UserSession(ctx))
	dc := r.ref("/DC0")
	want := []bool{true, false, true}
	got := must(r.manager(r.admin).HasPrivilegeOnEntity(ctx, dc, s.Key, []string{create, remove, "System.Read"}))
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %v", got)
	}
	if got := must(r.manager(r.admin).HasPrivilegeOnEntity(ctx, dc, "nonsense", []string{create, "System.Read"})); len(got) != 2 || got[0] || got[1] {
		t.Errorf("unknown session: %v", got)
	}
	has := func(key string) bool {
		res, err := methods.HasPrivilegeOnEntities(ctx, r.admin, &types.HasPrivilegeOnEntities{
			This: *r.admin.ServiceContent.AuthorizationManager, Entity: []types.ManagedObjectReference{dc}, SessionId: key, PrivId: []string{create},
		})
		if err != nil {
			t.Fatal(err)
		}
		return res.Returnval[0].PrivAvailability[0].IsGranted
	}
	if !has(s.Key) || has("nonsense") {
		t.Error("HasPrivilegeOnEntities is wrong")
	}
	if err := c.Logout(ctx); err != nil {
		t.Fatal(err)
	}
	if has(s.Key) {
		t.Error("a session that is over has privileges")
	}
}

func TestEffectiveRoleAndPermissionProperties(t *testing.T) {
	r := newRig(t)
	r.user("u")
	id := r.role(create)
	r.grantRole("/DC0", "u", false, true, id)
	c := r.login("u@vsphere.local")
	props := r.properties(c, r.ref("/DC0"), "effectiveRole", "permission")
	if got, ok := props["effectiveRole"].(types.ArrayOfInt); !ok || len(got.Int) != 1 || got.Int[0] != id {
		t.Errorf("effectiveRole: %v", props["effectiveRole"])
	}
	if got, ok := props["permission"].(types.ArrayOfPermission); !ok || len(got.Permission) != 1 || got.Permission[0].RoleId != id {
		t.Errorf("permission: %v", props["permission"])
	}
}
