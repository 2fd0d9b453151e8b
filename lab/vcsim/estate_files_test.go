package vcsim

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/task"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// Two folders can have machines of one name, whose files are in one datastore.
func TestImportUnderATakenName(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	f := finding.NewFinder(admin(t, v))
	pool := must(f.ResourcePool(t.Context(), "/DC1/host/C1/Resources"))
	for _, tt := range []struct{ folder, want string }{
		{"/DC1/vm/openshift", "[ds1] image/image.vmx"}, {"/DC1/vm/legacy", "[ds1] image_1/image.vmx"}, {"/DC1/vm/templates", "[ds1] image_2/image.vmx"},
	} {
		folder := must(f.Folder(t.Context(), tt.folder))
		lease := must(pool.ImportVApp(t.Context(), &types.VirtualMachineImportSpec{ConfigSpec: types.VirtualMachineConfigSpec{
			Name: "image", GuestId: "otherGuest", Files: &types.VirtualMachineFileInfo{VmPathName: "[ds1]"},
			DeviceChange: []types.BaseVirtualDeviceConfigSpec{
				&types.VirtualDeviceConfigSpec{Operation: "add", Device: &types.VirtualLsiLogicController{
					VirtualSCSIController: types.VirtualSCSIController{VirtualController: types.VirtualController{VirtualDevice: types.VirtualDevice{Key: -1}}, SharedBus: "noSharing"},
				}},
				&types.VirtualDeviceConfigSpec{Operation: "add", FileOperation: "create", Device: &types.VirtualDisk{CapacityInKB: 1024, VirtualDevice: types.VirtualDevice{
					Key: -2, ControllerKey: -1, UnitNumber: new(int32), // as CreateImportSpec writes it
					Backing: &types.VirtualDiskFlatVer2BackingInfo{VirtualDeviceFileBackingInfo: types.VirtualDeviceFileBackingInfo{FileName: "[ds1] image/disk-0.vmdk"}},
				}}},
			},
		}}, folder, nil))
		info, err := lease.Wait(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.folder, err)
		}
		var vm mo.VirtualMachine
		if err := property.DefaultCollector(pool.Client()).RetrieveOne(t.Context(), info.Entity, []string{"name", "config.files"}, &vm); err != nil {
			t.Fatal(err)
		}
		if vm.Name != "image" || vm.Config.Files.VmPathName != tt.want {
			t.Errorf("%s: %s is %s", tt.folder, vm.Name, vm.Config.Files.VmPathName)
		}
		if err := lease.Complete(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A fault names a file as a client does, wherever this machine keeps it.
func TestFaultsNameFilesOfDatastores(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	f := finding.NewFinder(admin(t, v))
	pool, folder := must(f.ResourcePool(t.Context(), "/DC1/host/C1/Resources")), must(f.Folder(t.Context(), "/DC1/vm/legacy"))
	dc := must(f.Datacenter(t.Context(), "/DC1"))
	for what, err := range map[string]error{
		"create": finish(folder.CreateVM(t.Context(), types.VirtualMachineConfigSpec{
			Name: "rhcos", GuestId: "otherGuest", Files: &types.VirtualMachineFileInfo{VmPathName: "[ds1] rhcos/rhcos.vmx"},
		}, pool, nil)),
		"delete": finish(object.NewFileManager(pool.Client()).DeleteDatastoreFile(t.Context(), "[ds1] no/file", dc)),
		"make":   object.NewFileManager(pool.Client()).MakeDirectory(t.Context(), "[ds1] rhcos", dc, false),
	} {
		text := fmt.Sprint(err)
		if failed, ok := errors.AsType[task.Error](err); ok {
			if fault, ok := failed.Fault().(types.BaseFileFault); ok {
				text = fault.GetFileFault().File
			}
		}
		if err == nil || !strings.Contains(text, "[ds1] ") || strings.Contains(text, "/tmp") {
			t.Errorf("%s: %s (%v)", what, text, err)
		}
	}
}
