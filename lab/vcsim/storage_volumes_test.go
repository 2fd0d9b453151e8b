package vcsim

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vmware/govmomi/cns"
	cnstypes "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/object"
	pbmtypes "github.com/vmware/govmomi/pbm/types"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

func volumesOf(t *testing.T, c *vim25.Client) *cns.Client {
	t.Helper()
	v, err := cns.NewClient(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// came is what a task came to: the results for its volumes.
func came(t *testing.T, task *object.Task, err error) []cnstypes.BaseCnsVolumeOperationResult {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	info, err := cns.GetTaskInfo(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	all, err := cns.GetTaskResultArray(t.Context(), info)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// outcome is the fault of the only result, nil if it has none.
func outcome(t *testing.T, task *object.Task, err error) types.BaseMethodFault {
	t.Helper()
	all := came(t, task, err)
	if len(all) != 1 {
		t.Fatalf("%d results", len(all))
	}
	if f := all[0].GetCnsVolumeOperationResult().Fault; f != nil {
		return f.Fault
	}
	return nil
}

func volumeSpec(name string, mb int64, on ...types.ManagedObjectReference) cnstypes.CnsVolumeCreateSpec {
	return cnstypes.CnsVolumeCreateSpec{
		Name: name, VolumeType: "BLOCK", Datastores: on,
		BackingObjectDetails: &cnstypes.CnsBlockBackingDetails{CnsBackingObjectDetails: cnstypes.CnsBackingObjectDetails{CapacityInMb: mb}},
		Metadata: cnstypes.CnsVolumeMetadata{
			ContainerCluster: cnstypes.CnsContainerCluster{ClusterType: "KUBERNETES", ClusterId: "ocp", VSphereUser: "csi", ClusterFlavor: "VANILLA"},
			EntityMetadata: []cnstypes.BaseCnsEntityMetadata{&cnstypes.CnsKubernetesEntityMetadata{
				CnsEntityMetadata: cnstypes.CnsEntityMetadata{EntityName: name, ClusterID: "ocp", Labels: []types.KeyValue{{Key: "app", Value: name}}}, EntityType: "PERSISTENT_VOLUME",
			}},
		},
	}
}

func newVolume(t *testing.T, c *cns.Client, spec cnstypes.CnsVolumeCreateSpec) cnstypes.CnsVolumeId {
	t.Helper()
	task, err := c.CreateVolume(t.Context(), []cnstypes.CnsVolumeCreateSpec{spec})
	all := came(t, task, err)
	res, ok := all[0].(*cnstypes.CnsVolumeCreateResult)
	if !ok || res.Fault != nil || res.VolumeId.Id == "" || len(res.PlacementResults) != 1 {
		t.Fatalf("%+v", all[0])
	}
	return res.VolumeId
}

// anotherMachine is a machine or template other than a given one.
func anotherMachine(t *testing.T, v *VCenter, than types.ManagedObjectReference) types.ManagedObjectReference {
	t.Helper()
	for _, e := range v.authz.reg.All("VirtualMachine") {
		if ref := e.Reference(); ref != than {
			return ref
		}
	}
	t.Fatal("no other machine")
	return types.ManagedObjectReference{}
}

// machineOf is a machine of a vCenter that is no template.
func machineOf(t *testing.T, v *VCenter) types.ManagedObjectReference {
	t.Helper()
	for _, e := range v.authz.reg.All("VirtualMachine") {
		if vm, ok := managed(e).(*mo.VirtualMachine); ok && !vm.Config.Template {
			return vm.Self
		}
	}
	t.Fatal("no machine")
	return types.ManagedObjectReference{}
}

func disksOf(t *testing.T, c *vim25.Client, ref types.ManagedObjectReference) (disks []*types.VirtualDisk) {
	t.Helper()
	devices, err := object.NewVirtualMachine(c, ref).Device(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices.SelectByType((*types.VirtualDisk)(nil)) {
		disks = append(disks, d.(*types.VirtualDisk))
	}
	return disks
}

// The life of a volume, as the CSI driver leads it: created, attached, extended, detached, deleted.
func TestVolumeLife(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	all, store, vm := volumesOf(t, c), datastoresOf(t, v)[1], machineOf(t, v)
	id := newVolume(t, all, volumeSpec("pvc-1", 1024, store))
	before := len(disksOf(t, c, vm))

	volume := func() cnstypes.CnsVolume {
		t.Helper()
		res, err := all.QueryVolume(t.Context(), &cnstypes.CnsQueryFilter{VolumeIds: []cnstypes.CnsVolumeId{id}})
		if err != nil || len(res.Volumes) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		return res.Volumes[0]
	}
	details, ok := volume().BackingObjectDetails.(*cnstypes.CnsBlockBackingDetails)
	if !ok || details.CapacityInMb != 1024 || details.BackingDiskId != id.Id || !strings.HasSuffix(details.BackingDiskPath, ".vmdk") {
		t.Errorf("%+v", volume().BackingObjectDetails)
	}
	if one := volume(); one.Name != "pvc-1" || one.Metadata.ContainerCluster.ClusterId != "ocp" || !strings.HasPrefix(one.DatastoreUrl, "ds:///vmfs/volumes/") || len(one.Metadata.EntityMetadata) != 1 {
		t.Errorf("%+v", one)
	}

	on := []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: vm}}
	task, err := all.AttachVolume(t.Context(), on)
	res, ok := came(t, task, err)[0].(*cnstypes.CnsVolumeAttachResult)
	if !ok || res.Fault != nil {
		t.Fatalf("%+v", res)
	}
	disks := disksOf(t, c, vm)
	i := slices.IndexFunc(disks, func(d *types.VirtualDisk) bool { return d.VDiskId != nil && d.VDiskId.Id == id.Id })
	if len(disks) != before+1 || i < 0 {
		t.Fatalf("the machine has %d disks, had %d", len(disks), before)
	}
	backing, ok := disks[i].Backing.(*types.VirtualDiskFlatVer2BackingInfo)
	if !ok || res.DiskUUID == "" || backing.Uuid != res.DiskUUID || backing.DiskMode != "independent_persistent" || backing.FileName != details.BackingDiskPath {
		t.Errorf("%+v, UUID %s", disks[i].Backing, res.DiskUUID)
	}
	task, err = all.AttachVolume(t.Context(), on)
	if _, ok := outcome(t, task, err).(*types.ResourceInUse); !ok {
		t.Error("attached twice")
	}
	task, err = all.DeleteVolume(t.Context(), []cnstypes.CnsVolumeId{id}, true)
	if _, ok := outcome(t, task, err).(*types.ResourceInUse); !ok {
		t.Error("deleted while it is attached")
	}
	task, err = all.ExtendVolume(t.Context(), []cnstypes.CnsVolumeExtendSpec{{VolumeId: id, CapacityInMb: 2048}})
	if f := outcome(t, task, err); f != nil {
		t.Errorf("%T", f)
	}
	if got := volume().BackingObjectDetails.GetCnsBackingObjectDetails().CapacityInMb; got != 2048 {
		t.Errorf("%d MB", got)
	}
	if got := disksOf(t, c, vm); got[len(got)-1].CapacityInKB != 2048<<10 {
		t.Errorf("the disk of the machine has %d KB", got[len(got)-1].CapacityInKB)
	}
	task, err = all.ExtendVolume(t.Context(), []cnstypes.CnsVolumeExtendSpec{{VolumeId: id, CapacityInMb: 1024}})
	if _, ok := outcome(t, task, err).(*types.InvalidArgument); !ok {
		t.Error("made smaller")
	}
	task, err = all.DetachVolume(t.Context(), on)
	if f := outcome(t, task, err); f != nil {
		t.Errorf("%T", f)
	}
	if got := len(disksOf(t, c, vm)); got != before {
		t.Errorf("after it was detached: %d disks, had %d", got, before)
	}
	task, err = all.DetachVolume(t.Context(), on)
	if f := outcome(t, task, err); f != nil {
		t.Errorf("detached twice: %T", f)
	}
	for what, spec := range map[string]cnstypes.CnsVolumeAttachDetachSpec{
		"from a machine that never had it": {VolumeId: id, Vm: anotherMachine(t, v, vm)}, "and it is no volume": {VolumeId: cnstypes.CnsVolumeId{Id: "none"}, Vm: vm},
	} {
		task, err = all.DetachVolume(t.Context(), []cnstypes.CnsVolumeAttachDetachSpec{spec})
		if f, ok := outcome(t, task, err).(*types.InvalidArgument); !ok || f.InvalidProperty == "" {
			t.Errorf("detached %s", what)
		}
	}
	info, err := all.QueryVolumeInfo(t.Context(), []cnstypes.CnsVolumeId{id})
	if res, ok := came(t, info, err)[0].(*cnstypes.CnsQueryVolumeInfoResult); !ok || res.Fault != nil || res.VolumeInfo == nil {
		t.Errorf("%+v", res)
	}
	task, err = all.DeleteVolume(t.Context(), []cnstypes.CnsVolumeId{id}, true)
	if f := outcome(t, task, err); f != nil {
		t.Errorf("%T", f)
	}
	task, err = all.DeleteVolume(t.Context(), []cnstypes.CnsVolumeId{id}, true)
	if _, ok := outcome(t, task, err).(*types.NotFound); !ok {
		t.Error("deleted twice")
	}
	file := object.NewDatastore(c, store)
	if _, err := file.Stat(t.Context(), strings.SplitN(details.BackingDiskPath, "] ", 2)[1]); err == nil {
		t.Error("the file of a deleted volume is there")
	}
}

// Queries follow their filter, in pages.
func TestVolumeQueries(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	all, stores := volumesOf(t, admin(t, v)), datastoresOf(t, v)
	var made []cnstypes.CnsVolumeId
	for i, name := range []string{"a", "b", "c"} {
		made = append(made, newVolume(t, all, volumeSpec(name, 10, stores[i%2])))
	}
	names := func(filter cnstypes.BaseCnsQueryFilter) (names []string, cursor cnstypes.CnsCursor) {
		t.Helper()
		res, err := all.QueryVolume(t.Context(), filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range res.Volumes {
			names = append(names, one.Name)
		}
		return names, res.Cursor
	}
	for what, tt := range map[string]struct {
		filter cnstypes.BaseCnsQueryFilter
		want   string
	}{
		"all":       {&cnstypes.CnsQueryFilter{}, "a b c"},
		"id":        {&cnstypes.CnsQueryFilter{VolumeIds: made[1:2]}, "b"},
		"name":      {&cnstypes.CnsQueryFilter{Names: []string{"c", "x"}}, "c"},
		"datastore": {&cnstypes.CnsQueryFilter{Datastores: stores[:1]}, "a c"},
		"label":     {&cnstypes.CnsQueryFilter{Labels: []types.KeyValue{{Key: "app", Value: "a"}}}, "a"},
		"cluster":   {&cnstypes.CnsQueryFilter{ContainerClusterIds: []string{"other"}}, ""},
		"pv":        {&cnstypes.CnsKubernetesQueryFilter{PvNames: []string{"b"}}, "b"},
		"policy":    {&cnstypes.CnsQueryFilter{StoragePolicyId: "x"}, ""},
		"page":      {&cnstypes.CnsQueryFilter{Cursor: &cnstypes.CnsCursor{Offset: 1, Limit: 1}}, "b"},
		"beyond":    {&cnstypes.CnsQueryFilter{Cursor: &cnstypes.CnsCursor{Offset: 9, Limit: 1}}, ""},
	} {
		if got, _ := names(tt.filter); strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", what, got, tt.want)
		}
	}
	var got []string
	filter := &cnstypes.CnsQueryFilter{Cursor: &cnstypes.CnsCursor{Limit: 2}}
	for range 5 {
		page, cursor := names(filter)
		got = append(got, page...)
		if filter.Cursor = &cursor; cursor.Offset == cursor.TotalRecords {
			break
		}
	}
	if !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("in pages: %v", got)
	}
	task, err := all.QueryVolumeAsync(t.Context(), cnstypes.CnsQueryFilter{Names: []string{"b"}}, nil)
	if res, ok := came(t, task, err)[0].(*cnstypes.CnsAsyncQueryResult); !ok || len(res.QueryResult.Volumes) != 1 {
		t.Errorf("%+v", res)
	}
	task, err = all.UpdateVolumeMetadata(t.Context(), []cnstypes.CnsVolumeMetadataUpdateSpec{{
		VolumeId: made[0], Metadata: cnstypes.CnsVolumeMetadata{EntityMetadata: []cnstypes.BaseCnsEntityMetadata{&cnstypes.CnsKubernetesEntityMetadata{
			CnsEntityMetadata: cnstypes.CnsEntityMetadata{EntityName: "data", ClusterID: "ocp"}, EntityType: "PERSISTENT_VOLUME_CLAIM", Namespace: "shop",
		}}},
	}})
	if f := outcome(t, task, err); f != nil {
		t.Errorf("%T", f)
	}
	if got, _ := names(&cnstypes.CnsKubernetesQueryFilter{Namespaces: []string{"shop"}, PvcNames: []string{"data"}}); !slices.Equal(got, []string{"a"}) {
		t.Errorf("by claim: %v", got)
	}
	if got, _ := names(&cnstypes.CnsKubernetesQueryFilter{Namespaces: []string{"other"}}); got != nil {
		t.Errorf("by another namespace: %v", got)
	}
}

// A volume goes to a datastore that satisfies its policy, and shows up as what has it; the policy cannot be deleted meanwhile.
func TestVolumePolicies(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	stores := datastoresOf(t, v)
	tagDatastore(t, v, stores[1], "tier", "gold")
	c := admin(t, v)
	all, p := volumesOf(t, c), policiesOf(t, c)
	gold, err := p.CreateProfile(t.Context(), tagPolicy(t, "gold", "tier", "gold"))
	if err != nil {
		t.Fatal(err)
	}
	spec := volumeSpec("pvc-1", 10, stores...)
	spec.Profile = []types.BaseVirtualMachineProfileSpec{&types.VirtualMachineDefinedProfileSpec{ProfileId: gold.UniqueId}}
	id := newVolume(t, all, spec)
	res, err := all.QueryVolume(t.Context(), &cnstypes.CnsQueryFilter{StoragePolicyId: gold.UniqueId, Datastores: stores[1:2]})
	if err != nil || len(res.Volumes) != 1 || res.Volumes[0].VolumeId != id {
		t.Errorf("%+v, %v", res, err)
	}
	entities, err := p.QueryAssociatedEntity(t.Context(), *gold, "")
	if err != nil || len(entities) != 1 || entities[0].Key != id.Id {
		t.Fatalf("%+v, %v", entities, err)
	}
	if ids, err := p.QueryAssociatedProfile(t.Context(), entities[0]); err != nil || len(ids) != 1 || ids[0] != *gold {
		t.Errorf("%+v, %v", ids, err)
	}
	if out, err := p.DeleteProfile(t.Context(), []pbmtypes.PbmProfileId{*gold}); err != nil || out[0].Fault == nil {
		t.Errorf("%+v, %v", out, err)
	}
	spec.Name, spec.Datastores = "pvc-2", stores[:1]
	task, err := all.CreateVolume(t.Context(), []cnstypes.CnsVolumeCreateSpec{spec})
	if _, ok := outcome(t, task, err).(*cnstypes.CnsFault); !ok {
		t.Error("on a datastore that does not satisfy it")
	}
	spec.Profile = []types.BaseVirtualMachineProfileSpec{&types.VirtualMachineDefinedProfileSpec{ProfileId: "none"}}
	task, err = all.CreateVolume(t.Context(), []cnstypes.CnsVolumeCreateSpec{spec})
	if _, ok := outcome(t, task, err).(*types.InvalidArgument); !ok {
		t.Error("with a policy that is not there")
	}
	task, err = all.ReconfigVolumePolicy(t.Context(), []cnstypes.CnsVolumePolicyReconfigSpec{{VolumeId: id}})
	if f := outcome(t, task, err); f != nil {
		t.Errorf("%T", f)
	}
	if out, err := p.DeleteProfile(t.Context(), []pbmtypes.PbmProfileId{*gold}); err != nil || out[0].Fault != nil {
		t.Errorf("when nothing has it: %+v, %v", out, err)
	}
}

// Each call looks for its privileges, and is refused whole.
func TestVolumePrivileges(t *testing.T) {
	var calls recordings
	v := start(t, Options{Record: calls.add}).VCenters[0]
	all, stores, vm := volumesOf(t, admin(t, v)), datastoresOf(t, v), machineOf(t, v)
	id := newVolume(t, all, volumeSpec("pvc-1", 10, stores[0]))
	ids := []cnstypes.CnsVolumeId{id}
	account(t, v, "reader", v.authz.root, "System.View")
	r := volumesOf(t, loggedIn(t, v, "reader"))
	with := volumeSpec("pvc-2", 10, stores[0])
	with.Profile = []types.BaseVirtualMachineProfileSpec{&types.VirtualMachineDefinedProfileSpec{ProfileId: "any"}}
	ctx := t.Context()
	second := func(_ any, err error) error { return err }
	for what, tt := range map[string]struct {
		err       error
		on        types.ManagedObjectReference
		privilege string
	}{
		"query":     {second(r.QueryVolume(ctx, &cnstypes.CnsQueryFilter{})), v.authz.root, "Cns.Searchable"},
		"query all": {second(r.QueryAllVolume(ctx, cnstypes.CnsQueryFilter{}, cnstypes.CnsQuerySelection{})), v.authz.root, "Cns.Searchable"},
		"info":      {second(r.QueryVolumeInfo(ctx, ids)), v.authz.root, "Cns.Searchable"},
		"create":    {second(r.CreateVolume(ctx, []cnstypes.CnsVolumeCreateSpec{volumeSpec("x", 1, stores[0])})), stores[0], "Datastore.FileManagement"},
		"policy":    {second(r.CreateVolume(ctx, []cnstypes.CnsVolumeCreateSpec{with})), v.authz.root, "StorageProfile.View"},
		"delete":    {second(r.DeleteVolume(ctx, ids, true)), stores[0], "Datastore.FileManagement"},
		"extend":    {second(r.ExtendVolume(ctx, []cnstypes.CnsVolumeExtendSpec{{VolumeId: id, CapacityInMb: 20}})), stores[0], "Datastore.FileManagement"},
		"snapshot":  {second(r.CreateSnapshots(ctx, []cnstypes.CnsSnapshotCreateSpec{{VolumeId: id}})), stores[0], "Datastore.FileManagement"},
		"snapshots": {second(r.QuerySnapshots(ctx, cnstypes.CnsSnapshotQueryFilter{})), v.authz.root, "Cns.Searchable"},
		"attach":    {second(r.AttachVolume(ctx, []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: vm}})), vm, "VirtualMachine.Config.AddExistingDisk"},
		"detach":    {second(r.DetachVolume(ctx, []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: vm}})), vm, "VirtualMachine.Config.RemoveDisk"},
		"metadata":  {second(r.UpdateVolumeMetadata(ctx, []cnstypes.CnsVolumeMetadataUpdateSpec{{VolumeId: id}})), stores[0], "Datastore.FileManagement"},
	} {
		if !refused(tt.err, tt.on, tt.privilege) {
			t.Errorf("%s: %v", what, tt.err)
		}
	}
	if want := (Record{Service: "vsan", Method: "CnsQueryVolume", Principal: `VSPHERE.LOCAL\reader`, Object: "/", Privilege: "Cns.Searchable", Verdict: VerdictMissing}); !calls.has(want) {
		t.Errorf("no record %+v", want)
	}
	if _, err := volumesOf(t, plain(t, v)).QueryVolume(ctx, &cnstypes.CnsQueryFilter{}); !fault.Is(err, &types.NotAuthenticated{}) {
		t.Errorf("without a session: %v", err)
	}

	// Who may change the machine has to be able to work on the datastore of the volume, too.
	account(t, v, "machines", v.authz.root, "System.View")
	account(t, v, "machines", vm, "VirtualMachine.Config.AddExistingDisk", "VirtualMachine.Config.AddRemoveDevice", "VirtualMachine.Config.RemoveDisk")
	m := volumesOf(t, loggedIn(t, v, "machines"))
	on := []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: vm}}
	for what, err := range map[string]error{"attach": second(m.AttachVolume(ctx, on)), "detach": second(m.DetachVolume(ctx, on))} {
		if !refused(err, stores[0], "Datastore.FileManagement") {
			t.Errorf("%s without the datastore: %v", what, err)
		}
	}

	// An encrypted machine asks for more, of who attaches and not of who detaches.
	key := types.CryptoKeyId{KeyId: "key", ProviderId: &types.KeyProviderId{Id: "provider"}}
	if err := finish(object.NewVirtualMachine(admin(t, v), vm).Reconfigure(ctx, types.VirtualMachineConfigSpec{Crypto: &types.CryptoSpecEncrypt{CryptoKeyId: key}})); err != nil {
		t.Fatal(err)
	}
	account(t, v, "machines", stores[0], "Datastore.FileManagement")
	if _, err := m.AttachVolume(ctx, on); !refused(err, vm, "Cryptographer.AddDisk") {
		t.Errorf("attach to an encrypted machine: %v", err)
	}
	if _, err := m.DetachVolume(ctx, on); err != nil {
		t.Errorf("detach from an encrypted machine: %v", err)
	}

	// A datastore that the caller may not work on is left out; where no other is left, the call is refused.
	account(t, v, "csi", v.authz.root, "System.View")
	account(t, v, "csi", stores[0], "Datastore.FileManagement")
	csi := volumesOf(t, loggedIn(t, v, "csi"))
	newVolume(t, csi, volumeSpec("pvc-3", 10, stores[0]))
	for what, on := range map[string][]types.ManagedObjectReference{"of two datastores": {stores[1], stores[0]}, "of all": nil} {
		task, err := csi.CreateVolume(ctx, []cnstypes.CnsVolumeCreateSpec{volumeSpec("pvc-4", 10, on...)})
		made, ok := came(t, task, err)[0].(*cnstypes.CnsVolumeCreateResult)
		if !ok || made.Fault != nil || len(made.PlacementResults) != 1 || made.PlacementResults[0].Datastore != stores[0] {
			t.Errorf("%s: %+v", what, made)
		}
	}
	if _, err := csi.CreateVolume(ctx, []cnstypes.CnsVolumeCreateSpec{volumeSpec("pvc-5", 10, stores[1])}); !refused(err, stores[1], "Datastore.FileManagement") {
		t.Errorf("on one that it may not work on: %v", err)
	}
}

