package vcsim

import (
	"reflect"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/volumes"
)

// callNeeds are the methods whose privileges depend on their arguments.
// ok is false when the call is not one of those after all; then the table decides.
// Sources: the parameters' "required privileges" in the vSphere Web Services API reference 8.0.2, and
// "Required Privileges for Common Tasks" in vSphere Security 8.0.
var callNeeds = map[string]func(x *access, call *simulator.Method) (needs []need, ok bool){
	"CloneVM_Task":           cloneNeeds,
	"CreateVM_Task":          createNeeds,
	"CreateChildVM_Task":     createChildNeeds,
	"RegisterVM_Task":        registerNeeds,
	"ReconfigVM_Task":        reconfigureNeeds,
	"RelocateVM_Task":        relocateNeeds,
	"MigrateVM_Task":         migrateNeeds,
	"MarkAsVirtualMachine":   markAsVMNeeds,
	"PowerOnMultiVM_Task":    powerOnNeeds,
	"ImportVApp":             importNeeds,
	"CreateImportSpec":       importSpecNeeds,
	"CreateDisk_Task":        createDiskNeeds,
	"RegisterDisk":           registerDiskNeeds,
	"MoveIntoFolder_Task":    moveNeeds,
	"RetrieveUserGroups":     userGroupNeeds,
	"CancelTask":             cancelNeeds,
	"UpdateOptions":          table("Global.Settings"),
	"RetrieveAllPermissions": table(), // the answer holds what the caller sees

	"SearchDatastore_Task":           fileNeeds("Datastore.Browse"),
	"SearchDatastoreSubFolders_Task": fileNeeds("Datastore.Browse"),
	"DeleteFile":                     fileNeeds("Datastore.DeleteFile"),
	"MakeDirectory":                  fileNeeds("Datastore.FileManagement"),
	"ChangeOwner":                    fileNeeds("Datastore.FileManagement"),
	"MoveDatastoreFile_Task":         fileNeeds("Datastore.FileManagement"),
	"CopyDatastoreFile_Task":         fileNeeds("Datastore.FileManagement"),
	"DeleteDatastoreFile_Task":       fileNeeds("Datastore.FileManagement"),
	"CreateVirtualDisk_Task":         fileNeeds("Datastore.FileManagement"),
	"DeleteVirtualDisk_Task":         fileNeeds("Datastore.FileManagement"),
	"MoveVirtualDisk_Task":           fileNeeds("Datastore.FileManagement"),
	"CopyVirtualDisk_Task":           fileNeeds("Datastore.FileManagement"),
	"ExtendVirtualDisk_Task":         fileNeeds("Datastore.FileManagement"),
	"EagerZeroVirtualDisk_Task":      fileNeeds("Datastore.FileManagement"),
	"ShrinkVirtualDisk_Task":         fileNeeds("Datastore.FileManagement"),
	"InflateVirtualDisk_Task":        fileNeeds("Datastore.FileManagement"),
	"DefragmentVirtualDisk_Task":     fileNeeds("Datastore.FileManagement"),
	"ZeroFillVirtualDisk_Task":       fileNeeds("Datastore.FileManagement"),
	"QueryVirtualDiskUuid":           fileNeeds("Datastore.FileManagement"),
	"SetVirtualDiskUuid":             fileNeeds("Datastore.FileManagement"),
	"QueryVirtualDiskGeometry":       fileNeeds("Datastore.FileManagement"),
	"QueryVirtualDiskFragmentation":  fileNeeds("Datastore.FileManagement"),
}

// table needs fixed privileges on the root folder.
func table(privileges ...string) func(*access, *simulator.Method) ([]need, bool) {
	return func(x *access, _ *simulator.Method) (needs []need, ok bool) {
		for _, p := range privileges {
			needs = append(needs, need{x.root, p})
		}
		return needs, true
	}
}

// fileNeeds: a privilege on every datastore whose name is in one of the call's paths, as in "[datastore1] vm/disk.vmdk".
// A path that leads nowhere is left to the method to refuse.
func fileNeeds(privilege string) func(*access, *simulator.Method) ([]need, bool) {
	return func(x *access, call *simulator.Method) (needs []need, ok bool) {
		var datacenters []moref
		var scope []moref
		if browser, ok := managed(x.ctx.Map.Get(call.This)).(*mo.HostDatastoreBrowser); ok {
			scope = browser.Datastore
		}
		for _, ref := range references(call.Body) {
			if ref.Type == "Datacenter" {
				datacenters = append(datacenters, ref)
				needs = append(needs, need{ref, "System.View"})
			}
		}
		body := reflect.Indirect(reflect.ValueOf(call.Body))
		for _, f := range body.Fields() {
			if f.Kind() != reflect.String || !strings.HasPrefix(f.String(), "[") {
				continue
			}
			for _, ds := range x.datastores(f.String(), datacenters, scope) {
				needs = append(needs, need{ds, privilege})
			}
		}
		return needs, true
	}
}

