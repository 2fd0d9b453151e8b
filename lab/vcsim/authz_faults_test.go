package vcsim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"
)

// Texts may be any; what each refusal says in its type has to be enough. (R45)
func TestR45RefusalsDifferInType(t *testing.T) {
	r := newRig(t)
	user := r.user("u")
	id := r.role("Folder.Create")
	r.grantRole("/DC0", "u", false, true, id)
	m, own := r.manager(r.admin), r.manager(r.login("u@vsphere.local"))
	add := func(m *object.AuthorizationManager, name string, privileges ...string) error {
		_, err := m.AddRole(ctx, name, privileges)
		return err
	}
	_, badLogin := r.tryLogin("u@vsphere.local", "wrong")
	got := map[string]any{}
	for name, err := range map[string]error{
		"duplicate":         add(m, "role 1"),
		"no name":           add(m, ""),
		"unknown privilege": add(m, "x", "No.Such"),
		"not allowed":       add(own, "x"),
		"role in use":       m.RemoveRole(ctx, id, true),
		"no permission":     m.RemoveEntityPermission(ctx, r.ref("/DC0/vm/DC0_H0_VM0"), user, false),
		"unknown user":      r.set(r.admin, "/DC0", types.Permission{Principal: "nobody@vsphere.local", RoleId: id}),
		"administrator":     r.reset("/"),
		"unknown object":    m.SetEntityPermissions(ctx, moref{Type: "Folder", Value: "gone"}, nil),
		"wrong password":    badLogin,
	} {
		fault := faultOf(err)
		if fault == nil {
			t.Errorf("%s: %v has no fault", name, err)
		}
		got[name] = strings.TrimPrefix(fmt.Sprintf("%T", fault), "types.")
	}
	want := map[string]any{
		"duplicate": "AlreadyExists", "no name": "InvalidName", "unknown privilege": "InvalidArgument",
		"not allowed": "NoPermission", "role in use": "RemoveFailed", "no permission": "NotFound",
		"unknown user": "UserNotFound", "administrator": "AuthMinimumAdminPermission",
		"unknown object": "ManagedObjectNotFound", "wrong password": "InvalidLogin",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types of faults (-want +got):\n%s", diff)
	}
}
