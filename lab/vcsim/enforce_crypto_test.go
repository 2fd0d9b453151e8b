package vcsim

import (
	"testing"

	"github.com/vmware/govmomi"
	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

const opCluster = "/DC0/host/DC0_C0"

// cryptoOperations are calls about encrypted machines, with what they need besides.
func cryptoOperations() []operation {
	key := types.CryptoKeyId{KeyId: "key", ProviderId: &types.KeyProviderId{Id: "provider"}}
	encrypt := &types.CryptoSpecEncrypt{CryptoKeyId: key}
	secret := func(r *rig) {
		if err := r.reconfigure(r.admin, types.VirtualMachineConfigSpec{Crypto: encrypt}); err != nil {
			r.Fatal(err)
		}
	}
	changed := func(name, privilege string, setup func(*rig), spec types.BaseCryptoSpec) operation {
		return operation{name: name, setup: setup, needs: on(opVM, privilege), run: func(r *rig, c *govmomi.Client) error {
			return r.reconfigure(c, types.VirtualMachineConfigSpec{Crypto: spec})
		}}
	}
	return []operation{
		{
			name: "clone encrypted machine", setup: secret, run: (*rig).clone,
			needs: all(on(opVM, "VirtualMachine.Provisioning.Clone"), cloneConfig, on(opVM, "Cryptographer.Clone"), on(opCluster, "Cryptographer.RegisterHost")),
		},
		{
			name: "encrypt clone", run: func(r *rig, c *govmomi.Client) error {
				pool, ds := r.ref(opPool), r.ref(opDS)
				return finish(r.vm(c, opVM).Clone(ctx, object.NewFolder(c.Client, r.ref(opFolder)), "copy", types.VirtualMachineCloneSpec{
					Location: types.VirtualMachineRelocateSpec{Pool: &pool, Datastore: &ds}, Config: &types.VirtualMachineConfigSpec{Crypto: encrypt},
				}))
			},
			needs: all(on(opVM, "VirtualMachine.Provisioning.Clone"), on(opFolder, "VirtualMachine.Inventory.CreateFromExisting", "Cryptographer.EncryptNew"),
				on(opPool, "Resource.AssignVMToPool"), on(opDS, "Datastore.AllocateSpace"), on(opCluster, "Cryptographer.RegisterHost")),
		},
		{
			name: "create encrypted machine", read: []string{"/DC0"}, run: func(r *rig, c *govmomi.Client) error {
				return finish(object.NewFolder(c.Client, r.ref(opFolder)).CreateVM(ctx, types.VirtualMachineConfigSpec{
					Name: "new", GuestId: "otherGuest", Files: &types.VirtualMachineFileInfo{VmPathName: "[LocalDS_0]"}, Crypto: encrypt,
				}, object.NewResourcePool(c.Client, r.ref(opPool)), nil))
			},
			needs: all(on(opFolder, "VirtualMachine.Inventory.Create", "Cryptographer.EncryptNew"), on(opPool, "Resource.AssignVMToPool"),
				on(opDS, "Datastore.AllocateSpace"), on(opCluster, "Cryptographer.RegisterHost")),
		},
		{
			name: "add disk to encrypted machine", setup: secret, run: func(r *rig, c *govmomi.Client) error {
				return r.change(c, "add", "create", r.newDisk(""))
			},
			needs: all(on(opVM, "VirtualMachine.Config.AddNewDisk", "Cryptographer.AddDisk"), on(opDS, "Datastore.AllocateSpace")),
		},
		changed("encrypt", "Cryptographer.Encrypt", nil, encrypt),
		changed("decrypt", "Cryptographer.Decrypt", secret, &types.CryptoSpecDecrypt{}),
		changed("recrypt", "Cryptographer.Recrypt", secret, &types.CryptoSpecShallowRecrypt{NewKeyId: key}),
	}
}

// An encrypted machine of an estate is one, as is the clone of an encrypted machine, whose options do not tell.
func TestEncryptedMachines(t *testing.T) {
	t.Parallel()
	l := start(t, Options{Estate: EstateOptions{Contents: []Contents{{Objects: []Object{
		{Path: "/DC", Type: "Datacenter"},
		{Path: "/DC/host/esx", Type: "ComputeResource"},
		{Path: "/DC/datastore/ds", Type: "Datastore"},
		{Path: "/DC/vm/rhcos", Type: "VirtualMachine", Template: true, Encrypted: true},
		{Path: "/DC/vm/plain", Type: "VirtualMachine"},
	}}}}})
	config := func(c *vim25.Client, p string) (*object.VirtualMachine, *types.VirtualMachineConfigInfo) {
		t.Helper()
		var o mo.VirtualMachine
		vm := must(finding.NewFinder(c).VirtualMachine(t.Context(), p))
		if err := vm.Properties(t.Context(), vm.Reference(), []string{"config"}, &o); err != nil || o.Config == nil {
			t.Fatalf("%+v, %v", o, err)
		}
		return vm, o.Config
	}
	of := admin(t, l.VCenters[0])
	_, rhcos := config(of, "/DC/vm/rhcos")
	_, plain := config(of, "/DC/vm/plain")
	if rhcos.KeyId == nil || plain.KeyId != nil {
		t.Errorf("keys %+v, %+v", rhcos.KeyId, plain.KeyId)
	}

	c := admin(t, start(t, Options{}).VCenters[0])
	find := finding.NewFinder(c)
	made := must(find.VirtualMachineList(t.Context(), "/DC1/vm/openshift/..."))[0]
	key := types.CryptoKeyId{KeyId: "key", ProviderId: &types.KeyProviderId{Id: "provider"}}
	_ = finish(made.PowerOff(t.Context()))
	if err := finish(made.Reconfigure(t.Context(), types.VirtualMachineConfigSpec{Crypto: &types.CryptoSpecEncrypt{CryptoKeyId: key}})); err != nil {
		t.Fatal(err)
	}
	pool, ds := must(made.ResourcePool(t.Context())).Reference(), must(find.Datastore(t.Context(), "/DC1/datastore/ds1")).Reference()
	spec := types.VirtualMachineCloneSpec{Location: types.VirtualMachineRelocateSpec{Pool: &pool, Datastore: &ds}}
	if err := finish(made.Clone(t.Context(), must(find.Folder(t.Context(), "/DC1/vm/openshift")), "copy", spec)); err != nil {
		t.Fatal(err)
	}
	_, got := config(c, "/DC1/vm/openshift/copy")
	if got.KeyId == nil || got.KeyId.KeyId != key.KeyId {
		t.Errorf("the clone has %+v", got.KeyId)
	}
	if _, tells := optionOf(got.ExtraConfig, keyOption); tells {
		t.Errorf("%+v", got.ExtraConfig)
	}
}
