package privileges

import "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"

// What is reported, and where the calls were read. A call that the simulation serves is tried there under the same name
// (TestOperations), so that what this table asks for is what is refused without it.
const (
	reportsMachine   = "the Machine does not get on: events FailedCreate, FailedUpdate and FailedDelete of machine-api, \"reconciler failed to ... machine\""
	reportsVolume    = "the volume is not provisioned or attached: events of the claim and the pod"
	reportsOperator  = "the storage operator's controller for StorageClasses fails, and with it the cluster operator storage"
	reportsNode      = "nodes keep the taint node.cloudprovider.kubernetes.io/uninitialized"
	reportsDetector  = "alert VSphereOpenshiftClusterHealthFail or VSphereOpenshiftNodeHealthFail"
	reportsInstaller = "openshift-install ends with an error"
	reportsCAPI      = "the VSphereMachine does not get ready"
	reportsMigration = "the VmwareCloudFoundationMigration stays at InfrastructurePrepared=False"
	reportsBootImage = "Upgrades have been disabled due to boot image update failures (machine-config, Upgradeable=False)"

	machineController = "openshift/machine-api-operator@951196122fe4:pkg/controller/vsphere (session.go, reconciler.go)"
	csiDriver         = "openshift/vmware-vsphere-csi-driver@6b18bb29fc45:pkg/common/cns-lib, pkg/csi/service/common/authmanager.go"
	csiOperator       = "openshift/vmware-vsphere-csi-driver-operator@030ff0e32620:pkg/operator/storageclasscontroller/vmware.go"
	cloudProvider     = "openshift/cloud-provider-vsphere@a15538776eb2:pkg/common, pkg/cloudprovider/vsphere/zones.go"
	detector          = "openshift/vsphere-problem-detector@b2f09a5b559d:pkg/check"
	openshiftInstall  = "openshift/installer@0bb3c6fec93b:pkg/asset/installconfig/vsphere, pkg/infrastructure/vsphere"
	clusterAPI        = "kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52:pkg/services/govmomi (vcenter/clone.go, service.go)"
	vcfMigration      = "openshift/vcf-migration-operator@8aeef145:internal/controller/preflight.go"
	bootImages        = "openshift/machine-config-operator@7ff337a4ffac:pkg/controller/bootimage/vsphere_helpers.go"
)

const config = "VirtualMachine.Config."

