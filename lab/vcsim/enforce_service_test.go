package vcsim

import (
	"fmt"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

func serviceOperations() []operation {
	folder := func(c *govmomi.Client, r *rig, path string) *object.Folder {
		return object.NewFolder(c.Client, r.ref(path))
	}
	return []operation{
		{name: "create folder", needs: on(opFolder, "Folder.Create"), run: func(r *rig, c *govmomi.Client) error {
			_, err := folder(c, r, opFolder).CreateFolder(ctx, "new")
			return err
		}},
		{name: "rename folder", needs: on(opFolder, "Folder.Rename"), run: func(r *rig, c *govmomi.Client) error {
			return finish(folder(c, r, opFolder).Rename(ctx, "renamed"))
		}},
		{
			name: "move into folder", needs: all(on(opVM, "VirtualMachine.Inventory.Move"), on("/DC0/vm/target", "VirtualMachine.Inventory.Move")),
			setup: func(r *rig) { must(folder(r.admin, r, "/DC0/vm").CreateFolder(ctx, "target")) },
			run: func(r *rig, c *govmomi.Client) error {
				return finish(folder(c, r, "/DC0/vm/target").MoveInto(ctx, []types.ManagedObjectReference{r.ref(opVM)}))
			},
		},
		{name: "create pool", needs: on(opPool, "Resource.CreatePool"), run: func(r *rig, c *govmomi.Client) error {
			_, err := object.NewResourcePool(c.Client, r.ref(opPool)).Create(ctx, "p", types.DefaultResourceConfigSpec())
			return err
		}},
		{name: "edit cluster", needs: on("/DC0/host/DC0_C0", "Host.Inventory.EditCluster"), run: func(r *rig, c *govmomi.Client) error {
			return finish(object.NewClusterComputeResource(c.Client, r.ref("/DC0/host/DC0_C0")).Reconfigure(ctx, &types.ClusterConfigSpecEx{}, true))
		}},
		{name: "add role", needs: on("/", "Authorization.ModifyRoles"), run: func(r *rig, c *govmomi.Client) error {
			_, err := r.manager(c).AddRole(ctx, "new", nil)
			return err
		}},
		{name: "update role", needs: on("/", "Authorization.ModifyRoles"), run: func(r *rig, c *govmomi.Client) error {
			r.roles++
			return r.manager(c).UpdateRole(ctx, r.role(), fmt.Sprintf("new %d", r.roles), nil)
		}},
		{name: "remove role", needs: on("/", "Authorization.ModifyRoles"), run: func(r *rig, c *govmomi.Client) error {
			return r.manager(c).RemoveRole(ctx, r.role(), true)
		}},
		{name: "set permission", needs: on("/DC0", "Authorization.ModifyPermissions"), setup: func(r *rig) { r.user("other") }, run: func(r *rig, c *govmomi.Client) error {
			return r.set(c, "/DC0", types.Permission{Principal: "other@vsphere.local", RoleId: -2})
		}},
		{name: "remove permission", needs: on("/DC0", "Authorization.ModifyPermissions"), setup: func(r *rig) {
			r.user("other")
			r.grant("/DC0", "other", true)
		}, run: func(r *rig, c *govmomi.Client) error {
			return r.manager(c).RemoveEntityPermission(ctx, r.ref("/DC0"), "other@vsphere.local", false)
		}},
		{name: "merge permissions", needs: on("/", "Authorization.ReassignRolePermissions"), run: func(r *rig, c *govmomi.Client) error {
			return merge(c, r.role(), r.role())
		}},
		{name: "terminate session", needs: on("/", "Sessions.TerminateSession"), run: func(r *rig, c *govmomi.Client) error {
			s := must(r.login("administrator@vsphere.local").SessionManager.UserSession(ctx))
			_, err := methods.TerminateSession(ctx, c, &types.TerminateSession{This: *c.ServiceContent.SessionManager, SessionId: []string{s.Key}})
			return err
		}},
		{name: "update options", needs: on("/", "Global.Settings"), run: func(r *rig, c *govmomi.Client) error {
			return object.NewOptionManager(c.Client, *c.ServiceContent.Setting).Update(ctx, []types.BaseOptionValue{&types.OptionValue{Key: "a.b", Value: "c"}})
		}},
		{name: "set custom value", needs: on(opVM, "Global.SetCustomField"), setup: func(r *rig) {
			must(object.NewCustomFieldsManager(r.admin.Client).Add(ctx, "field", "VirtualMachine", nil, nil))
		}, run: func(r *rig, c *govmomi.Client) error {
			m := object.NewCustomFieldsManager(c.Client)
			return m.Set(ctx, r.ref(opVM), must(m.FindKey(ctx, "field")), "x")
		}},
	}
}
