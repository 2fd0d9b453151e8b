package vcsim

import (
	"slices"
	"testing"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// Paths of the enforcement tests. The machine is moved into a folder, because /DC0/vm cannot carry permissions.
const (
	opFolder = "/DC0/vm/f"
	opVM     = "/DC0/vm/f/DC0_C0_RP1_VM0"
	opPool   = "/DC0/host/DC0_C0/Resources/DC0_C0_RP1"
	opDS     = "/DC0/datastore/LocalDS_0"
	opNet    = "/DC0/network/DC0_DVPG0"
)

// held is a privilege that an operation needs, and where.
type held struct{ path, privilege string }

// operation is a call with exactly the privileges that it takes.
type operation struct {
	name  string
	needs []held
	read  []string                          // where reading is needed besides, not propagating
	setup func(*rig)                        // as the administrator
	run   func(*rig, *govmomi.Client) error // as the user
}

func finish(task *object.Task, err error) error {
	if err != nil {
		return err
	}
	return task.Wait(ctx)
}

func (r *rig) reconfigure(c *govmomi.Client, spec types.VirtualMachineConfigSpec) error {
	return finish(r.vm(c, opVM).Reconfigure(ctx, spec))
}

func on(path string, privileges ...string) (out []held) {
	for _, p := range privileges {
		out = append(out, held{path, p})
	}
	return out
}

func all(lists ...[]held) (out []held) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// TestEnforcement runs every operation once without each of its privileges, which must be refused naming the
// privilege and the object, and then with all of them, which must succeed.
func TestEnforcement(t *testing.T) {
	for _, op := range slices.Concat(machineOperations(), storageOperations(), serviceOperations(), cryptoOperations(), componentOperations()) {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			folder := must(object.NewFolder(r.admin.Client, r.ref("/DC0/vm")).CreateFolder(ctx, "f"))
			if err := finish(folder.MoveInto(ctx, []types.ManagedObjectReference{r.ref(clusterVM)})); err != nil {
				t.Fatal(err)
			}
			if op.setup != nil {
				op.setup(r)
			}
			r.user("u")
			arrange(r, op, -1)
			c := r.login("u@vsphere.local")
			for i, n := range op.needs {
				arrange(r, op, i)
				f := wantFault[types.NoPermission](t, op.run(r, c))
				if f.PrivilegeId != n.privilege || f.Object == nil || *f.Object != r.ref(n.path) {
					t.Errorf("without %s on %s: %s on %v", n.privilege, n.path, f.PrivilegeId, f.Object)
				}
			}
			arrange(r, op, -1)
			if err := op.run(r, c); err != nil {
				t.Errorf("with all privileges: %v", err)
			}
		})
	}
}

// arrange gives the user what the operation needs, except the privilege at index skip.
func arrange(r *rig, op operation, skip int) {
	r.Helper()
	by := map[string][]string{"/": nil}
	for _, path := range op.read {
		by[path] = nil
	}
	for i, n := range op.needs {
		if i != skip {
			by[n.path] = append(by[n.path], n.privilege)
		} else if by[n.path] == nil {
			by[n.path] = []string{}
		}
	}
	for path, privileges := range by {
		r.grant(path, "u", false, privileges...)
	}
}

func TestR44NoPermission(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/", "u", true)
	c := r.login("u@vsphere.local")
	vm, ds := r.ref(clusterVM), r.ref(opDS)
	disk := &types.VirtualDisk{CapacityInKB: 1024}
	disk.Backing = &types.VirtualDiskFlatVer2BackingInfo{VirtualDeviceFileBackingInfo: types.VirtualDeviceFileBackingInfo{Datastore: &ds}}
	_, err := r.vm(c, clusterVM).Reconfigure(ctx, types.VirtualMachineConfigSpec{NumCPUs: 2, DeviceChange: []types.BaseVirtualDeviceConfigSpec{
		&types.VirtualDeviceConfigSpec{Operation: "add", FileOperation: "create", Device: disk},
	}})
	f := wantFault[types.NoPermission](t, err)
	if *f.Object != vm || f.PrivilegeId != "VirtualMachine.Config.CPUCount" {
		t.Errorf("first: %v %s", f.Object, f.PrivilegeId)
	}
	if len(f.MissingPrivileges) != 2 || f.MissingPrivileges[0].Entity != vm || len(f.MissingPrivileges[0].PrivilegeIds) != 2 ||
		f.MissingPrivileges[1].Entity != ds || f.MissingPrivileges[1].PrivilegeIds[0] != "Datastore.AllocateSpace" {
		t.Errorf("all: %+v", f.MissingPrivileges)
	}
}

func TestR48OnParent(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/", "u", false)
	folder := must(object.NewFolder(r.admin.Client, r.ref("/DC0/vm")).CreateFolder(ctx, "f"))
	inner := must(folder.CreateFolder(ctx, "g"))
	r.grant("/DC0/vm/f/g", "u", true, remove)
	c := r.login("u@vsphere.local")
	destroy := func() error {
		return finish(object.NewFolder(c.Client, inner.Reference()).Destroy(ctx))
	}
	f := wantFault[types.NoPermission](t, destroy())
	if f.PrivilegeId != remove || *f.Object != folder.Reference() {
		t.Errorf("%+v", f)
	}
	r.grant("/DC0/vm/f", "u", false, remove)
	if err := destroy(); err != nil {
		t.Error(err)
	}
}

// A method that the reference does not list is not open to everybody: it takes read access.
func TestUnlistedMethod(t *testing.T) {
	r := newRig(t)
	r.user("u")
	r.grant("/DC0/host/DC0_C0", "u", true)
	c := r.login("u@vsphere.local")
	_, err := methods.PlaceVmsXCluster(ctx, c, &types.PlaceVmsXCluster{This: r.ref("/")})
	wantFault[types.NoPermission](t, err)
}

// The in-memory client of the simulator, which builds the inventory, is asked for nothing.
func TestInMemoryClientPasses(t *testing.T) {
	r := newRig(t)
	if fault := r.a.change(func(st *authzState) types.BaseMethodFault { clear(st.grants); return nil }); fault != nil {
		t.Fatal(fault)
	}
	f := wantFault[types.NoPermission](t, func() error { _, err := r.manager(r.admin).AddRole(ctx, "x", nil); return err }())
	if f.PrivilegeId != "Authorization.ModifyRoles" {
		t.Errorf("%+v", f)
	}
}
