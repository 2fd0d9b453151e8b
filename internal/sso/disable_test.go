package sso_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// An account of ours is taken out of use and put back, each as often as asked, and nobody else's is touched.
func TestSetDisabled(t *testing.T) {
	t.Parallel()
	v, s := on(t)
	ctx, mark := context.Background(), sso.Mark("c1", component.Installer)
	addUser(t, v, "ours", mark+"; password set 2026-11-01")
	addUser(t, v, "theirs", "a person")
	client, _, err := sso.Read(ctx, s, sso.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, disabled := range []bool{true, true, false, false} {
		if err := client.SetDisabled(ctx, "ours", mark, disabled); err != nil {
			t.Fatal(err)
		}
		if u, _ := v.Directory().User("ours"); u.Disabled != disabled || u.Description != mark+"; password set 2026-11-01" {
			t.Errorf("asked for %t: %+v", disabled, u)
		}
	}
	if n := v.Requests()["DisableUserAccount"] + v.Requests()["EnableUserAccount"]; n != 2 {
		t.Errorf("%d changes were sent, 2 expected", n)
	}
	for _, name := range []string{"theirs", "nobody"} {
		if err := client.SetDisabled(ctx, name, mark, true); !errors.Is(err, sso.ErrNotOurs) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if u, _ := v.Directory().User("theirs"); u.Disabled {
		t.Error("somebody else's account was disabled")
	}
}

// A lost answer is settled by reading, and an error means that the account is not known to be as asked for.
func TestSetDisabledWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	mark := sso.Mark("c1", component.Installer)
	for _, tt := range []struct {
		kind   vcsim.FaultKind
		served bool
	}{
		{vcsim.LostReply, true},
		{vcsim.ServedUnavailable, true},
		{vcsim.ServedBadGateway, true},
		{vcsim.Blocked, false},
		{vcsim.Empty, false},
	} {
		v, s := on(t)
		addUser(t, v, "ours", mark)
		client, _, err := sso.Read(context.Background(), s, sso.Query{})
		if err != nil {
			t.Fatal(err)
		}
		v.SetFault(func(_ int, method string) vcsim.Fault {
			if method == "DisableUserAccount" {
				return vcsim.Fault{Kind: tt.kind}
			}
			return vcsim.Fault{}
		})
		err = client.SetDisabled(context.Background(), "ours", mark, true)
		u, _ := v.Directory().User("ours")
		if (err == nil) != tt.served || u.Disabled != tt.served {
			t.Errorf("fault %d: disabled %t, and the error is %v", tt.kind, u.Disabled, err)
		}
	}
}

func addUser(t *testing.T, v *vcsim.VCenter, name, description string) {
	t.Helper()
	if err := v.Directory().AddUser(name, "Passw0rd!x", directory.Details{Description: description}); err != nil {
		t.Fatal(err)
	}
}
