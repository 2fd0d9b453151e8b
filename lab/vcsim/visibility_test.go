package vcsim

import (
	"fmt"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi"
	invfind "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

func (r *rig) find(c *govmomi.Client, path string) *types.ManagedObjectReference {
	r.Helper()
	res, err := methods.FindByInventoryPath(ctx, c, &types.FindByInventoryPath{This: *c.ServiceContent.SearchIndex, InventoryPath: path})
	if err != nil {
		r.Fatal(err)
	}
	return res.Returnval
}

func TestHiddenObjects(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/DC0/host/DC0_C0", "u", true)
	c := r.login("u@vsphere.local")
	vm, dc, cluster := r.ref(clusterVM), r.ref("/DC0"), r.ref("/DC0/host/DC0_C0")

	if got := r.find(c, "/DC0"); got != nil {
		t.Errorf("the hidden datacenter was found: %v", got)
	}
	if got := r.find(c, "/DC0/host/DC0_C0"); got == nil || *got != cluster {
		t.Errorf("the cluster was not found: %v", got)
	}
	if got := r.find(c, clusterVM); got == nil || *got != vm {
		t.Errorf("a VM of the cluster was not found: %v", got)
	}
	if got := r.find(c, standaloneVM); got != nil {
		t.Errorf("a VM elsewhere was found: %v", got)
	}
	_, err := r.name(c, dc)
	if f := wantFault[types.ManagedObjectNotFound](t, err); f.Obj != dc {
		t.Errorf("%+v", f)
	}
	_, err = methods.FindChild(ctx, c, &types.FindChild{This: *c.ServiceContent.SearchIndex, Entity: dc, Name: "vm"})
	wantFault[types.ManagedObjectNotFound](t, err)
	_, err = view.NewManager(c.Client).CreateContainerView(ctx, dc, nil, true)
	wantFault[types.ManagedObjectNotFound](t, err)
	if err := object.NewVirtualMachine(c.Client, r.ref(standaloneVM)).MarkAsTemplate(ctx); err == nil {
		t.Error("a hidden VM was made a template")
	} else if f := wantFault[types.NoPermission](t, err); f.PrivilegeId != "System.View" {
		t.Errorf("%+v", f)
	}
	res, err := methods.FindAllByUuid(ctx, c, &types.FindAllByUuid{This: *c.ServiceContent.SearchIndex, Uuid: r.uuid(standaloneVM), VmSearch: true})
	if err != nil || len(res.Returnval) != 0 {
		t.Errorf("by uuid: %v %v", res.Returnval, err)
	}
	found, err := methods.FindByUuid(ctx, c, &types.FindByUuid{This: *c.ServiceContent.SearchIndex, Uuid: r.uuid(clusterVM), VmSearch: true})
	if err != nil || found.Returnval == nil || *found.Returnval != vm {
		t.Errorf("by uuid: %v %v", found.Returnval, err)
	}
}

func (r *rig) uuid(path string) string {
	r.Helper()
	var vm mo.VirtualMachine
	if err := r.admin.RetrieveOne(ctx, r.ref(path), []string{"config.uuid"}, &vm); err != nil {
		r.Fatal(err)
	}
	return vm.Config.Uuid
}

func TestViewsAndTraversals(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/", "u", false) // read-only on the way, nothing below but the cluster
	r.grant("/DC0/host/DC0_C0", "u", true)
	c := r.login("u@vsphere.local")

	v := must(view.NewManager(c.Client).CreateContainerView(ctx, c.ServiceContent.RootFolder, []string{"ManagedEntity"}, true))
	var seen []mo.ManagedEntity
	if err := v.Retrieve(ctx, []string{"ManagedEntity"}, []string{"name"}, &seen); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range seen {
		got = append(got, e.Self.Type)
	}
	sort.Strings(got)
	want := []string{"ClusterComputeResource", "HostSystem", "ResourcePool", "ResourcePool", "VirtualMachine"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the view shows %s", d)
	}
	props := r.properties(c, v.Reference(), "view")
	if n := len(props["view"].(types.ArrayOfManagedObjectReference).ManagedObjectReference); n != len(want) {
		t.Errorf("the view's own list has %d objects", n)
	}

	// From the root folder the datacenter is hidden, so the finder gets nowhere.
	if _, err := invfind.NewFinder(c.Client).ClusterComputeResource(ctx, "/DC0/host/DC0_C0"); err == nil {
		t.Error("the finder walked through a hidden datacenter")
	}
	r.grant("/DC0", "u", false)
	f := invfind.NewFinder(c.Client)
	if _, err := f.ClusterComputeResource(ctx, "/DC0/host/DC0_C0"); err != nil {
		t.Error(err)
	}
	if list, err := f.VirtualMachineList(ctx, "/DC0/vm/*"); err != nil || len(list) != 1 {
		t.Errorf("VMs in the folder: %v %v", list, err)
	}
	if kids := r.properties(c, r.ref("/DC0/vm"), "childEntity")["childEntity"].(types.ArrayOfManagedObjectReference); len(kids.ManagedObjectReference) != 1 {
		t.Errorf("children of the VM folder: %v", kids.ManagedObjectReference)
	}
}

func TestPropertyPrivileges(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/", "u", false)
	r.grant("/DC0/host/DC0_C0", "u", true)
	c := r.login("u@vsphere.local")
	sessions := *c.ServiceContent.SessionManager
	if f, ok := r.properties(c, sessions, "sessionList")["sessionList"].(*types.NoPermission); !ok || f.PrivilegeId != "Sessions.TerminateSession" {
		t.Errorf("session list: %v", r.properties(c, sessions, "sessionList"))
	}
	// A role with System.View alone cannot be granted, so the View role is put there by hand.
	p := must(r.dir.Lookup("u", false))
	_ = r.a.change(func(st *authzState) types.BaseMethodFault {
		st.set(r.ref("/DC0"), grant{key: p.Key(), principal: p, role: viewRole, propagate: true})
		return nil
	})
	props := r.properties(c, r.ref("/DC0/host/DC0_H0"), "name", "summary")
	if props["name"] != "DC0_H0" {
		t.Errorf("name: %v", props["name"])
	}
	if f, ok := props["summary"].(*types.NoPermission); !ok || f.PrivilegeId != "System.Read" {
		t.Errorf("summary: %v", props["summary"])
	}
}

func TestR43SessionList(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/", "u", false, "Sessions.TerminateSession")
	c := r.login("u@vsphere.local")
	list, ok := r.properties(c, *c.ServiceContent.SessionManager, "sessionList")["sessionList"].(types.ArrayOfUserSession)
	if !ok || len(list.UserSession) != 2 {
		t.Fatalf("session list: %v", list)
	}
	users := []string{list.UserSession[0].UserName, list.UserSession[1].UserName}
	sort.Strings(users)
	if d := cmp.Diff([]string{`VSPHERE.LOCAL\Administrator`, `VSPHERE.LOCAL\u`}, users); d != "" {
		t.Error(d)
	}
}

func TestPaging(t *testing.T) {
	r := newRig(t, func(m *simulator.Model, _ *authzOptions) { m.Machine = 8 })
	r.user("u")
	r.grant("/DC0/host/DC0_C0", "u", true) // 8 of 16 machines
	c := r.login("u@vsphere.local")
	var set []types.ObjectSpec
	for _, e := range r.a.reg.All("VirtualMachine") {
		set = append(set, types.ObjectSpec{Obj: e.Reference()})
	}
	spec := []types.PropertyFilterSpec{{
		PropSet: []types.PropertySpec{{Type: "VirtualMachine", PathSet: []string{"name"}}}, ObjectSet: set,
		ReportMissingObjectsInResults: new(true),
	}}
	pc := c.ServiceContent.PropertyCollector
	got := map[types.ManagedObjectReference]bool{}
	res, err := methods.RetrievePropertiesEx(ctx, c, &types.RetrievePropertiesEx{This: pc, SpecSet: spec, Options: types.RetrieveOptions{MaxObjects: 3}})
	if err != nil {
		t.Fatal(err)
	}
	page := *res.Returnval
	sizes := ""
	for {
		sizes += fmt.Sprint(len(page.Objects), " ")
		for _, o := range page.Objects {
			got[o.Obj] = true
		}
		if page.Token == "" {
			break
		}
		next, err := methods.ContinueRetrievePropertiesEx(ctx, c, &types.ContinueRetrievePropertiesEx{This: pc, Token: page.Token})
		if err != nil {
			t.Fatal(err)
		}
		page = next.Returnval
	}
	if len(got) != 8 || sizes != "3 3 2 " {
		t.Errorf("%d machines in pages of %s", len(got), sizes)
	}

	res = must(methods.RetrievePropertiesEx(ctx, c, &types.RetrievePropertiesEx{This: pc, SpecSet: spec, Options: types.RetrieveOptions{MaxObjects: 3}}))
	token := res.Returnval.Token
	if _, err := methods.CancelRetrievePropertiesEx(ctx, c, &types.CancelRetrievePropertiesEx{This: pc, Token: token}); err != nil {
		t.Fatal(err)
	}
	_, err = methods.ContinueRetrievePropertiesEx(ctx, c, &types.ContinueRetrievePropertiesEx{This: pc, Token: token})
	wantFault[types.InvalidArgument](t, err)
}

func TestUpdatesAreFiltered(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/", "u", false)
	r.grant("/DC0/host/DC0_C0", "u", true)
	c := r.login("u@vsphere.local")
	v := must(view.NewManager(c.Client).CreateContainerView(ctx, c.ServiceContent.RootFolder, []string{"VirtualMachine"}, true))
	filter := new(property.WaitFilter).Add(v.Reference(), "VirtualMachine", []string{"name"}, v.TraversalSpec())
	filter.Options = &types.WaitOptions{MaxWaitSeconds: types.NewInt32(1)}
	var seen []types.ManagedObjectReference
	err := property.WaitForUpdates(ctx, c.PropertyCollector(), filter, func(updates []types.ObjectUpdate) bool {
		for _, u := range updates {
			seen = append(seen, u.Obj)
		}
		return len(seen) > 0
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 || seen[0] != r.ref(clusterVM) {
		t.Errorf("updates on %v", seen)
	}
	if err := property.Wait(ctx, c.PropertyCollector(), r.ref(standaloneVM), []string{"name"}, func([]types.PropertyChange) bool { return true }); err == nil {
		t.Error("waiting for a hidden object")
	} else {
		wantFault[types.ManagedObjectNotFound](t, err)
	}
}

func TestTaskResultsNeedReadOnRoot(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/DC0", "u", true, "VirtualMachine.Interact.PowerOn", "VirtualMachine.Interact.PowerOff")
	c := r.login("u@vsphere.local")
	task := must(r.vm(c, clusterVM).PowerOn(ctx))
	if f, ok := r.properties(c, task.Reference(), "info")["info"].(*types.NoPermission); !ok || *f.Object != r.a.root {
		t.Error("a task was read without read access on the root folder")
	}
	r.grant("/", "u", false)
	if err := task.Wait(ctx); err != nil {
		t.Error(err)
	}
}
