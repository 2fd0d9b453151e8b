package vcsim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/ssoadmin/methods"
	"github.com/vmware/govmomi/ssoadmin/types"
)

func TestSSODetailsAndGroups(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := administrate(t, v)
	ctx := t.Context()
	details := types.AdminPersonDetails{Description: `by "us" and them`, FirstName: "Öcp", LastName: "Machine", EmailAddress: "x@example.com"}
	if err := c.CreatePersonUser(ctx, "x", types.AdminPersonDetails{}, goodPassword); err != nil {
		t.Fatal(err)
	}
	if err := c.UpdatePersonUser(ctx, "x", details); err != nil {
		t.Fatal(err)
	}
	u, err := c.FindPersonUser(ctx, "x")
	if err != nil || u == nil {
		t.Fatal(u, err)
	}
	if diff := cmp.Diff(details, u.Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	id := u.Id
	if err := c.CreateGroup(ctx, "g", types.AdminGroupDetails{Description: "first"}); err != nil {
		t.Fatal(err)
	}
	if err := c.UpdateGroup(ctx, "G", types.AdminGroupDetails{Description: "second"}); err != nil {
		t.Fatal(err)
	}
	if g, err := c.FindGroup(ctx, "g"); err != nil || g == nil || g.Details.Description != "second" {
		t.Errorf("group %+v, %v", g, err)
	}
	if err := c.AddUsersToGroup(ctx, "g", id, types.PrincipalId{Name: "bob", Domain: foreignDomain}); err != nil {
		t.Fatal(err)
	}
	if err := c.AddGroupsToGroup(ctx, "vm-admins", types.PrincipalId{Name: "g", Domain: "vsphere.local"}); err != nil {
		t.Fatal(err)
	}
	if list, err := c.FindUsersInGroup(ctx, "g", ""); err != nil || len(list) != 2 {
		t.Errorf("members %+v, %v", list, err)
	}
	if list, err := c.FindGroupsInGroup(ctx, "vm-admins", ""); err != nil || len(list) != 2 {
		t.Errorf("groups in group %+v, %v", list, err)
	}
	parents, err := c.FindParentGroups(ctx, id)
	if err != nil || len(parents) != 4 { // g, vm-admins, Users, Everyone
		t.Errorf("parents %+v, %v", parents, err)
	}
	is, err := methods.IsMemberOfGroup(ctx, c, &types.IsMemberOfGroup{This: c.GroupCheck.GroupCheckService, UserId: id, GroupId: types.PrincipalId{Name: "VM-admins", Domain: "vsphere.local"}})
	if err != nil || !is.Returnval {
		t.Errorf("IsMemberOfGroup %+v, %v", is, err)
	}
	if err := c.RemoveUsersFromGroup(ctx, "g", id); err != nil {
		t.Fatal(err)
	}
	if list, err := c.FindUsersInGroup(ctx, "g", ""); err != nil || len(list) != 1 {
		t.Errorf("after removal %+v, %v", list, err)
	}
	if err := c.CreateSolutionUser(ctx, "svc", types.AdminSolutionDetails{Description: "a service", Certificate: "MII"}); err != nil {
		t.Fatal(err)
	}
	if s, err := c.FindSolutionUser(ctx, "svc"); err != nil || s == nil || s.Details.Certificate != "MII" {
		t.Errorf("solution user %+v, %v", s, err)
	}
	if err := c.DeletePrincipal(ctx, "g"); err != nil {
		t.Errorf("delete a group: %v", err)
	}
}
