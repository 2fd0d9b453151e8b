package vcsim

import (
	"errors"
	"testing"

	invfind "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"
)

// The account's own look-up where the datacenter hands nothing down, as in the installer's documentation: what stands directly
// in the datacenter's folders is found, because they are one object with it (R25); what stands deeper is behind a folder that
// nobody gave a permission on.
func TestFinderWithoutPropagation(t *testing.T) {
	r := newRig(t)
	deeper := must(object.NewFolder(r.admin.Client, r.ref("/DC0/vm")).CreateFolder(ctx, "deeper"))
	move := must(deeper.MoveInto(ctx, []types.ManagedObjectReference{r.ref(standaloneVM)}))
	if err := move.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	r.user("u")
	for _, path := range []string{
		"/", "/DC0/host/DC0_C0", "/DC0/datastore/LocalDS_0", "/DC0/network/VM Network", "/DC0/network/DC0_DVPG0", clusterVM,
		"/DC0/vm/deeper/DC0_H0_VM0",
	} {
		r.grantRole(path, "u", false, false, -2)
	}
	c := r.login("u@vsphere.local")
	lookups := map[string]func(f *invfind.Finder, path string) (int, error){
		"/DC0":                     func(f *invfind.Finder, p string) (int, error) { l, err := f.DatacenterList(ctx, p); return len(l), err },
		"/DC0/datastore/LocalDS_0": func(f *invfind.Finder, p string) (int, error) { l, err := f.DatastoreList(ctx, p); return len(l), err },
		"/DC0/network/VM Network":  func(f *invfind.Finder, p string) (int, error) { l, err := f.NetworkList(ctx, p); return len(l), err },
		"/DC0/network/DC0_DVPG0":   func(f *invfind.Finder, p string) (int, error) { l, err := f.NetworkList(ctx, p); return len(l), err },
		"/DC0/host/DC0_C0": func(f *invfind.Finder, p string) (int, error) {
			l, err := f.ClusterComputeResourceList(ctx, p)
			return len(l), err
		},
		"/DC0/host/DC0_C0/Resources": func(f *invfind.Finder, p string) (int, error) {
			l, err := f.ResourcePoolList(ctx, p)
			return len(l), err
		},
		"/DC0/vm": func(f *invfind.Finder, p string) (int, error) { l, err := f.FolderList(ctx, p); return len(l), err },
		clusterVM: func(f *invfind.Finder, p string) (int, error) {
			l, err := f.VirtualMachineList(ctx, p)
			return len(l), err
		},
		"/DC0/vm/deeper/DC0_H0_VM0": func(f *invfind.Finder, p string) (int, error) {
			l, err := f.VirtualMachineList(ctx, p)
			return len(l), err
		},
	}
	want := func(when string, found func(path string) bool) {
		t.Helper()
		for path, look := range lookups {
			n, err := look(invfind.NewFinder(c.Client), path)
			if lost := (*invfind.NotFoundError)(nil); err != nil && !errors.As(err, &lost) {
				t.Errorf("%s: %s: %v", when, path, err)
			}
			if (n == 1) != found(path) {
				t.Errorf("%s: %s: %d found", when, path, n)
			}
		}
	}
	want("no permission on the datacenter", func(string) bool { return false })
	r.grantRole("/DC0", "u", false, false, -2)
	want("datacenter without propagation", func(path string) bool { return path != "/DC0/vm/deeper/DC0_H0_VM0" })
	r.grantRole("/DC0", "u", false, true, -2)
	want("datacenter with propagation", func(string) bool { return true })

	// A datastore in a folder of its own is as hidden, whatever the account may do on it.
	fast := must(object.NewFolder(r.admin.Client, r.ref("/DC0/datastore")).CreateFolder(ctx, "fast"))
	move = must(fast.MoveInto(ctx, []types.ManagedObjectReference{r.ref("/DC0/datastore/LocalDS_0")}))
	if err := move.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	r.grantRole("/DC0", "u", false, false, -2)
	const path = "/DC0/datastore/fast/LocalDS_0"
	r.wantHolds(path, `VSPHERE.LOCAL\u`, "System.View", true)
	if found, err := invfind.NewFinder(c.Client).DatastoreList(ctx, path); err == nil {
		t.Errorf("found %v behind a folder without a permission", found)
	}
	r.grantRole("/DC0/datastore/fast", "u", false, false, -2)
	if found, err := invfind.NewFinder(c.Client).DatastoreList(ctx, path); err != nil || len(found) != 1 {
		t.Errorf("with read access on the folder: %v %v", found, err)
	}
}
