package vcsim

import (
	"errors"
	"testing"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func TestR42LoginNeedsAPermission(t *testing.T) {
	r := newRig(t)
	r.user("u")
	_, err := r.tryLogin("u@vsphere.local", rigPassword)
	if f := wantFault[types.NoPermission](t, err); f.PrivilegeId != "System.View" {
		t.Errorf("%+v", f)
	}
	_, err = r.tryLogin("u@vsphere.local", "wrong")
	wantFault[types.InvalidLogin](t, err)
	_, err = r.tryLogin("nobody@vsphere.local", rigPassword)
	wantFault[types.InvalidLogin](t, err)

	r.user("old")
	if err := r.dir.Expire("old"); err != nil {
		t.Fatal(err)
	}
	_, err = r.tryLogin("old@vsphere.local", rigPassword)
	wantFault[types.PasswordExpired](t, err)

	r.grantRole("/DC0", "u", false, true, -5) // NoAccess is no permission
	_, err = r.tryLogin("u@vsphere.local", rigPassword)
	wantFault[types.NoPermission](t, err)
	r.grant("/DC0/datastore/LocalDS_0", "u", false)
	for _, form := range []string{"u@vsphere.local", `VSPHERE.LOCAL\u`, "u"} {
		if _, err := r.tryLogin(form, rigPassword); err != nil {
			t.Errorf("login as %s: %v", form, err)
		}
	}
}

func TestLoginByToken(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/DC0", "u", true)
	login := func() (*types.LoginByTokenResponse, error) {
		c, err := r.anonymous()
		if err != nil {
			t.Fatal(err)
		}
		return methods.LoginByToken(ctx, c, &types.LoginByToken{This: *c.ServiceContent.SessionManager})
	}
	_, err := login()
	wantFault[types.InvalidLogin](t, err)
	r.a.tokenPrincipal = func(*simulator.Context) (directory.Principal, error) {
		return directory.Principal{}, errors.New("no token")
	}
	_, err = login()
	wantFault[types.InvalidLogin](t, err)
	r.a.tokenPrincipal = func(*simulator.Context) (directory.Principal, error) { return r.dir.Lookup("u", false) }
	if res := must(login()); res.Returnval.UserName != `VSPHERE.LOCAL\u` {
		t.Errorf("session of %s", res.Returnval.UserName)
	}
}

func TestBeforeLogin(t *testing.T) {
	r := newRig(t)
	c := must(r.anonymous())
	_, err := r.manager(c).RoleList(ctx)
	if err == nil {
		t.Error("the roles were read without a login")
	}
	_, err = methods.AddAuthorizationRole(ctx, c, &types.AddAuthorizationRole{This: *c.ServiceContent.AuthorizationManager, Name: "x"})
	wantFault[types.NotAuthenticated](t, err)
	for _, at := range []moref{c.ServiceContent.RootFolder, {Type: "StoragePod", Value: "group-p9"}} { // names are those of any entity
		_, err = mo.Ancestors(ctx, c, c.ServiceContent.PropertyCollector, at)
		if !fault.Is(err, &types.NotAuthenticated{}) {
			t.Errorf("%s: %v", at, err)
		}
	}
}