var duties = table(
	of{component.MachineAPI, reportsMachine, machineController, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find cluster", Asks: find(ScopeCluster)},
		{Name: "find folder", Asks: find(ScopeFolder)},
		{Name: "find pool", Asks: find(ScopeResourcePool)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "find network", Asks: find(ScopeNetwork)},
		{Name: "find template", Asks: find(ScopeTemplate)},
		{Name: "plug into network", Asks: append(find(ScopeNetwork), on(ScopeSwitch, "System.Read"))},
		{Name: "find machine by uuid", Asks: append(find(ScopeDatacenter), on(ScopeMachine, "System.View"))},
		{Name: "read above machine", Asks: find(ScopeMachine)},
		{Name: "clone template", Asks: cloning(config+"CPUCount", config+"Memory", config+"Annotation")},
		{Name: "extend disk", Asks: []Ask{on(ScopeMachine, config+"DiskExtend")}},
		{Name: "power on", Asks: []Ask{on(ScopeMachine, "VirtualMachine.Interact.PowerOn")}},
		{Name: "power off", Asks: []Ask{on(ScopeMachine, "VirtualMachine.Interact.PowerOff")}},
		{Name: "destroy machine", Asks: destroying()},
		{Name: "tag machine", Asks: []Ask{on(ScopeVCenter, "InventoryService.Tagging.AttachTag"), on(ScopeMachine, "InventoryService.Tagging.ObjectAttachable")}},
	}},
	of{component.CSIDriver, reportsVolume, csiDriver, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "read datastore", Asks: []Ask{on(ScopeDatastore, "System.Read")}},
		{Name: "find machine by uuid", Asks: append(find(ScopeDatacenter), on(ScopeMachine, "System.View"))},
		{Name: "read above machine", Asks: find(ScopeMachine)},
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
		{Name: "query volumes", Asks: []Ask{on(ScopeVCenter, "Cns.Searchable")}},
		{Name: "create first class disk", Asks: []Ask{on(ScopeDatastore, "Datastore.FileManagement")}},
		{Name: "attach disk", Asks: []Ask{on(ScopeMachine, config+"AddExistingDisk")}},
		{Name: "detach volume", Asks: []Ask{on(ScopeMachine, config+"AddRemoveDevice")}},
		{Name: "make volumes of the vSAN file service", Conditions: []Condition{VSANFile}, Asks: []Ask{on(ScopeCluster, "Host.Config.Storage")}},
	}},
	of{component.CSIDriver, reportsOperator, csiOperator, []Duty{
		{Name: "create category and tag", Conditions: []Condition{ManagedStorageClass}, Asks: []Ask{on(ScopeVCenter,
			"InventoryService.Tagging.CreateCategory", "InventoryService.Tagging.CreateTag", "InventoryService.Tagging.EditCategory", "InventoryService.Tagging.EditTag")}},
		{Name: "tag datastore", Conditions: []Condition{ManagedStorageClass}, Asks: []Ask{
			on(ScopeVCenter, "InventoryService.Tagging.AttachTag"), on(ScopeDatastore, "InventoryService.Tagging.ObjectAttachable"),
		}},
		{Name: "create storage policy", Conditions: []Condition{ManagedStorageClass}, Asks: []Ask{on(ScopeVCenter, "StorageProfile.Update", "StorageProfile.View")}},
	}},
	of{component.CloudController, reportsNode, cloudProvider, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find machine by uuid", Asks: append(find(ScopeDatacenter), on(ScopeMachine, "System.View"))},
		{Name: "read above machine", Asks: find(ScopeMachine)},
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
	}},
	of{component.Diagnostics, reportsDetector, detector, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find cluster", Asks: find(ScopeCluster)},
		{Name: "find folder", Asks: find(ScopeFolder)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "find machine by uuid", Asks: append(find(ScopeDatacenter), on(ScopeMachine, "System.View"))},
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
		{Name: "read datastore", Asks: []Ask{on(ScopeDatastore, "System.Read")}},
		{Name: "browse datastore", Asks: []Ask{on(ScopeDatastore, "Datastore.Browse")}},
		{Name: "query storage policies", Conditions: []Condition{StoragePolicy}, Asks: []Ask{on(ScopeVCenter, "StorageProfile.View")}},
	}},
	of{component.Installer, reportsInstaller, openshiftInstall, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find cluster", Asks: find(ScopeCluster)},
		{Name: "find folder", Asks: find(ScopeFolder)},
		{Name: "find pool", Asks: find(ScopeResourcePool)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "find network", Asks: find(ScopeNetwork)},
		{Name: "plug into network", Asks: append(find(ScopeNetwork), on(ScopeSwitch, "System.Read"))},
		{Name: "import machine", Asks: importing()},
		{Name: "mark as template", Asks: []Ask{on(ScopeMachine, "VirtualMachine.Provisioning.MarkAsTemplate")}},
		{Name: "clone template", Asks: cloning(config+"CPUCount", config+"Memory", config+"Annotation")},
		{Name: "power on", Asks: []Ask{on(ScopeMachine, "VirtualMachine.Interact.PowerOn")}},
		{Name: "power off", Asks: []Ask{on(ScopeMachine, "VirtualMachine.Interact.PowerOff")}},
		{Name: "destroy machine", Asks: destroying()},
	}},
	of{component.ClusterAPI, reportsCAPI, clusterAPI, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find cluster", Asks: find(ScopeCluster)},
		{Name: "find folder", Asks: find(ScopeFolder)},
		{Name: "find pool", Asks: find(ScopeResourcePool)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "find network", Asks: find(ScopeNetwork)},
		{Name: "find template", Asks: find(ScopeTemplate)},
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "clone, Cluster API", Asks: cloning(config+"CPUCount", config+"Memory", config+"Settings", config+"DiskExtend", "VApp.ApplicationConfig")},
		{Name: "change metadata", Asks: []Ask{on(ScopeMachine, config+"AdvancedConfig")}},
		{Name: "power on", Asks: []Ask{on(ScopeMachine, "VirtualMachine.Interact.PowerOn")}},
		{Name: "power off", Asks: []Ask{on(ScopeMachine, "VirtualMachine.Interact.PowerOff")}},
		{Name: "destroy machine", Asks: destroying()},
	}},
	of{component.Installer, reportsMigration, vcfMigration, []Duty{ // vcf-migration-operator has no account of its own
		{Name: "create folder of a move", Conditions: []Condition{VCFMigration}, Asks: []Ask{on(ScopeDatacenter, "Folder.Create")}},
		{Name: "tag region and zone", Conditions: []Condition{VCFMigration}, Asks: []Ask{
			on(ScopeVCenter, "InventoryService.Tagging.AttachTag", "InventoryService.Tagging.CreateCategory", "InventoryService.Tagging.CreateTag"),
			on(ScopeDatacenter, "InventoryService.Tagging.ObjectAttachable"), on(ScopeCluster, "InventoryService.Tagging.ObjectAttachable"),
		}},
	}},
	of{component.MachineAPI, reportsBootImage, bootImages, []Duty{ // machine-config-operator has no account of its own
		{Name: "import boot image", Conditions: []Condition{BootImageUpdates}, Asks: importing()},
		{Name: "make boot image a template", Conditions: []Condition{BootImageUpdates}, Asks: []Ask{on(ScopeMachine,
			config+"Settings", config+"Rename", "VirtualMachine.Provisioning.MarkAsTemplate")}},
		{Name: "tag boot image", Conditions: []Condition{BootImageUpdates}, Asks: []Ask{
			on(ScopeVCenter, "InventoryService.Tagging.AttachTag"), on(ScopeMachine, "InventoryService.Tagging.ObjectAttachable"),
		}},
		{Name: "destroy boot image", Conditions: []Condition{BootImageUpdates}, Asks: destroying()},
	}},
)

