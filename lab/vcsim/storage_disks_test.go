package vcsim

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	cnstypes "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/fault"
	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vslm"
	vslmmethods "github.com/vmware/govmomi/vslm/methods"
	vslmtypes "github.com/vmware/govmomi/vslm/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/volumes"
)

func diskService(t *testing.T, c *vim25.Client) (*vslm.Client, *vslm.GlobalObjectManager) {
	t.Helper()
	all, err := vslm.NewClient(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return all, vslm.NewGlobalObjectManager(all)
}

// plantDisk makes a file of a disk, and gives its URL as drivers make it.
func plantDisk(t *testing.T, v *VCenter, store types.ManagedObjectReference, name string, mb int64) string {
	t.Helper()
	c := admin(t, v)
	at, _, _ := strings.Cut(inventoryPath(v.authz.reg, store), "/datastore/")
	dc := must(finding.NewFinder(c).Datacenter(t.Context(), at))
	path := object.DatastorePath{Datastore: entityName(v.authz.reg, store), Path: name}
	files := object.NewFileManager(c)
	_ = files.MakeDirectory(t.Context(), "["+path.Datastore+"] kubevols", dc, true)
	spec := &types.FileBackedVirtualDiskSpec{CapacityKb: mb << 10}
	if err := finish(object.NewVirtualDiskManager(c).CreateVirtualDisk(t.Context(), path.String(), dc, spec)); err != nil {
		t.Fatal(err)
	}
	return "https://" + c.URL().Host + "/folder/" + name + "?dcPath=" + url.PathEscape(at) +
		"&dsName=" + url.PathEscape(path.Datastore)
}

// A volume that was made beforehand becomes one of the cluster's by the id of its disk, or, from
// 7.0.1 on, by the URL of its file.
func TestStaticVolumes(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c, store := admin(t, v), datastoresOf(t, v)[0]
	all, disks := volumesOf(t, c), func() *vslm.GlobalObjectManager { _, d := diskService(t, c); return d }()
	address := plantDisk(t, v, store, "kubevols/data.vmdk", 64)

	disk, err := disks.RegisterDisk(t.Context(), address, "data")
	if err != nil {
		t.Fatal(err)
	}
	backing, ok := disk.Config.Backing.(*types.BaseConfigInfoDiskFileBackingInfo)
	if !ok || disk.Config.CapacityInMB != 64 || disk.Config.Name != "data" || backing.Datastore != store || !strings.HasSuffix(backing.FilePath, "] kubevols/data.vmdk") {
		t.Errorf("%+v", disk.Config)
	}
	_, err = disks.RegisterDisk(t.Context(), address, "data")
	if f, ok := faultOf(err).(types.AlreadyExists); !ok || f.Name != disk.Config.Id.Id {
		t.Errorf("registered twice: %v", err)
	}
	for what, path := range map[string]string{
		"no file": strings.Replace(address, "data.vmdk", "none.vmdk", 1), "no datastore": strings.Replace(address, "dsName=", "dsName=x", 1),
		"no datacenter": strings.Replace(address, "dcPath=", "dcPath=x", 1), "no URL": "[ds] data.vmdk", "directory": strings.Replace(address, "/data.vmdk", "", 1),
	} {
		if _, err := disks.RegisterDisk(t.Context(), path, ""); !fault.Is(err, &types.InvalidArgument{}) {
			t.Errorf("%s: %v", what, err)
		}
	}

	spec := volumeSpec("static-1", 0)
	spec.BackingObjectDetails = &cnstypes.CnsBlockBackingDetails{BackingDiskId: disk.Config.Id.Id}
	if id := newVolume(t, all, spec); id.Id != disk.Config.Id.Id {
		t.Errorf("the volume is %s, the disk %s", id.Id, disk.Config.Id.Id)
	}
	shown, err := all.QueryVolume(t.Context(), &cnstypes.CnsQueryFilter{Names: []string{"static-1"}})
	if err != nil || len(shown.Volumes) != 1 || shown.Volumes[0].BackingObjectDetails.GetCnsBackingObjectDetails().CapacityInMb != 64 {
		t.Errorf("%+v, %v", shown, err)
	}
	task, err := all.CreateVolume(t.Context(), []cnstypes.CnsVolumeCreateSpec{spec})
	if f, ok := outcome(t, task, err).(*cnstypes.CnsAlreadyRegisteredFault); !ok || f.VolumeId.Id != disk.Config.Id.Id {
		t.Errorf("a volume twice: %+v", f)
	}

	byURL := volumeSpec("static-2", 0)
	byURL.BackingObjectDetails = &cnstypes.CnsBlockBackingDetails{BackingDiskUrlPath: plantDisk(t, v, store, "kubevols/more.vmdk", 32)}
	id := newVolume(t, all, byURL)
	if found, err := disks.Retrieve(t.Context(), types.ID{Id: id.Id}); err != nil || found.Config.CapacityInMB != 32 {
		t.Errorf("%+v, %v", found, err)
	}
	task, err = all.CreateVolume(t.Context(), []cnstypes.CnsVolumeCreateSpec{byURL})
	if f, ok := outcome(t, task, err).(*cnstypes.CnsAlreadyRegisteredFault); !ok || f.VolumeId != id {
		t.Errorf("a file twice: %+v", f)
	}
	byURL.BackingObjectDetails = &cnstypes.CnsBlockBackingDetails{BackingDiskUrlPath: strings.Replace(address, "dcPath=", "dcPath=x", 1)}
	_, err = all.CreateVolume(t.Context(), []cnstypes.CnsVolumeCreateSpec{byURL})
	if f, ok := faultOf(err).(types.InvalidArgument); !ok || f.InvalidProperty != "dsDiskUrl" {
		t.Errorf("a datacenter that is not there: %v", err)
	}
	vm := machineOf(t, v)
	attached, err := all.AttachVolume(t.Context(), []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: vm}})
	if f := outcome(t, attached, err); f != nil {
		t.Errorf("%T", f)
	}
	if _, err := disks.Delete(t.Context(), types.ID{Id: id.Id}); !fault.Is(err, &types.InvalidState{}) {
		t.Errorf("deleted while a machine has it: %v", err)
	}
}

