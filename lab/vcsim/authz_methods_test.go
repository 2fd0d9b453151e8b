package vcsim

import (
	"slices"
	"testing"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/object"
	pbmmethods "github.com/vmware/govmomi/pbm/methods"
	pbmtypes "github.com/vmware/govmomi/pbm/types"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// A method that somebody disabled is refused until he enables it; another cannot.
func TestDisabledMethods(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c, vm := admin(t, v), machineOf(t, v)
	m, machine := object.NewAuthorizationManager(c), object.NewVirtualMachine(c, vm)
	on := []types.ManagedObjectReference{vm}
	if err := m.DisableMethods(t.Context(), on, []object.DisabledMethodRequest{{Method: "Rename_Task", Reason: "backup"}}, "backup"); err != nil {
		t.Fatal(err)
	}
	rename := func() error { _, err := machine.Rename(t.Context(), "renamed"); return err }
	var disabled *types.MethodDisabled
	if _, ok := fault.As(rename(), &disabled); !ok || disabled.Source != "backup" {
		t.Errorf("disabled: %v", rename())
	}
	var props mo.VirtualMachine
	if err := machine.Properties(t.Context(), vm, []string{"disabledMethod"}, &props); err != nil || !slices.Contains(props.DisabledMethod, "Rename_Task") {
		t.Errorf("%v, %v", props.DisabledMethod, err)
	}
	if err := m.EnableMethods(t.Context(), on, []string{"Rename_Task"}, "other"); err != nil || rename() == nil {
		t.Errorf("enabled by another: %v", err)
	}
	if err := m.EnableMethods(t.Context(), on, []string{"Rename_Task"}, "backup"); err != nil || rename() != nil {
		t.Errorf("enabled: %v, %v", err, rename())
	}
	account(t, v, "reader", v.authz.root, "System.Read")
	err := object.NewAuthorizationManager(loggedIn(t, v, "reader")).DisableMethods(t.Context(), on, []object.DisabledMethodRequest{{Method: "Rename_Task"}}, "x")
	if !refused(err, vm, "Global.DisableMethods") {
		t.Errorf("without the privilege: %v", err)
	}
}

// A machine that is off is exported by a lease of its disks, which are fetched until the lease ends.
func TestExportOfMachines(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c, ref := admin(t, v), machineOf(t, v)
	vm := object.NewVirtualMachine(c, ref)
	lease, err := vm.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info, err := lease.Wait(t.Context(), nil)
	if err != nil || len(info.Items) != 1 || info.Entity != ref {
		t.Fatalf("%+v, %v", info, err)
	}
	item := info.Items[0]
	get := func() int {
		t.Helper()
		code, _ := ask(t, v, "GET", item.URL.Path, nil)
		return code
	}
	if code := get(); code != 200 || item.Path != "disk-0.vmdk" {
		t.Errorf("%s at %s: %d", item.Path, item.URL, code)
	}
	if err := lease.Complete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code := get(); code != 404 {
		t.Errorf("after the lease: %d", code)
	}
	var left mo.HttpNfcLease
	if err := property.DefaultCollector(c).RetrieveOne(t.Context(), lease.Reference(), []string{"state"}, &left); err == nil {
		t.Error("the lease is there after its end")
	}
	if err := must(vm.PowerOn(t.Context())).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := vm.Export(t.Context()); !fault.Is(err, &types.InvalidPowerState{}) {
		t.Errorf("while it runs: %v", err)
	}
	account(t, v, "reader", v.authz.root, "System.Read")
	if _, err := object.NewVirtualMachine(loggedIn(t, v, "reader"), ref).Export(t.Context()); !refused(err, ref, "VApp.Export") {
		t.Errorf("without the privilege: %v", err)
	}
}

// A fault about an argument says which, in calls and in tasks.
func TestFaultsNameArguments(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c, vm := admin(t, v), machineOf(t, v)
	called := func(err error) string {
		var f *types.InvalidArgument
		if _, ok := fault.As(err, &f); !ok {
			return "no InvalidArgument"
		}
		return f.InvalidProperty
	}
	task, err := object.NewVirtualMachine(c, vm).Reconfigure(t.Context(), types.VirtualMachineConfigSpec{
		VAppConfig: &types.VmConfigSpec{Property: []types.VAppPropertySpec{{
			ArrayUpdateSpec: types.ArrayUpdateSpec{Operation: types.ArrayUpdateOperationEdit}, Info: &types.VAppPropertyInfo{Key: 99},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := called(task.Wait(t.Context())); got != "spec" {
		t.Errorf("of a task: %q", got)
	}
	_, err = methods.ReleaseIpAllocation(t.Context(), c, &types.ReleaseIpAllocation{
		This: *c.ServiceContent.IpPoolManager, Dc: must(object.NewRootFolder(c).Children(t.Context()))[0].Reference(), PoolId: 99, AllocationId: "x",
	})
	if got := called(err); got != "dc" && got != "poolId" {
		t.Errorf("of a call: %q, %v", got, err)
	}
	for want, request := range map[string]any{
		"spec": &types.ReconfigureComputeResource_Task{}, "path": &types.RegisterVM_Task{}, "sessionId": &types.TerminateSession{}, "": &types.Destroy_Task{},
	} {
		if got := argumentOf(request); got != want {
			t.Errorf("%T: %q, want %q", request, got, want)
		}
	}
}

// Policies have no I/O filters, which need StorageProfile.View to be asked for; one that is not there has a fault.
func TestPolicyIOFilters(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	p := policiesOf(t, admin(t, v))
	ids := must(p.QueryProfile(t.Context(), pbmtypes.PbmProfileResourceType{ResourceType: "STORAGE"}, ""))
	req := &pbmtypes.PbmQueryIOFiltersFromProfileId{This: p.ServiceContent.ProfileManager, ProfileIds: []pbmtypes.PbmProfileId{ids[0], {UniqueId: "none"}}}
	res, err := pbmmethods.PbmQueryIOFiltersFromProfileId(t.Context(), p, req)
	if err != nil || len(res.Returnval) != 2 || res.Returnval[0].Key != ids[0] || res.Returnval[0].Fault != nil || res.Returnval[1].Fault == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	account(t, v, "reader", v.authz.root, "System.Read")
	if _, err := pbmmethods.PbmQueryIOFiltersFromProfileId(t.Context(), policiesOf(t, loggedIn(t, v, "reader")), req); !refused(err, v.authz.root, "StorageProfile.View") {
		t.Errorf("without the privilege: %v", err)
	}
}
