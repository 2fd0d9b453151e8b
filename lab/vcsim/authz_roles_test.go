package vcsim

import (
	"context"
	"slices"
	"testing"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

var ctx = context.Background()

func TestR1ImplicitPrivileges(t *testing.T) {
	r := newRig(t)
	m := r.manager(r.admin)
	id := must(m.AddRole(ctx, "empty", nil))
	want := []string{"System.Anonymous", "System.Read", "System.View"}
	if got := must(m.RoleList(ctx)).ById(id); !slices.Equal(got.Privilege, want) {
		t.Errorf("empty role has %v", got.Privilege)
	}
	if err := m.UpdateRole(ctx, id, "empty", []string{"Folder.Create"}); err != nil {
		t.Fatal(err)
	}
	if got := must(m.RoleList(ctx)).ById(id); !slices.Equal(got.Privilege, append([]string{"Folder.Create"}, want...)) {
		t.Errorf("updated role has %v", got.Privilege)
	}
}

func TestR2UnknownPrivilege(t *testing.T) {
	r := newRig(t, func(_ *simulator.Model, o *authzOptions) { o.Without = []string{"Cns.Searchable"} })
	m := r.manager(r.admin)
	for _, id := range []string{"Host.Inventory.View", "Cns.Searchable"} {
		_, err := m.AddRole(ctx, "bad", []string{"Folder.Create", id})
		if f := wantFault[types.InvalidArgument](t, err); f.InvalidProperty != "privIds" {
			t.Errorf("property %q", f.InvalidProperty)
		}
	}
	if must(m.RoleList(ctx)).ByName("bad") != nil {
		t.Error("the role was made nevertheless")
	}
	id := must(m.AddRole(ctx, "good", []string{"Folder.Create"}))
	wantFault[types.InvalidArgument](t, m.UpdateRole(ctx, id, "good", []string{"No.Such"}))
}

func TestR3NamesOfRoles(t *testing.T) {
	r := newRig(t)
	m := r.manager(r.admin)
	a := must(m.AddRole(ctx, "a", nil))
	_, err := m.AddRole(ctx, "A", nil)
	if f := wantFault[types.AlreadyExists](t, err); f.Name != "A" {
		t.Errorf("name %q", f.Name)
	}
	_, err = m.AddRole(ctx, "", nil)
	wantFault[types.InvalidName](t, err)
	wantFault[types.InvalidName](t, m.UpdateRole(ctx, a, "", nil))
	must(m.AddRole(ctx, "b", nil))
	wantFault[types.AlreadyExists](t, m.UpdateRole(ctx, a, "b", nil))
}

func TestR4UpdateReplaces(t *testing.T) {
	r := newRig(t)
	m := r.manager(r.admin)
	id := must(m.AddRole(ctx, "a", []string{"Folder.Create"}))
	if err := m.UpdateRole(ctx, id, "b", []string{"Folder.Delete"}); err != nil {
		t.Fatal(err)
	}
	got := must(m.RoleList(ctx)).ById(id)
	if got.Name != "b" || got.Info.GetDescription().Label != "b" || slices.Contains(got.Privilege, "Folder.Create") || !slices.Contains(got.Privilege, "Folder.Delete") {
		t.Errorf("after the update: %+v", got)
	}
	if err := m.UpdateRole(ctx, id, "b", nil); err != nil {
		t.Fatal(err)
	}
	if got := must(m.RoleList(ctx)).ById(id); !slices.Contains(got.Privilege, "Folder.Delete") {
		t.Error("an empty list has emptied the role")
	}
	wantFault[types.NotFound](t, m.UpdateRole(ctx, 123456, "c", nil))
}

func TestR5SystemRolesAndIds(t *testing.T) {
	r := newRig(t)
	m := r.manager(r.admin)
	wantFault[types.InvalidArgument](t, m.UpdateRole(ctx, -2, "mine", []string{"Folder.Create"}))
	wantFault[types.InvalidArgument](t, m.RemoveRole(ctx, -5, true))
	seen, negative := map[int32]bool{}, 0
	for i := range 40 {
		id := must(m.AddRole(ctx, string(rune('A'+i%20))+string(rune('0'+i/20)), nil))
		if seen[id] || id >= -16 && id <= 16 {
			t.Fatalf("role id %d", id)
		}
		seen[id] = true
		if id < 0 {
			negative++
		}
	}
	if negative == 0 || negative == 40 {
		t.Errorf("%d of 40 ids are negative", negative)
	}
}

func TestR6SystemRoles(t *testing.T) {
	r := newRig(t)
	got := map[int32][2]string{}
	for _, role := range must(r.manager(r.admin).RoleList(ctx)) {
		if !role.System {
			t.Errorf("%s is no system role", role.Name)
		}
		got[role.RoleId] = [2]string{role.Name, role.Info.GetDescription().Label}
	}
	for id, name := range map[int32]string{-1: "Admin", -2: "ReadOnly", -3: "View", -4: "Anonymous", -5: "NoAccess", -6: "NoCryptoAdmin", -7: "TrustedAdmin", -8: "NoTrustedAdmin"} {
		if got[id][0] != name {
			t.Errorf("role %d is %v, want %s", id, got[id], name)
		}
	}
	if got[-1][1] != "Administrator" || got[-2][1] != "Read-only" {
		t.Errorf("labels: %v, %v", got[-1], got[-2])
	}
}

func TestR7RemoveRole(t *testing.T) {
	r := newRig(t)
	m := r.manager(r.admin)
	r.user("u")
	id := r.role("Folder.Create")
	r.grantRole("/DC0", "u", false, true, id)
	wantFault[types.RemoveFailed](t, m.RemoveRole(ctx, id, true))
	if err := m.RemoveRole(ctx, id, false); err != nil {
		t.Fatal(err)
	}
	if p := names(r.permissions("/DC0", false)); len(p) != 0 {
		t.Errorf("permissions of the removed role: %v", p)
	}
	wantFault[types.NotFound](t, m.RemoveRole(ctx, id, true))
}

func TestR9Catalogue(t *testing.T) {
	r := newRig(t, func(_ *simulator.Model, o *authzOptions) { o.Without = []string{"Cns.Searchable"} })
	var m mo.AuthorizationManager
	if err := r.admin.RetrieveOne(ctx, *r.admin.ServiceContent.AuthorizationManager, []string{"privilegeList", "roleList"}, &m); err != nil {
		t.Fatal(err)
	}
	if len(m.PrivilegeList) != 481 {
		t.Fatalf("%d privileges", len(m.PrivilegeList))
	}
	for _, p := range m.PrivilegeList {
		if p.PrivGroupName+"."+p.Name != p.PrivId {
			t.Errorf("%+v", p)
		}
		if p.PrivId == "Cns.Searchable" {
			t.Error("the catalogue has a privilege that was taken out")
		}
		if p.OnParent != privilegesOnParent[p.PrivId] {
			t.Errorf("%s: on parent %v", p.PrivId, p.OnParent)
		}
	}
	for _, role := range m.RoleList {
		if slices.Contains(role.Privilege, "Cns.Searchable") {
			t.Errorf("role %s has a privilege that was taken out", role.Name)
		}
	}
}

// The data file is govmomi's recording; the table of methods names nothing else.
func TestCatalogueData(t *testing.T) {
	c := must(newCatalogue(nil, nil))
	for _, role := range esx.RoleList {
		if role.RoleId == adminRole && !slices.Equal(slices.Sorted(slices.Values(role.Privilege)), c.ids) {
			t.Error("data/privileges.txt differs from the recorded Administrator role")
		}
	}
	for key, privileges := range must(newMethodTable()) {
		if !c.knowsAll(privileges) {
			t.Errorf("%v needs %v", key, privileges)
		}
	}
	for p := range privilegesOnParent {
		if !c.known[p] {
			t.Errorf("%s is not in the catalogue", p)
		}
	}
	for _, p := range configPrivileges {
		if p != "" && !c.known["VirtualMachine.Config."+p] {
			t.Errorf("VirtualMachine.Config.%s is not in the catalogue", p)
		}
	}
	for _, p := range movePrivilege {
		if !c.known[p] {
			t.Errorf("%s is not in the catalogue", p)
		}
	}
}

func TestR10NoEscalation(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.user("other")
	r.grant("/", "u", true, "Authorization.ModifyRoles", "Authorization.ModifyPermissions", "Authorization.ReassignRolePermissions", "Folder.Create")
	c := r.login("u@vsphere.local")
	m := r.manager(c)

	small := must(m.AddRole(ctx, "small", []string{"Folder.Create"}))
	big := must(r.manager(r.admin).AddRole(ctx, "big", []string{"Folder.Create", "Folder.Delete"}))
	f := wantFault[types.NoPermission](t, m.UpdateRole(ctx, small, "small", []string{"Folder.Create", "Folder.Delete"}))
	if f.PrivilegeId != "Folder.Delete" || *f.Object != r.a.root {
		t.Errorf("update: %+v", f)
	}
	if got := must(m.RoleList(ctx)).ById(small); slices.Contains(got.Privilege, "Folder.Delete") {
		t.Error("the refused update took effect")
	}
	if err := r.set(c, "/DC0", types.Permission{Principal: "other@vsphere.local", RoleId: small}); err != nil {
		t.Errorf("granting what one has: %v", err)
	}
	f = wantFault[types.NoPermission](t, r.set(c, "/DC0", types.Permission{Principal: "other@vsphere.local", RoleId: big}))
	if f.PrivilegeId != "Folder.Delete" || *f.Object != r.ref("/DC0") {
		t.Errorf("set: %+v", f)
	}
}

func TestR10RemoveAndMerge(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.user("other")
	r.grant("/", "u", true, "Authorization.ModifyPermissions", "Authorization.ReassignRolePermissions")
	big := r.role("Folder.Delete")
	small := r.role()
	r.grantRole("/DC0", "other", false, true, big)
	c := r.login("u@vsphere.local")
	wantFault[types.NoPermission](t, r.manager(c).RemoveEntityPermission(ctx, r.ref("/DC0"), "other@vsphere.local", false))
	wantFault[types.NoPermission](t, merge(c, big, small))
	if err := merge(r.admin, big, small); err != nil {
		t.Fatal(err)
	}
	if got := r.permissions("/DC0", false); len(got) != 1 || got[0].RoleId != small {
		t.Errorf("after the merge: %v", names(got))
	}
	wantFault[types.NotFound](t, merge(r.admin, 424242, small))
}