// of are duties of one component that have the same source, and whose refusals are reported the same way.
type of struct {
	component       component.Name
	reports, source string
	duties          []Duty
}

func table(all ...of) []Duty {
	var out []Duty
	for _, o := range all {
		for _, d := range o.duties {
			d.Component, d.Reports, d.Source = o.component, o.reports, o.source
			out = append(out, d)
		}
	}
	return out
}

// cloning is what a clone of a template asks for that gets a network card and data of its own, and more.
func cloning(more ...string) []Ask {
	return []Ask{
		on(ScopeTemplate, "VirtualMachine.Provisioning.DeployTemplate"),
		on(ScopeFolder, append([]string{"VirtualMachine.Inventory.CreateFromExisting", config + "AddRemoveDevice", config + "AdvancedConfig"}, more...)...),
		on(ScopeResourcePool, "Resource.AssignVMToPool"),
		on(ScopeDatastore, "Datastore.AllocateSpace"),
		on(ScopeNetwork, "Network.Assign"),
	}
}

// importing is what the import of an image asks for.
func importing() []Ask {
	return []Ask{on(ScopeResourcePool, "VApp.Import"), on(ScopeFolder, "VApp.Import"), on(ScopeDatastore, "Datastore.AllocateSpace"), on(ScopeNetwork, "Network.Assign")}
}

// destroying is checked on the folder, too (API reference, Destroy_Task).
func destroying() []Ask {
	return []Ask{on(ScopeMachine, "VirtualMachine.Inventory.Delete"), on(ScopeFolder, "VirtualMachine.Inventory.Delete")}
}
