package vcsim

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func merge(c *govmomi.Client, from, to int32) error {
	_, err := methods.MergePermissions(ctx, c, &types.MergePermissions{This: *c.ServiceContent.AuthorizationManager, SrcRoleId: from, DstRoleId: to})
	return err
}

func (r *rig) reset(path string, p ...types.Permission) error {
	_, err := methods.ResetEntityPermissions(ctx, r.admin, &types.ResetEntityPermissions{
		This: *r.admin.ServiceContent.AuthorizationManager, Entity: r.ref(path), Permission: p,
	})
	return err
}

func TestR11Upsert(t *testing.T) {
	r := newRig(t)
	a, b, id1, id2 := r.user("a"), r.user("b"), r.role(), r.role("Folder.Create")
	r.group("g", "b")
	if err := r.set(r.admin, "/DC0", types.Permission{Principal: a, RoleId: id1}); err != nil {
		t.Fatal(err)
	}
	if err := r.set(r.admin, "/DC0",
		types.Permission{Principal: "b@vsphere.local", RoleId: id1, Propagate: true},
		types.Permission{Principal: "B@VSPHERE.LOCAL", RoleId: id2}, // the same again: the last one wins
		types.Permission{Principal: "g@vsphere.local", Group: true, RoleId: id2},
	); err != nil {
		t.Fatal(err)
	}
	want := names([]types.Permission{
		{Principal: a, RoleId: id1}, {Principal: b, RoleId: id2}, {Principal: `VSPHERE.LOCAL\g`, Group: true, RoleId: id2},
	})
	if d := cmp.Diff(want, names(r.permissions("/DC0", false))); d != "" {
		t.Error(d)
	}
}

func TestR12InOrder(t *testing.T) {
	r := newRig(t)
	a, b, id := r.user("a"), r.user("b"), r.role()
	err := r.set(r.admin, "/DC0",
		types.Permission{Principal: a, RoleId: id},
		types.Permission{Principal: "nobody@vsphere.local", RoleId: id},
		types.Permission{Principal: b, RoleId: id})
	wantFault[types.UserNotFound](t, err)
	if d := cmp.Diff(names([]types.Permission{{Principal: a, RoleId: id}}), names(r.permissions("/DC0", false))); d != "" {
		t.Error(d)
	}
}

