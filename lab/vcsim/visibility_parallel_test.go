package vcsim

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/vmware/govmomi"
	invfind "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// Many sessions at once, with roles, permissions and objects changing under them. It is the race detector that judges.
func TestParallelRequests(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/", "u", true)
	users := []*govmomi.Client{r.admin, r.login("u@vsphere.local"), r.login("u@vsphere.local")}
	vms := r.ref("/DC0/vm")
	role := r.role("Folder.Create")
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			c := users[i%3]
			r.find(c, clusterVM)
			if _, err := invfind.NewFinder(c.Client).VirtualMachineList(ctx, "/DC0/vm/*"); err != nil {
				t.Error(err)
			}
			if _, err := r.manager(c).FetchUserPrivilegeOnEntities(ctx, []types.ManagedObjectReference{vms}, `VSPHERE.LOCAL\u`); err != nil {
				t.Error(err)
			}
			folder, err := object.NewFolder(r.admin.Client, vms).CreateFolder(ctx, fmt.Sprintf("f%d", i))
			if err != nil {
				t.Error(err)
				return
			}
			if err := r.manager(r.admin).SetEntityPermissions(ctx, folder.Reference(), []types.Permission{{Principal: "u@vsphere.local", RoleId: role, Propagate: true}}); err != nil {
				t.Error(err)
			}
			if _, err := r.manager(r.admin).AddRole(ctx, fmt.Sprintf("r%d", i), []string{"Folder.Create"}); err != nil {
				t.Error(err)
			}
			if task, err := folder.Destroy(ctx); err != nil || task.Wait(ctx) != nil {
				t.Error("destroy", err)
			}
		})
	}
	wg.Wait()
	_, perms := r.a.snapshot()
	for _, p := range perms {
		if strings.HasPrefix(p.Role, "role") && p.Ref != r.a.root {
			t.Errorf("permission on an object that is gone: %+v", p)
		}
	}
}

// A search of a datastore tells its task which one it is, under the lock of the task. Others ask meanwhile whether they see the task.
func TestTaskIsSeenWhileItIsTold(t *testing.T) {
	r := newRig(t)
	ds := r.ref(opDS)
	browser := types.ManagedObjectReference{Type: "HostDatastoreBrowser", Value: "any"}
	search := simulator.CreateTask(browser, "SearchDatastore", func(task *simulator.Task) (types.AnyType, types.BaseMethodFault) {
		for range 1000 {
			r.a.reg.WithLock(r.a.background(), task, func() { task.Info.Entity = &ds })
		}
		return nil, nil
	})
	x := r.a.evaluate(r.a.background(), r.a.principal("administrator@vsphere.local", false))
	for ref := search.Run(r.a.background()); !t.Failed(); {
		if !x.visible(ref) {
			t.Error("the administrator does not see the task")
		}
		var done bool
		r.a.reg.WithLock(r.a.background(), search, func() { done = search.Info.CompleteTime != nil })
		if done {
			break
		}
	}
}
