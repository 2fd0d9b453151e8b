package privileges

import "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"

// What the problem detector holds its own account against: the privileges of a machine installation, whatever it needs for its work
// (openshift/vsphere-problem-detector@b2f09a5b559d:pkg/check, permissions.go, datastore.go, node_cluster_permissions.go,
// node_resource_pool_permissions.go).
var (
	checkedRoot = []string{
		"Cns.Searchable", "InventoryService.Tagging.AttachTag", "InventoryService.Tagging.CreateCategory", "InventoryService.Tagging.CreateTag",
		"InventoryService.Tagging.DeleteCategory", "InventoryService.Tagging.DeleteTag", "InventoryService.Tagging.EditCategory",
		"InventoryService.Tagging.EditTag", "Sessions.ValidateSession", "StorageProfile.Update", "StorageProfile.View",
	}
	checkedFolder = []string{
		"Resource.AssignVMToPool", "VApp.Import", config + "AddExistingDisk", config + "AddNewDisk", config + "AddRemoveDevice",
		config + "AdvancedConfig", config + "Annotation", config + "CPUCount", config + "DiskExtend", config + "DiskLease",
		config + "EditDevice", config + "Memory", config + "RemoveDisk", config + "Rename", config + "ResetGuestInfo",
		config + "Resource", config + "Settings", config + "UpgradeVirtualHardware", "VirtualMachine.Interact.GuestControl",
		"VirtualMachine.Interact.PowerOff", "VirtualMachine.Interact.PowerOn", "VirtualMachine.Interact.Reset",
		"VirtualMachine.Inventory.Create", "VirtualMachine.Inventory.CreateFromExisting", "VirtualMachine.Inventory.Delete",
		"VirtualMachine.Provisioning.Clone", "VirtualMachine.Provisioning.MarkAsTemplate", "VirtualMachine.Provisioning.DeployTemplate",
	}
	checkedDatastore = []string{"Datastore.AllocateSpace", "Datastore.Browse", "Datastore.FileManagement", "InventoryService.Tagging.ObjectAttachable"}
	checkedCluster   = []string{"Resource.AssignVMToPool", "VApp.AssignResourcePool", "VApp.Import", config + "AddNewDisk"}
)

const (
	alarmCluster = "VSphereOpenshiftClusterHealthFail"
	alarmNode    = "VSphereOpenshiftNodeHealthFail"
)

// Alarms are the checks by which the problem detector judges its own account, in its order, each with the alert that fires where it
// fails. They say nothing of whether a component can do its work.
func Alarms() []*Duty {
	all := make([]*Duty, len(alarms))
	for i := range alarms {
		all[i] = &alarms[i]
	}
	return all
}

var alarms = table(
	of{component.Diagnostics, alarmCluster, detector, []Duty{
		{Name: "CheckAccountPermissions", Asks: []Ask{on(ScopeDatastore, checkedDatastore...), on(ScopeDatacenter, "System.Read"), on(ScopeVCenter, checkedRoot...)}},
		{Name: "CheckAccountPermissions", Conditions: []Condition{FolderExisting}, Asks: []Ask{on(ScopeFolder, checkedFolder...)}},
		{Name: "CheckDefaultDatastore", Asks: []Ask{on(ScopeDatastore, checkedDatastore...)}},
		{Name: "CheckStorageClasses", Conditions: []Condition{ManagedStorageClass}, Asks: []Ask{
			on(ScopeVCenter, "StorageProfile.View"), on(ScopeDatastore, checkedDatastore...),
		}},
	}},
	of{component.Diagnostics, alarmNode, detector, []Duty{
		{Name: "CheckComputeClusterPermissions", Conditions: []Condition{PoolRoot}, Asks: []Ask{on(ScopeCluster, checkedCluster...)}},
		{Name: "CheckResourcePoolPermissions", Conditions: []Condition{PoolExisting}, Asks: []Ask{on(ScopeResourcePool, checkedCluster...)}},
	}},
)