// Of several who attach one volume at once, one does; others ask about it, and about policies, meanwhile.
func TestVolumesInParallel(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	all, p, vm := volumesOf(t, c), policiesOf(t, c), machineOf(t, v)
	id := newVolume(t, all, volumeSpec("pvc-1", 10, datastoresOf(t, v)[0]))
	ctx, before := t.Context(), len(disksOf(t, c, vm))
	var attached atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			task, err := all.AttachVolume(ctx, []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: vm}})
			if err != nil {
				t.Error(err)
				return
			}
			info, err := cns.GetTaskInfo(ctx, task)
			if err != nil {
				t.Error(err)
				return
			}
			if res, err := cns.GetTaskResult(ctx, info); err == nil && res.GetCnsVolumeOperationResult().Fault == nil {
				attached.Add(1)
			}
		})
		wg.Go(func() {
			if _, err := all.QueryVolume(ctx, &cnstypes.CnsQueryFilter{}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := p.ProfileMap(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := attached.Load(); n != 1 || len(disksOf(t, c, vm)) != before+1 {
		t.Errorf("attached %d times, %d disks, had %d", n, len(disksOf(t, c, vm)), before)
	}
}

// What is not simulated is refused, and says so.
func TestVolumesThatAreNotSimulated(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	all, store := volumesOf(t, admin(t, v)), datastoresOf(t, v)[0]
	file := volumeSpec("file", 10, store)
	file.VolumeType, file.BackingObjectDetails = "FILE", &cnstypes.CnsVsanFileShareBackingDetails{}
	from := volumeSpec("copy", 10, store)
	from.VolumeSource = &cnstypes.CnsSnapshotVolumeSource{VolumeId: cnstypes.CnsVolumeId{Id: "x"}}
	for _, spec := range []cnstypes.CnsVolumeCreateSpec{file, from} {
		task, err := all.CreateVolume(t.Context(), []cnstypes.CnsVolumeCreateSpec{spec})
		if f, ok := outcome(t, task, err).(*cnstypes.CnsFault); !ok || !strings.Contains(f.Reason, "simulated") {
			t.Errorf("%s: %+v", spec.Name, f)
		}
	}
}

// Snapshots are made, found and removed; a volume that has some stays.
func TestVolumeSnapshots(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	all := volumesOf(t, c)
	id := newVolume(t, all, volumeSpec("pvc-1", 10, datastoresOf(t, v)[0]))
	task, err := all.CreateSnapshots(t.Context(), []cnstypes.CnsSnapshotCreateSpec{{VolumeId: id, Description: "before"}})
	made, ok := came(t, task, err)[0].(*cnstypes.CnsSnapshotCreateResult)
	if !ok || made.Fault != nil || made.Snapshot.SnapshotId.Id == "" || made.Snapshot.VolumeId != id {
		t.Fatalf("%+v", made)
	}
	query := func(specs ...cnstypes.CnsSnapshotQuerySpec) []cnstypes.CnsSnapshotQueryResultEntry {
		t.Helper()
		task, err := all.QuerySnapshots(t.Context(), cnstypes.CnsSnapshotQueryFilter{SnapshotQuerySpecs: specs})
		if err != nil {
			t.Fatal(err)
		}
		info, err := cns.GetTaskInfo(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		res, err := cns.GetQuerySnapshotsTaskResult(t.Context(), info)
		if err != nil {
			t.Fatal(err)
		}
		return res.Entries
	}
	for what, got := range map[string][]cnstypes.CnsSnapshotQueryResultEntry{"all": query(), "one volume": query(cnstypes.CnsSnapshotQuerySpec{VolumeId: id})} {
		if len(got) != 1 || got[0].Snapshot.SnapshotId != made.Snapshot.SnapshotId || got[0].Snapshot.Description != "before" {
			t.Errorf("%s: %+v", what, got)
		}
	}
	for what, spec := range map[string]cnstypes.CnsSnapshotQuerySpec{
		"volume": {VolumeId: cnstypes.CnsVolumeId{Id: "none"}}, "snapshot": {VolumeId: id, SnapshotId: &cnstypes.CnsSnapshotId{Id: "none"}},
	} {
		if got := query(spec); len(got) != 1 || got[0].Error == nil {
			t.Errorf("a %s that is not there: %+v", what, got)
		}
	}
	task, err = all.DeleteVolume(t.Context(), []cnstypes.CnsVolumeId{id}, true)
	if _, ok := outcome(t, task, err).(*types.ResourceInUse); !ok {
		t.Error("a volume with a snapshot is deleted")
	}
	gone := []cnstypes.CnsSnapshotDeleteSpec{{VolumeId: id, SnapshotId: made.Snapshot.SnapshotId}}
	task, err = all.DeleteSnapshots(t.Context(), gone)
	if f := outcome(t, task, err); f != nil {
		t.Errorf("%T", f)
	}
	task, err = all.DeleteSnapshots(t.Context(), gone)
	if _, ok := outcome(t, task, err).(*cnstypes.CnsSnapshotNotFoundFault); !ok {
		t.Error("deleted twice")
	}
	if got := query(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// A machine that is destroyed leaves the volumes that it has; it cannot be destroyed while it runs.
func TestVolumeOutlivesItsMachine(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	all, vm := volumesOf(t, c), machineOf(t, v)
	id := newVolume(t, all, volumeSpec("pvc-1", 10, datastoresOf(t, v)[0]))
	task, err := all.AttachVolume(t.Context(), []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: vm}})
	if f := outcome(t, task, err); f != nil {
		t.Fatalf("%T", f)
	}
	m := object.NewVirtualMachine(c, vm)
	if task, err = m.PowerOff(t.Context()); err == nil {
		_ = task.Wait(t.Context()) // it may be off
	}
	if task, err = m.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := task.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var other types.ManagedObjectReference
	for _, e := range v.authz.reg.All("VirtualMachine") {
		if one, ok := managed(e).(*mo.VirtualMachine); ok && !one.Config.Template && len(disksOf(t, c, one.Self)) > 0 {
			other = one.Self
		}
	}
	if other.Value == "" {
		t.Skip("no other machine")
	}
	task, err = all.AttachVolume(t.Context(), []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: other}})
	if f := outcome(t, task, err); f != nil {
		t.Errorf("attached to another: %T", f)
	}
}
