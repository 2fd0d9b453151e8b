package vcsim

import (
	"slices"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// A disk that a clone gets besides takes space where the disk says, or else where the clone goes, never where its source is.
func TestSpaceOfClonedDisks(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	if err := v.dir.AddUser("reader", rigPassword, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	if err := v.authz.setPermission(v.authz.root, must(v.dir.Lookup("reader@vsphere.local", false)), -2, true); err != nil {
		t.Fatal(err)
	}
	find := finding.NewFinder(must(v.Login(t.Context(), "reader@vsphere.local", rigPassword)))
	source, folder := must(find.VirtualMachine(t.Context(), "/DC1/vm/templates/rhcos")), must(find.Folder(t.Context(), "/DC1/vm/openshift"))
	its, other := must(find.Datastore(t.Context(), "/DC1/datastore/ds1")).Reference(), must(find.Datastore(t.Context(), "/DC1/datastore/other")).Reference()
	for _, disk := range []struct {
		named *moref
		want  []moref
	}{{nil, []moref{other}}, {&its, []moref{other, its}}} {
		d := &types.VirtualDisk{CapacityInKB: 1024}
		d.Backing = &types.VirtualDiskFlatVer2BackingInfo{VirtualDeviceFileBackingInfo: types.VirtualDeviceFileBackingInfo{Datastore: disk.named}}
		_, err := source.Clone(t.Context(), folder, "copy", types.VirtualMachineCloneSpec{
			Location: types.VirtualMachineRelocateSpec{Datastore: &other},
			Config: &types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{
				&types.VirtualDeviceConfigSpec{Operation: "add", FileOperation: "create", Device: d},
			}},
		})
		var got []moref
		for _, m := range wantFault[types.NoPermission](t, err).MissingPrivileges {
			if slices.Contains(m.PrivilegeIds, "Datastore.AllocateSpace") {
				got = append(got, m.Entity)
			}
		}
		if !slices.Equal(got, disk.want) {
			t.Errorf("disk on %v: space is needed on %v, not %v", disk.named, got, disk.want)
		}
	}
}
