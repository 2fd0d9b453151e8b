package tags

import (
	"strings"
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Whoever lacks a privilege is told which, and what somebody made meanwhile is used.
func TestWrite(t *testing.T) {
	t.Parallel()
	lab, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	v, ctx := lab.VCenters[0], t.Context()
	const password = "Tagl3ss!only-one"
	if err := v.Directory().AddUser("tagless", password, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	admin, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	rule := types.Permission{Principal: "tagless@vsphere.local", RoleId: -2, Propagate: true} // ReadOnly
	if err := object.NewAuthorizationManager(admin).SetEntityPermissions(ctx, admin.ServiceContent.RootFolder, []types.Permission{rule}); err != nil {
		t.Fatal(err)
	}
	enter := func(user, password string) (*vcenter.Session, *State) {
		s, err := vcenter.Connect(ctx, vcenter.Config{Server: v.Server(), RootCAs: lab.CA, Address: v.Addr()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close(t.Context()) })
		if err := s.Login(ctx, user, secret.New(password)); err != nil {
			t.Fatal(err)
		}
		have, err := Read(ctx, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s, have
	}
	root := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: admin.ServiceContent.RootFolder.Value}}
	do := func(s *vcenter.Session, have *State) error {
		acts := plan.Steps{}
		steps, _ := Diff([]Want{{Tag: Tag{Region, "eu"}, Object: root}}, have)
		Attach(acts, s, have, steps)
		return acts[steps[0].Change].Do(ctx)
	}
	tagless, had := enter("tagless@vsphere.local", password)
	if err := do(tagless, had); err == nil || !strings.Contains(err.Error(), `tagless has no privilege InventoryService.Tagging.CreateCategory on the root folder`) {
		t.Errorf("without the privilege: %v", err)
	}
	one, before := enter(v.AdminUser(), v.AdminPassword())
	two, same := enter(v.AdminUser(), v.AdminPassword())
	for _, err := range []error{do(one, before), do(two, same)} {
		if err != nil {
			t.Error(err)
		}
	}
	if _, after := enter(v.AdminUser(), v.AdminPassword()); !after.Has(Region) || after.Has(Zone) || after.ids[Tag{Region, "eu"}] == "" {
		t.Errorf("%+v", after)
	}
}