func TestR13Reset(t *testing.T) {
	r := newRig(t)
	a, b, id := r.user("a"), r.user("b"), r.role()
	r.grant("/DC0", a, true)
	if err := r.reset("/DC0", types.Permission{Principal: b, RoleId: id}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(names([]types.Permission{{Principal: b, RoleId: id}}), names(r.permissions("/DC0", false))); d != "" {
		t.Error(d)
	}
	wantFault[types.AuthMinimumAdminPermission](t, r.reset("/", types.Permission{Principal: b, RoleId: id}))
	if !r.holds("/", "administrator@vsphere.local", "Folder.Create") {
		t.Error("the refused reset took the administrator's rights")
	}
}

func TestR14Displaces(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	r.grant("/DC0", u, true, "Folder.Create")
	if err := r.set(r.admin, "/DC0", types.Permission{Principal: u, RoleId: r.role("Folder.Delete"), Propagate: true}); err != nil {
		t.Fatal(err)
	}
	r.wantHolds("/DC0", u, "Folder.Create", false)
	r.wantHolds("/DC0", u, "Folder.Delete", true)
}

func TestR15Faults(t *testing.T) {
	r := newRig(t)
	u, id := r.user("u"), r.role()
	p := func(role int32, who string) types.Permission { return types.Permission{Principal: who, RoleId: role} }
	gone := types.ManagedObjectReference{Type: "Folder", Value: "group-v4711"}
	wantFault[types.ManagedObjectNotFound](t, r.manager(r.admin).SetEntityPermissions(ctx, gone, []types.Permission{p(id, u)}))
	if f := wantFault[types.UserNotFound](t, r.set(r.admin, "/DC0", p(id, "who@vsphere.local"))); f.Principal != "who@vsphere.local" || f.Unresolved {
		t.Errorf("%+v", f)
	}
	wantFault[types.NotFound](t, r.set(r.admin, "/DC0", p(4711, u)))
	wantFault[types.InvalidArgument](t, r.set(r.admin, "/DC0", p(viewRole, u)))
	wantFault[types.InvalidArgument](t, r.set(r.admin, "/DC0", p(anonymousRole, u)))
	if err := r.set(r.admin, "/DC0", p(-5, u)); err != nil {
		t.Errorf("NoAccess: %v", err)
	}
}

func TestR15Unresolved(t *testing.T) {
	r := newRig(t)
	if err := r.dir.AddIdentitySource(directory.IdentitySource{Name: "corp.example.com", Alias: "CORP"}); err != nil {
		t.Fatal(err)
	}
	if err := r.dir.SetReachable("corp.example.com", false); err != nil {
		t.Fatal(err)
	}
	f := wantFault[types.UserNotFound](t, r.set(r.admin, "/DC0", types.Permission{Principal: "u@corp.example.com", RoleId: r.role()}))
	if !f.Unresolved {
		t.Errorf("%+v", f)
	}
}

func TestR16ForbiddenObjects(t *testing.T) {
	r := newRig(t)
	u, id := r.user("u"), r.role()
	for _, path := range []string{
		"/DC0/vm", "/DC0/host", "/DC0/datastore", "/DC0/network",
		"/DC0/host/DC0_C0/Resources", "/DC0/host/DC0_H0/Resources", "/DC0/host/DC0_H0/DC0_H0",
	} {
		wantFault[types.InvalidArgument](t, r.set(r.admin, path, types.Permission{Principal: u, RoleId: id}))
		wantFault[types.InvalidArgument](t, r.reset(path, types.Permission{Principal: u, RoleId: id}))
		wantFault[types.InvalidArgument](t, r.manager(r.admin).RemoveEntityPermission(ctx, r.ref(path), u, false))
	}
}

func TestR17Assignable(t *testing.T) {
	r := newRig(t, func(m *simulator.Model, _ *authzOptions) { m.App, m.Pod = 1, 1 })
	u, id := r.user("u"), r.role()
	for _, path := range []string{
		"/", "/DC0", "/DC0/host/DC0_C0", "/DC0/host/DC0_C0/DC0_C0_H0", "/DC0/host/DC0_H0", "/DC0/host/DC0_C0/Resources/DC0_C0_RP1",
		"/DC0/host/DC0_C0/Resources/DC0_C0_APP0", "/DC0/datastore/LocalDS_0", "/DC0/datastore/DC0_POD0",
		"/DC0/network/VM Network", "/DC0/network/DC0_DVPG0", "/DC0/vm/DC0_C0_RP1_VM0",
	} {
		if err := r.set(r.admin, path, types.Permission{Principal: u, RoleId: id}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestR18Remove(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	m := r.manager(r.admin)
	for _, form := range []string{u, "u@vsphere.local", "U@VSPHERE.LOCAL", "u"} {
		r.grant("/DC0", u, true)
		wantFault[types.NotFound](t, m.RemoveEntityPermission(ctx, r.ref("/DC0"), form, true)) // no group of that name
		if err := m.RemoveEntityPermission(ctx, r.ref("/DC0"), form, false); err != nil {
			t.Errorf("%s: %v", form, err)
		}
		wantFault[types.NotFound](t, m.RemoveEntityPermission(ctx, r.ref("/DC0"), form, false))
	}
	r.grant("/DC0", u, true)
	if err := r.dir.RemoveUser("u"); err != nil {
		t.Fatal(err)
	}
	if err := m.RemoveEntityPermission(ctx, r.ref("/DC0"), u, false); err != nil {
		t.Errorf("permission of an account that is gone: %v", err)
	}
}

// A switch takes permissions, as a 6.7 was seen to, and they have no effect: none is there afterwards.
func TestR17SwitchTakesPermissionsWithoutEffect(t *testing.T) {
	r := newRig(t)
	u, id := r.user("u"), r.role("DVSwitch.Modify")
	const dvs = "/DC0/network/DVS0"
	for what, err := range map[string]error{
		"set":   r.set(r.admin, dvs, types.Permission{Principal: u, RoleId: id, Propagate: true}),
		"reset": r.reset(dvs, types.Permission{Principal: u, RoleId: id}),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if list := r.permissions(dvs, false); len(list) > 0 {
		t.Errorf("the switch has permissions: %+v", list)
	}
	r.wantHolds(dvs, u, "DVSwitch.Modify", false)
	wantFault[types.NotFound](t, r.manager(r.admin).RemoveEntityPermission(ctx, r.ref(dvs), u, false))
	wantFault[types.UserNotFound](t, r.set(r.admin, dvs, types.Permission{Principal: "nobody@vsphere.local", RoleId: id}))
	r.grantRole("/DC0", u, false, true, id)
	r.wantHolds(dvs, u, "DVSwitch.Modify", true) // what it inherits counts
}

// Who is Administrator on the root folder can get another role elsewhere, and that one counts there (vmware/vic#6765).
func TestR19AdministratorElsewhere(t *testing.T) {
	r := newRig(t)
	second := r.user("second")
	r.grantRole("/", second, false, true, -1)
	r.wantHolds("/DC0/vm", second, "Folder.Create", true)
	if err := r.set(r.admin, "/DC0", types.Permission{Principal: second, RoleId: -2, Propagate: true}); err != nil {
		t.Fatal(err)
	}
	r.wantHolds("/DC0/vm", second, "Folder.Create", false)
	r.wantHolds("/", second, "Folder.Create", true)
}

func TestR19LastAdministrator(t *testing.T) {
	r := newRig(t)
	m := r.manager(r.admin)
	root := r.ref("/")
	admin, admins := `VSPHERE.LOCAL\Administrator`, `VSPHERE.LOCAL\Administrators`
	if err := m.RemoveEntityPermission(ctx, root, admins, true); err != nil {
		t.Fatal(err)
	}
	wantFault[types.AuthMinimumAdminPermission](t, m.RemoveEntityPermission(ctx, root, admin, false))
	wantFault[types.AuthMinimumAdminPermission](t, r.set(r.admin, "/", types.Permission{Principal: admin, RoleId: -2, Propagate: true}))
	r.wantHolds("/DC0", "administrator@vsphere.local", "Folder.Create", true)
}

func TestR20Reads(t *testing.T) {
	r := newRig(t)
	u := r.user("u")
	m := r.manager(r.admin)
	r.grant("/", u, false, "Folder.Create")
	r.grant("/DC0", u, false, "Folder.Delete")
	id := r.role("Folder.Rename")
	r.grantRole("/DC0/host/DC0_C0", u, false, true, id)

	own := r.permissions("/DC0", false)
	if len(own) != 1 || own[0].Entity == nil || *own[0].Entity != r.ref("/DC0") {
		t.Errorf("entity not filled: %+v", own)
	}
	if got := names(r.permissions("/DC0", true)); len(got) != 1 { // the root's does not propagate
		t.Errorf("inherited on the datacenter: %v", got)
	}
	for _, folder := range []string{"/DC0/vm", "/DC0/host", "/DC0/datastore", "/DC0/network"} { // one with the datacenter
		got := r.permissions(folder, true)
		if len(names(got)) != 1 || !slices.ContainsFunc(got, func(p types.Permission) bool { return *p.Entity == r.ref("/DC0") }) {
			t.Errorf("inherited on %s: %+v", folder, got)
		}
	}
	for _, leaf := range []string{"/DC0/datastore/LocalDS_0", "/DC0/network/VM Network"} {
		if got := names(r.permissions(leaf, true)); len(got) != 0 {
			t.Errorf("inherited on %s: %v", leaf, got)
		}
	}
	if got := names(r.permissions("/DC0/vm/DC0_H0_VM0", true)); len(got) != 0 {
		t.Errorf("inherited on a VM elsewhere: %v", got)
	}
	if got := names(r.permissions("/DC0/vm/DC0_C0_RP1_VM0", true)); len(got) != 1 {
		t.Errorf("inherited on a VM of the cluster: %v", got)
	}

	all := must(m.RetrieveAllPermissions(ctx))
	if len(all) != 5 {
		t.Errorf("%d permissions in all", len(all))
	}
	if d := cmp.Diff(all, must(m.RetrieveAllPermissions(ctx))); d != "" {
		t.Errorf("order changed: %s", d)
	}
	if got := must(m.RetrieveRolePermissions(ctx, id)); len(got) != 1 || got[0].RoleId != id {
		t.Errorf("of the role: %+v", got)
	}
	_, err := m.RetrieveRolePermissions(ctx, 4711)
	wantFault[types.NotFound](t, err)
	_, err = m.RetrieveEntityPermissions(ctx, types.ManagedObjectReference{Type: "Folder", Value: "group-v4711"}, true)
	wantFault[types.ManagedObjectNotFound](t, err)

	// Somebody who sees the cluster only is shown the cluster's permissions only.
	r.user("v")
	r.grant("/DC0/host/DC0_C0", "v", true)
	for _, p := range must(r.manager(r.login("v@vsphere.local")).RetrieveAllPermissions(ctx)) {
		if *p.Entity != r.ref("/DC0/host/DC0_C0") {
			t.Errorf("v sees a permission on %s", p.Entity)
		}
	}
}