func registerNeeds(x *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.RegisterVM_Task)
	if !ok {
		return nil, false
	}
	needs := []need{{call.This, "VirtualMachine.Inventory.Register"}}
	if req.Pool != nil {
		needs = append(needs, need{*req.Pool, "Resource.AssignVMToPool"})
	}
	return needs, true
}

func markAsVMNeeds(_ *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.MarkAsVirtualMachine)
	if !ok {
		return nil, false
	}
	return []need{{call.This, "VirtualMachine.Provisioning.MarkAsVM"}, {req.Pool, "Resource.AssignVMToPool"}}, true
}

func powerOnNeeds(_ *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.PowerOnMultiVM_Task)
	if !ok {
		return nil, false
	}
	needs := []need{{call.This, "System.View"}}
	for _, vm := range req.Vm {
		needs = append(needs, need{vm, "VirtualMachine.Interact.PowerOn"})
	}
	return needs, true
}

func createDiskNeeds(_ *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.CreateDisk_Task)
	if !ok || req.Spec.BackingSpec == nil {
		return nil, false
	}
	return []need{{req.Spec.BackingSpec.GetVslmCreateSpecBackingSpec().Datastore, "Datastore.FileManagement"}}, true
}

// registerDiskNeeds: the datastore is in the URL of the file.
func registerDiskNeeds(x *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.RegisterDisk)
	if !ok {
		return nil, false
	}
	datacenter, file, ok := volumes.FileOf(req.Path)
	store, found := datastoreIn(x.ctx.Map, datacenter, file.Datastore)
	if !ok || !found {
		return nil, true // the method refuses it
	}
	return []need{{store, "Datastore.FileManagement"}}, true
}

// importNeeds: VApp.Import on the pool and the folder, and what the virtual machines of the spec take.
func importNeeds(x *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.ImportVApp)
	if !ok {
		return nil, false
	}
	needs := []need{{call.This, "VApp.Import"}}
	if req.Folder != nil {
		needs = append(needs, need{*req.Folder, "VApp.Import"})
	}
	specs := []types.BaseImportSpec{req.Spec}
	for len(specs) > 0 {
		switch s := specs[0].(type) {
		case *types.VirtualMachineImportSpec:
			needs = append(needs, x.networkNeeds(call.This, s.ConfigSpec.DeviceChange)...)
			if files := s.ConfigSpec.Files; files != nil {
				needs = append(needs, x.allocation(call.This, files.VmPathName)...)
			}
		case *types.VirtualAppImportSpec:
			specs = append(specs, s.Child...)
		}
		specs = specs[1:]
	}
	return needs, true
}

func importSpecNeeds(_ *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.CreateImportSpec)
	if !ok {
		return nil, false
	}
	needs := []need{{req.ResourcePool, "VApp.Import"}, {req.Datastore, "Datastore.AllocateSpace"}}
	if params, ok := req.Cisp.(*types.OvfCreateImportSpecParams); ok {
		if params.HostSystem != nil {
			needs = append(needs, need{*params.HostSystem, "System.Read"})
		}
		for _, m := range params.NetworkMapping {
			needs = append(needs, need{m.Network, "Network.Assign"})
		}
	}
	return needs, true
}

// movePrivilege is needed on what is moved and on where it goes.
var movePrivilege = map[string]string{
	"VirtualMachine": "VirtualMachine.Inventory.Move", "VirtualApp": "VApp.Move", "Folder": "Folder.Move", "StoragePod": "Folder.Move",
	"Datacenter": "Datacenter.Move", "ClusterComputeResource": "Host.Inventory.MoveCluster", "ComputeResource": "Host.Inventory.MoveHost",
	"HostSystem": "Host.Inventory.MoveHost", "Datastore": "Datastore.Move", "Network": "Network.Move", "OpaqueNetwork": "Network.Move",
	"DistributedVirtualPortgroup": "Network.Move", "DistributedVirtualSwitch": "DVSwitch.Move", "VmwareDistributedVirtualSwitch": "DVSwitch.Move",
}

func moveNeeds(_ *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.MoveIntoFolder_Task)
	if !ok {
		return nil, false
	}
	needs := []need{{call.This, "System.Read"}}
	for _, ref := range req.List {
		if p := movePrivilege[ref.Type]; p != "" {
			needs = append(needs, need{ref, p}, need{call.This, p})
		}
	}
	return needs, true
}

// userGroupNeeds: whoever may set a permission somewhere may look up to whom.
func userGroupNeeds(x *access, _ *simulator.Method) ([]need, bool) {
	if x.anywhere("Authorization.ModifyPermissions") {
		return nil, true
	}
	return []need{{x.root, "Authorization.ModifyPermissions"}}, true
}

// cancelNeeds: everybody may cancel what he started himself.
func cancelNeeds(x *access, call *simulator.Method) ([]need, bool) {
	task, ok := managed(x.ctx.Map.Get(call.This)).(*mo.Task)
	if !ok {
		return nil, false
	}
	defer x.ctx.Map.AcquireLock(x.ctx, call.This)()
	if reason, ok := task.Info.Reason.(*types.TaskReasonUser); ok && strings.EqualFold(reason.UserName, x.name) {
		return nil, true
	}
	return nil, false
}