// The life of a disk, as govc leads it.
func TestDisks(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	service, disks := diskService(t, admin(t, v))
	if id := service.ServiceContent.AboutInfo.InstanceUuid; id != v.node.instance {
		t.Errorf("instance %s", id)
	}
	var made []string
	for i, store := range datastoresOf(t, v)[:2] {
		task, err := disks.CreateDisk(t.Context(), types.VslmCreateSpec{
			Name: "disk-" + string(rune('a'+i)), CapacityInMB: int64(16 << i),
			BackingSpec: &types.VslmCreateSpecDiskFileBackingSpec{
				VslmCreateSpecBackingSpec: types.VslmCreateSpecBackingSpec{Datastore: store},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		res, err := task.Wait(t.Context(), 20*time.Second)
		disk, ok := res.(types.VStorageObject)
		if err != nil || !ok {
			t.Fatalf("%+v, %v", res, err)
		}
		made = append(made, disk.Config.Id.Id)
	}
	names := func(c *vslm.GlobalObjectManager, most int32, query ...vslmtypes.VslmVsoVStorageObjectQuerySpec) string {
		t.Helper()
		res, err := c.ListObjectsForSpec(t.Context(), query, most)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, one := range res.QueryResults {
			all = append(all, one.Name)
		}
		if !res.AllRecordsReturned {
			all = append(all, "more")
		}
		if len(res.Id) != len(res.QueryResults) {
			t.Errorf("%d ids of %d", len(res.Id), len(res.QueryResults))
		}
		return strings.Join(all, " ")
	}
	large := vslmtypes.VslmVsoVStorageObjectQuerySpec{QueryField: "capacity", QueryOperator: "greaterThan", QueryValue: []string{"16"}}
	if got := names(disks, 10, large); got != "disk-b" {
		t.Errorf("larger than 16 MB: %s", got)
	}
	if got := names(disks, 1); !strings.HasPrefix(got, "disk-") || !strings.HasSuffix(got, " more") {
		t.Errorf("one of two: %s", got)
	}
	if _, err := disks.ListObjectsForSpec(t.Context(), []vslmtypes.VslmVsoVStorageObjectQuerySpec{{QueryField: "colour", QueryValue: []string{"x"}}}, 1); err == nil {
		t.Error("a query by a field that no disk has")
	}

	one := types.ID{Id: made[0]}
	flags := func() (keep, still, track bool) {
		t.Helper()
		disk := must(disks.Retrieve(t.Context(), one))
		is := func(b *bool) bool { return b != nil && *b }
		return is(disk.Config.KeepAfterDeleteVm), is(disk.Config.RelocationDisabled), is(disk.Config.ChangedBlockTrackingEnabled)
	}
	for _, set := range []string{"keepAfterDeleteVm", "enableChangedBlockTracking"} {
		if err := disks.SetControlFlags(t.Context(), one, []string{set}); err != nil {
			t.Fatal(err)
		}
	}
	if keep, still, track := flags(); !keep || still || !track {
		t.Errorf("set: %t %t %t", keep, still, track)
	}
	cleared := &vslmtypes.VslmClearVStorageObjectControlFlags{This: disks.Reference(), Id: one, ControlFlags: []string{"keepAfterDeleteVm"}}
	if _, err := vslmmethods.VslmClearVStorageObjectControlFlags(t.Context(), service, cleared); err != nil {
		t.Fatal(err)
	}
	if keep, _, track := flags(); keep || !track {
		t.Errorf("one cleared: %t %t", keep, track)
	}
	if err := disks.ClearControlFlags(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if keep, still, track := flags(); keep || still || track {
		t.Errorf("all cleared: %t %t %t", keep, still, track)
	}

	task, err := disks.Delete(t.Context(), one)
	if err == nil {
		_, err = task.Wait(t.Context(), 20*time.Second)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := disks.Retrieve(t.Context(), one); !fault.Is(err, &types.InvalidArgument{}) {
		t.Errorf("a deleted disk: %v", err)
	}
	if got := names(disks, 10); got != "disk-b" {
		t.Errorf("left: %s", got)
	}
}

// Work on a disk needs Datastore.FileManagement on its datastore, by whichever service.
func TestDiskPrivileges(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	stores := datastoresOf(t, v)
	_, all := diskService(t, admin(t, v))
	address := plantDisk(t, v, stores[0], "kubevols/data.vmdk", 8)
	disk := must(all.RegisterDisk(t.Context(), plantDisk(t, v, stores[0], "kubevols/first.vmdk", 8), "first"))
	id := disk.Config.Id
	account(t, v, "reader", v.authz.root, "System.View")
	account(t, v, "elsewhere", stores[1], "System.View", "Datastore.FileManagement")
	second := func(_ any, err error) error { return err }
	for _, name := range []string{"reader", "elsewhere"} {
		c := loggedIn(t, v, name)
		_, d := diskService(t, c)
		static := volumeSpec("static", 0)
		static.BackingObjectDetails = &cnstypes.CnsBlockBackingDetails{BackingDiskId: id.Id}
		file := volumeSpec("file", 0)
		file.BackingObjectDetails = &cnstypes.CnsBlockBackingDetails{BackingDiskUrlPath: address}
		cns := volumesOf(t, c)
		for what, err := range map[string]error{
			"register": second(d.RegisterDisk(t.Context(), address, "x")),
			"delete":   second(d.Delete(t.Context(), id)),
			"set":      d.SetControlFlags(t.Context(), id, []string{"keepAfterDeleteVm"}),
			"clear":    d.ClearControlFlags(t.Context(), id),
			"create": second(d.CreateDisk(t.Context(), types.VslmCreateSpec{Name: "x", CapacityInMB: 1, BackingSpec: &types.VslmCreateSpecDiskFileBackingSpec{
				VslmCreateSpecBackingSpec: types.VslmCreateSpecBackingSpec{Datastore: stores[0]},
			}})),
			"vim25":         second(methods.RegisterDisk(t.Context(), c, &types.RegisterDisk{This: *c.ServiceContent.VStorageObjectManager, Path: address})),
			"volume by id":  second(cns.CreateVolume(t.Context(), []cnstypes.CnsVolumeCreateSpec{static})),
			"volume by URL": second(cns.CreateVolume(t.Context(), []cnstypes.CnsVolumeCreateSpec{file})),
		} {
			if !refused(err, stores[0], "Datastore.FileManagement") {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
	_, reader := diskService(t, loggedIn(t, v, "reader"))
	if _, err := reader.Retrieve(t.Context(), id); err != nil {
		t.Errorf("who sees the datastore reads its disks: %v", err)
	}
	_, elsewhere := diskService(t, loggedIn(t, v, "elsewhere"))
	if _, err := elsewhere.Retrieve(t.Context(), id); !refused(err, stores[0], "System.View") {
		t.Errorf("who does not: %v", err)
	}
	if res, err := elsewhere.ListObjectsForSpec(t.Context(), nil, 10); err != nil || len(res.QueryResults) != 0 {
		t.Errorf("%+v, %v", res, err)
	}
	none, err := vslm.NewClient(t.Context(), plain(t, v)) // everybody is told what the service consists of
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vslm.NewGlobalObjectManager(none).Retrieve(t.Context(), id); !fault.Is(err, &types.NotAuthenticated{}) {
		t.Errorf("without a session: %v", err)
	}
	account(t, v, "csi", stores[0], "Datastore.FileManagement")
	to := &types.VslmCreateSpecDiskFileBackingSpec{VslmCreateSpecBackingSpec: types.VslmCreateSpecBackingSpec{Datastore: stores[1]}}
	account(t, v, "csi", stores[1], "System.View")
	c := loggedIn(t, v, "csi")
	_, err = methods.RelocateVStorageObject_Task(t.Context(), c, &types.RelocateVStorageObject_Task{
		This: *c.ServiceContent.VStorageObjectManager, Id: id, Datastore: stores[0], Spec: types.VslmRelocateSpec{VslmMigrateSpec: types.VslmMigrateSpec{BackingSpec: to}},
	})
	if !refused(err, stores[1], "Datastore.FileManagement") {
		t.Errorf("moved to where it may not work: %v", err)
	}
	_, csi := diskService(t, loggedIn(t, v, "csi"))
	if _, err := csi.RegisterDisk(t.Context(), address, "x"); err != nil {
		t.Errorf("with the privilege: %v", err)
	}
}

// A call of a service beside vim25 that panics is answered, and the objects that it held go on.
func TestPanicBesideVimEndsTheCall(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	vm := anyMachine(t, v)
	key := v.cookies.key(vm.Client().SessionCookie().Value)
	s := &besideVim{VCenter: v, name: "x", session: func(*soapCall) string { return key }}
	as := func(x *access) volumes.Caller { return volumeCaller{x} }
	e := newDiskEndpoint(v, nil)
	e.methods["VslmTask.VslmQueryInfo"] = methodOf(s, as, func(c volumes.Caller, _ *vslmtypes.VslmQueryInfo) (*vslmtypes.VslmQueryInfoResponse, types.BaseMethodFault) {
		c.Context().Map.AcquireLock(c.Context(), v.authz.reg.Get(vm.Reference()))
		panic("the simulator breaks off")
	})
	out := httptest.NewRecorder()
	e.ServeHTTP(out, httptest.NewRequest(http.MethodPost, "/vslm/sdk", strings.NewReader(
		`<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><VslmQueryInfo xmlns="urn:vslm"><_this type="VslmTask">x</_this></VslmQueryInfo></Body></Envelope>`)))
	if !strings.Contains(out.Body.String(), "SystemErrorFault") || !strings.Contains(out.Body.String(), "breaks off") {
		t.Errorf("%s", out.Body)
	}
	usable(t, vm)
}
