package vcsim_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Each call is recorded with who makes it, what is looked for where, and the verdict; nothing that was said in it is.
func TestRecord(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var all []vcsim.Record
	lab, err := vcsim.Start(vcsim.Options{Record: func(r vcsim.Record) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	v := lab.VCenters[0]
	ctx := t.Context()
	c, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	manager := *c.ServiceContent.AuthorizationManager
	role, err := methods.AddAuthorizationRole(ctx, c, &types.AddAuthorizationRole{This: manager, Name: "watcher", PrivIds: []string{"Datastore.Browse"}})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "Wrong-secret-1"
	if _, err := v.Login(ctx, v.AdminUser(), secret); err == nil {
		t.Fatal("a wrong password is taken")
	}
	if err := v.Directory().AddUser("watcher@vsphere.local", "Watcher-secret-1", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	found, err := methods.FindByInventoryPath(ctx, c, &types.FindByInventoryPath{This: *c.ServiceContent.SearchIndex, InventoryPath: "/DC1/vm/openshift"})
	if err != nil || found.Returnval == nil {
		t.Fatal(err)
	}
	folder := *found.Returnval
	if _, err := methods.SetEntityPermissions(ctx, c, &types.SetEntityPermissions{
		This: manager, Entity: folder, Permission: []types.Permission{{Principal: "watcher@vsphere.local", RoleId: role.Returnval}},
	}); err != nil {
		t.Fatal(err)
	}
	watcher, err := v.Login(ctx, "watcher@vsphere.local", "Watcher-secret-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := methods.CreateFolder(ctx, watcher, &types.CreateFolder{This: folder, Name: "mine"}); err == nil {
		t.Fatal("who may not make folders does")
	}
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []vcsim.Record{
		{Service: "vim25", Method: "Login", Principal: v.AdminUser(), Object: "SessionManager:SessionManager", Verdict: vcsim.VerdictServed},
		{Service: "vim25", Method: "Login", Principal: v.AdminUser(), Object: "SessionManager:SessionManager", Verdict: "InvalidLogin"},
		{Service: "vim25", Method: "AddAuthorizationRole", Principal: `VSPHERE.LOCAL\Administrator`, Object: "/", Privilege: "Authorization.ModifyRoles", Verdict: vcsim.VerdictHeld},
		{Service: "vim25", Method: "SetEntityPermissions", Principal: `VSPHERE.LOCAL\Administrator`, Object: "/DC1/vm/openshift", Privilege: "Authorization.ModifyPermissions", Verdict: vcsim.VerdictHeld},
		{Service: "vim25", Method: "CreateFolder", Principal: `VSPHERE.LOCAL\watcher`, Object: "/DC1/vm/openshift", Privilege: "Folder.Create", Verdict: vcsim.VerdictMissing},
	} {
		found := false
		for _, r := range all {
			if r.Time.IsZero() || r.Server != v.Server() {
				t.Fatalf("%+v", r)
			}
			r.Time, r.Server = want.Time, want.Server
			found = found || r == want
		}
		if !found {
			t.Errorf("not recorded: %+v", want)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{secret, "Watcher-secret-1", v.AdminPassword()} {
		if strings.Contains(string(text), word) {
			t.Error("a password is in the record")
		}
	}
	if t.Failed() {
		for _, r := range all {
			t.Logf("%+v", r)
		}
	}
}
