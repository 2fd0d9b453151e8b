package vcsim

import (
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"
)

// A relocation to another vCenter is judged by both: the machine here for who calls, and the placement there for the account of the
// credential, which is told apart from the caller whatever its name is. Inside one vCenter the machine moves; to another it does not.
func TestRelocationToAnotherVCenter(t *testing.T) {
	t.Parallel()
	here, there := newRig(t), newRig(t)
	here.a.peer = func(id string) *authorization { return map[string]*authorization{"here": here.a, "there": there.a}[id] }
	const there1 = "/DC0/vm/new"
	for _, r := range []*rig{here, there} {
		r.user("u")
		must(object.NewFolder(r.admin.Client, r.ref("/DC0/vm")).CreateFolder(ctx, "new"))
		r.grant("/", "u", true)
	}
	c := here.login("u@vsphere.local")
	spec := func(id, password string) types.VirtualMachineRelocateSpec {
		pool, ds, folder := there.ref(opPool), there.ref(opDS), there.ref(there1)
		card := &types.VirtualVmxnet3{}
		card.Backing = must(object.NewDistributedVirtualPortgroup(there.admin.Client, there.ref(opNet)).EthernetCardBackingInfo(ctx))
		return types.VirtualMachineRelocateSpec{
			Pool: &pool, Datastore: &ds, Folder: &folder,
			DeviceChange: []types.BaseVirtualDeviceConfigSpec{&types.VirtualDeviceConfigSpec{Operation: "add", Device: card}},
			Service: &types.ServiceLocator{
				InstanceUuid: id, Credential: &types.ServiceLocatorNamePassword{Username: "u@vsphere.local", Password: password},
			},
		}
	}
	relocate := func(s types.VirtualMachineRelocateSpec) error {
		return finish(here.vm(c, clusterVM).Relocate(ctx, s, ""))
	}
	refused := func(id string, at *rig, path, privilege string) {
		t.Helper()
		f := wantFault[types.NoPermission](t, relocate(spec(id, rigPassword)))
		if f.PrivilegeId != privilege || f.Object == nil || *f.Object != at.ref(path) {
			t.Errorf("%s: refused for %s on %v, want %s on %s", id, f.PrivilegeId, f.Object, privilege, path)
		}
	}
	refused("there", here, clusterVM, "Resource.ColdMigrate")
	here.grant(clusterVM, "u", false, "Resource.ColdMigrate")
	for _, id := range []string{"there", "here"} {
		at := map[string]*rig{"there": there, "here": here}[id]
		for _, n := range []held{{opPool, "Resource.AssignVMToPool"}, {there1, "VirtualMachine.Inventory.Move"}, {opDS, "Datastore.AllocateSpace"}, {opNet, "Network.Assign"}} {
			refused(id, at, n.path, n.privilege)
			at.grant(n.path, "u", false, n.privilege)
		}
	}
	wantFault[types.NotImplemented](t, relocate(spec("there", rigPassword)))
	wantFault[types.InvalidLogin](t, relocate(spec("there", "wrong")))
	bare := spec("there", rigPassword)
	bare.Datastore = nil
	for _, s := range []types.VirtualMachineRelocateSpec{bare, spec("elsewhere", rigPassword)} {
		wantFault[types.InvalidArgument](t, relocate(s))
	}
	if err := relocate(spec("here", rigPassword)); err != nil {
		t.Fatal(err)
	}
	here.ref(there1 + "/DC0_C0_RP1_VM0") // which fails the test if it is not there
}
