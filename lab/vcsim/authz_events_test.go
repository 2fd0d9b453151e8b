package vcsim

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/vmware/govmomi/event"
	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"
)

// eventsOf are events of some types as somebody sees them, the oldest first.
func eventsOf(t *testing.T, c *vim25.Client, kinds ...string) []types.BaseEvent {
	t.Helper()
	found, err := event.NewManager(c).QueryEvents(context.Background(), types.EventFilterSpec{EventTypeId: kinds, MaxCount: 1000})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(found, func(a, b types.BaseEvent) int { return int(a.GetEvent().Key - b.GetEvent().Key) })
	return found
}

func kindsOf(events []types.BaseEvent) (kinds []string) {
	for _, e := range events {
		kinds = append(kinds, reflect.TypeOf(e).Elem().Name())
	}
	return kinds
}

// Who changed which role and permission, and what it was before.
func TestAuthorizationEvents(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	account(t, v, "mapi", v.authz.root, "System.View")
	f := finding.NewFinder(c)
	folder := must(f.Folder(t.Context(), "/DC1/vm/openshift")).Reference()
	am := object.NewAuthorizationManager(c)
	role := must(am.AddRole(t.Context(), "ours", []string{"VirtualMachine.Interact.PowerOn"}))
	other := must(am.AddRole(t.Context(), "other", nil))
	set := func(role int32, propagate bool) error {
		return am.SetEntityPermissions(t.Context(), folder, []types.Permission{{Principal: "mapi@vsphere.local", RoleId: role, Propagate: propagate}})
	}
	for _, err := range []error{
		am.UpdateRole(t.Context(), role, "theirs", []string{"VirtualMachine.Interact.PowerOff"}),
		set(role, true), set(role, true), set(other, false), // the second changes nothing
		am.RemoveEntityPermission(t.Context(), folder, `VSPHERE.LOCAL\mapi`, false),
		am.RemoveRole(t.Context(), role, true),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := am.RemoveRole(t.Context(), role, true); err == nil {
		t.Fatal("removed twice")
	}
	events := eventsOf(t, c, "AuthorizationEvent")
	want := []string{"RoleAddedEvent", "RoleAddedEvent", "RoleUpdatedEvent", "PermissionAddedEvent", "PermissionUpdatedEvent", "PermissionRemovedEvent", "RoleRemovedEvent"}
	if got := kindsOf(events); !slices.Equal(got, want) {
		t.Fatalf("%v", got)
	}
	for _, e := range events {
		if e := e.GetEvent(); e.UserName != `VSPHERE.LOCAL\Administrator` || e.FullFormattedMessage == "" {
			t.Errorf("%+v", e)
		}
	}
	changed := must(as[*types.RoleUpdatedEvent](events[2]))
	if changed.PrevRoleName != "ours" || changed.Role != (types.RoleEventArgument{RoleId: role, Name: "theirs"}) ||
		!slices.Equal(changed.PrivilegesAdded, []string{"VirtualMachine.Interact.PowerOff"}) || !slices.Equal(changed.PrivilegesRemoved, []string{"VirtualMachine.Interact.PowerOn"}) {
		t.Errorf("%+v", changed)
	}
	given := must(as[*types.PermissionAddedEvent](events[3]))
	if given.Entity.Entity != folder || given.Entity.Name != "openshift" || given.Principal != `VSPHERE.LOCAL\mapi` || given.Group || given.Role.Name != "theirs" || !given.Propagate ||
		given.Datacenter == nil || given.Datacenter.Name != "DC1" {
		t.Errorf("%+v", given)
	}
	updated := must(as[*types.PermissionUpdatedEvent](events[4]))
	if updated.Role.Name != "other" || updated.Propagate || updated.PrevRole.Name != "theirs" || !isTrue(updated.PrevPropagate) {
		t.Errorf("%+v", updated)
	}

	// Who does not see the folder does not hear of its permissions; the roles are the root folder's.
	account(t, v, "narrow", must(f.Folder(t.Context(), "/DC1/vm/legacy")).Reference(), "System.View")
	narrow, err := v.Login(t.Context(), "narrow@vsphere.local", rigPassword)
	if err != nil {
		t.Fatal(err)
	}
	if seen := eventsOf(t, narrow, "AuthorizationEvent"); len(seen) > 0 {
		t.Errorf("seen: %v", kindsOf(seen))
	}
}

// What becomes of machines, also of those that are gone.
func TestMachineEvents(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := newCloner(t, v)
	vm, _ := c.clone("node", nil)
	task := must(vm.Destroy(t.Context()))
	if err := task.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := eventsOf(t, c.client, "VmBeingClonedEvent", "VmClonedEvent", "VmRemovedEvent")
	if got := kindsOf(events); !slices.Equal(got, []string{"VmBeingClonedEvent", "VmClonedEvent", "VmRemovedEvent"}) {
		t.Fatalf("%v", got)
	}
	if removed := events[2].GetEvent(); removed.Vm == nil || removed.Vm.Name != "node" || removed.UserName != `VSPHERE.LOCAL\Administrator` {
		t.Errorf("%+v", removed)
	}
	account(t, v, "narrow", must(c.find.Folder(t.Context(), "/DC1/vm/legacy")).Reference(), "System.View")
	narrow, err := v.Login(t.Context(), "narrow@vsphere.local", rigPassword)
	if err != nil {
		t.Fatal(err)
	}
	if seen := eventsOf(t, narrow, "VmEvent"); slices.Contains(kindsOf(seen), "VmRemovedEvent") {
		t.Errorf("seen by somebody else: %v", kindsOf(seen))
	}
}
