package privileges

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

var machineDuties = table(
	of{component.MachineAPI, reportsSession, machineSession, []Duty{
		{Name: "check session", Asks: by("SessionIsActive", on(ScopeVCenter, "Sessions.ValidateSession"))},
	}},
	of{component.MachineAPI, reportsMachine, machineController, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find cluster", Asks: find(ScopeCluster)},
		{Name: "find folder", Asks: find(ScopeFolder)},
		{Name: "find pool", Asks: find(ScopeResourcePool)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "find network", Asks: find(ScopeNetwork)},
		{Name: "find template", Asks: find(ScopeTemplate)},
		{Name: "plug into network", Asks: append(find(ScopeNetwork), on(ScopeSwitch, "System.Read"))},
		{Name: "find machine by uuid", Asks: slices.Concat(find(ScopeDatacenter), by("FindByUuid", on(ScopeMachine, "System.View")))},
		{Name: "read above machine", Asks: find(ScopeMachine)},
		{Name: "clone template", Asks: cloning(config + "Annotation")},
		{Name: "add data disks", Conditions: []Condition{DataDisks}, Asks: by("CloneVM_Task", on(ScopeFolder, config+"AddNewDisk"))},
		cloningEncrypted(),
		{Name: "power on", Asks: by("PowerOnMultiVM_Task PowerOnVM_Task", on(ScopeMachine, "VirtualMachine.Interact.PowerOn"))},
		{Name: "place by host group", Conditions: []Condition{HostGroup}, Asks: grouping()},
		{Name: "read tags of machine", Asks: slices.Concat(readingTags("category.list category.get tag.list_tags_for_category tag.get"),
			by("tag_association.list_attached_tags", on(ScopeMachine, "System.Read")))},
		{Name: "tag machine", Asks: attaching(ScopeMachine)},
		{Name: "power off", Asks: by("PowerOffVM_Task", on(ScopeMachine, "VirtualMachine.Interact.PowerOff"))},
		{Name: "take disks from machine", Asks: by("ReconfigVM_Task", on(ScopeMachine, config+"RemoveDisk"))},
		{Name: "destroy machine", Asks: destroying()},
	}},
	of{component.MachineAPI, reportsLabels, machineController, []Duty{{Name: "read region and zone", Asks: zones()}}},
)

func zones() []Ask {
	return slices.Concat(above(ScopeHost, "tag_association.list_attached_tags"), readingTags("tag.get category.get"))
}

var clusterAPIDuties = table(
	of{component.ClusterAPI, reportsCAPI, clusterAPI, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find cluster", Asks: find(ScopeCluster)},
		{Name: "find folder", Asks: find(ScopeFolder)},
		{Name: "find pool", Asks: find(ScopeResourcePool)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "find network", Asks: find(ScopeNetwork)},
		{Name: "find template", Asks: find(ScopeTemplate)},
		{Name: "plug into network", Asks: append(find(ScopeNetwork), on(ScopeSwitch, "System.Read"))},
		{Name: "query storage policies", Conditions: []Condition{StoragePolicy}, Asks: querying()},
		{Name: "clone, Cluster API", Asks: cloning("VApp.ApplicationConfig")},
		{Name: "clone virtual machine", Conditions: []Condition{SourceIsVM}, Asks: by("CloneVM_Task", on(ScopeTemplate, "VirtualMachine.Provisioning.Clone"))},
		{Name: "add data disks", Conditions: []Condition{DataDisks}, Asks: by("CloneVM_Task", on(ScopeFolder, config+"AddNewDisk"))},
		{Name: "clone with resources, CAPI", Conditions: []Condition{VMResources, PCIDevices}, Asks: by("CloneVM_Task", on(ScopeFolder, config+"Resource"))},
		{Name: "encrypt machine", Conditions: []Condition{VMEncryption}, Asks: slices.Concat(
			by("GenerateKey", on(ScopeVCenter, "Cryptographer.ManageKeys")),
			by("CloneVM_Task", on(ScopeFolder, "Cryptographer.EncryptNew"), on(ScopeCluster, "Cryptographer.RegisterHost")))},
		cloningEncrypted(),
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
		{Name: "set policy of disk", Conditions: []Condition{StoragePolicy}, Asks: by("ReconfigVM_Task", on(ScopeMachine, config+"EditDevice"))},
		{Name: "upgrade hardware", Conditions: []Condition{HardwareUpgrade}, Asks: by("UpgradeVM_Task", on(ScopeMachine, config+"UpgradeVirtualHardware"))},
		{Name: "change metadata", Asks: by("ReconfigVM_Task", on(ScopeMachine, config+"AdvancedConfig"))},
		{Name: "power on", Asks: by("PowerOnVM_Task", on(ScopeMachine, "VirtualMachine.Interact.PowerOn"))},
		{Name: "place by host group", Conditions: []Condition{HostGroup}, Asks: grouping()},
		{Name: "separate by cluster modules", Conditions: []Condition{ClusterModules}, Asks: by("cluster/modules", on(ScopeCluster, "Host.Inventory.EditCluster"))},
		{Name: "tag machine", Conditions: []Condition{VMTags}, Asks: attaching(ScopeMachine)},
		{Name: "power off", Asks: by("PowerOffVM_Task ShutdownGuest", on(ScopeMachine, "VirtualMachine.Interact.PowerOff"))},
		{Name: "destroy machine", Asks: destroying()},
	}},
)

var bootImageDuties = table(
	of{component.MachineAPI, reportsBootImage, bootImages, updatingImages(BootImageUpdates)},
	of{component.MachineConfig, reportsBootImage, bootImages, append([]Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find cluster", Asks: find(ScopeCluster)},
		{Name: "find folder", Asks: find(ScopeFolder)},
		{Name: "find pool", Asks: find(ScopeResourcePool)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "find network", Asks: find(ScopeNetwork)},
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
	}, updatingImages()...)},
)

// updatingImages are the duties of machine-config-operator. Without a right on a template outside
// the folder it does not find that one, and imports its own into the folder.
func updatingImages(when ...Condition) []Duty {
	return []Duty{
		{Name: "import boot image", Conditions: when, Asks: importing()},
		{Name: "make boot image a template", Conditions: when, Asks: slices.Concat(
			by("ReconfigVM_Task", on(ScopeMachine, config+"Settings")), by("Rename_Task", on(ScopeMachine, config+"Rename")),
			by("MarkAsTemplate", on(ScopeMachine, "VirtualMachine.Provisioning.MarkAsTemplate")))},
		{Name: "tag boot image", Conditions: when, Asks: attaching(ScopeMachine)},
		{Name: "destroy boot image", Conditions: when, Asks: destroying()},
	}
}

var storageDuties = table(
	of{component.CSIDriver, reportsVolume, csiDriver, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "read datastore", Asks: []Ask{on(ScopeDatastore, "System.Read")}},
		{Name: "find machine by uuid", Asks: slices.Concat(find(ScopeDatacenter), by("FindByUuid", on(ScopeMachine, "System.View")))},
		{Name: "read above machine", Asks: find(ScopeMachine)},
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
		{Name: "choose datastores", Asks: by("HasUserPrivilegeOnEntities", on(ScopeDatastore, fileManagement, "System.Read"))},
		{Name: "create volume", Asks: managing("CnsCreateVolume CnsExtendVolume CnsDeleteVolume")},
		{Name: "create volume with a policy", Conditions: []Condition{ManagedStorageClass, StoragePolicy}, Asks: slices.Concat(
			by("CnsCreateVolume", on(ScopeVCenter, "StorageProfile.View")), managing("CnsCreateVolume"))},
		{Name: "query volumes", Asks: by("CnsQueryVolume CnsQueryAllVolume CnsQueryAsync", on(ScopeVCenter, "Cns.Searchable"))},
		{Name: "change metadata of volume", Asks: by("CnsUpdateVolumeMetadata", on(ScopeDatastore, fileManagement))},
		{Name: "attach volume", Asks: by("CnsAttachVolume",
			on(ScopeMachine, config+"AddExistingDisk", config+"AddRemoveDevice"), on(ScopeDatastore, fileManagement))},
		{Name: "attach to an encrypted machine", Conditions: []Condition{VMEncryption}, Asks: by("CnsAttachVolume", on(ScopeMachine, "Cryptographer.AddDisk"))},
		{Name: "snapshot volume", Asks: slices.Concat(
			managing("CnsCreateSnapshots CnsDeleteSnapshots"), by("CnsQuerySnapshots", on(ScopeVCenter, "Cns.Searchable")))},
		{Name: "make volumes of the vSAN file service", Conditions: []Condition{VSANFile}, Asks: by("HasUserPrivilegeOnEntities CnsCreateVolume",
			on(ScopeCluster, "Host.Config.Storage"))},
	}},
	of{component.CSIDriver, reportsDetach, csiDriver + "; vSAN Management API reference, CnsDetachVolume", []Duty{
		{Name: "detach volume", Asks: by("CnsDetachVolume", on(ScopeMachine, config+"RemoveDisk"), on(ScopeDatastore, fileManagement))},
	}},
	of{component.CSIDriver, reportsOperator, csiOperator, []Duty{
		{Name: "create category and tag", Conditions: []Condition{ManagedStorageClass}, Asks: slices.Concat(readingTags("category.list category.get tag.get"),
			tags("category.create", "CreateCategory"), tags("category.update", "EditCategory"), tags("tag.create", "CreateTag"), tags("tag.update", "EditTag"))},
		{Name: "tag datastore", Conditions: []Condition{ManagedStorageClass}, Asks: attaching(ScopeDatastore, "tag_association.detach")},
		{Name: "create storage policy", Conditions: []Condition{ManagedStorageClass}, Asks: slices.Concat(
			by("PbmQueryProfile", on(ScopeVCenter, "StorageProfile.View")), by("PbmCreate PbmDelete", on(ScopeVCenter, "StorageProfile.Update")))},
	}},
)

// managing is what work on volumes asks for.
func managing(calls string) []Ask {
	return by(calls, on(ScopeDatastore, fileManagement), on(ScopeDatacenter, "System.Read"))
}

// querying is what reading storage policies asks for.
func querying() []Ask {
	return by("PbmQueryProfile PbmRetrieveContent PbmCheckRequirements", on(ScopeVCenter, "StorageProfile.View"))
}

var nodeDuties = table(
	of{component.CloudController, reportsNode, cloudProvider, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find machine by uuid", Asks: slices.Concat(find(ScopeDatacenter), by("FindByUuid", on(ScopeMachine, "System.View")))},
		{Name: "read above machine", Asks: find(ScopeMachine)},
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
	}},
	of{component.CloudController, reportsLabels, cloudProvider, []Duty{{Name: "read region and zone", Asks: zones()}}},
	of{component.Diagnostics, reportsDetector, detector, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find cluster", Asks: find(ScopeCluster)},
		{Name: "find folder", Asks: find(ScopeFolder)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "find machine by uuid", Asks: slices.Concat(find(ScopeDatacenter), by("FindByUuid", on(ScopeMachine, "System.View")))},
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "read datastore", Asks: []Ask{on(ScopeDatastore, "System.Read")}},
		{Name: "check zone tags", Conditions: []Condition{SeveralDomains}, Asks: slices.Concat(readingTags("category.list category.get"),
			above(ScopeCluster, "tag_association.list_attached_tags_on_objects"), readingTags("tag.get"))},
		{Name: "query storage policies", Conditions: []Condition{StoragePolicy}, Asks: querying()},
	}},
	of{component.Diagnostics, reportsDies, detector, []Duty{{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}}}},
	of{component.Diagnostics, reportsSkipped, detector, []Duty{
		{Name: "browse datastore", Asks: by("SearchDatastore_Task SearchDatastoreSubFolders_Task", on(ScopeDatastore, "Datastore.Browse"))},
	}},
)

var installerDuties = table(
	of{component.Installer, reportsInstaller, openshiftInstall, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find cluster", Asks: find(ScopeCluster)},
		{Name: "find folder", Asks: find(ScopeFolder)},
		{Name: "find pool", Asks: find(ScopeResourcePool)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "find network", Asks: find(ScopeNetwork)},
		{Name: "plug into network", Asks: append(find(ScopeNetwork), on(ScopeSwitch, "System.Read"))},
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
		{Name: "create folder", Conditions: []Condition{FolderCreated}, Asks: by("CreateFolder", on(ScopeDatacenter, "Folder.Create"))},
		{Name: "import machine", Asks: importing()},
		{Name: "mark as template", Asks: by("MarkAsTemplate", on(ScopeMachine, "VirtualMachine.Provisioning.MarkAsTemplate"))},
		{Name: "clone template", Asks: cloning(config + "Annotation")},
		cloningEncrypted(),
		{Name: "power on", Asks: by("PowerOnVM_Task", on(ScopeMachine, "VirtualMachine.Interact.PowerOn"))},
		{Name: "place by host group", Conditions: []Condition{HostGroup}, Asks: grouping()},
	}},
	of{component.Installer, reportsTags, openshiftInstall, []Duty{
		{Name: "create cluster tag", Asks: slices.Concat(readingTags("category.list category.get"), tags("category.create", "CreateCategory"),
			readingTags("tag.list_tags_for_category tag.get"), tags("tag.create", "CreateTag"))},
		{Name: "tag machine", Asks: attaching(ScopeMachine)},
	}},
	of{component.Installer, reportsDestroy, openshiftDestroy, []Duty{
		{Name: "find by cluster tag", Asks: slices.Concat(readingTags("tag_association.list_attached_objects"),
			by("tag_association.list_attached_objects", on(ScopeMachine, "System.Read")))},
		{Name: "power off", Asks: by("PowerOffVM_Task", on(ScopeMachine, "VirtualMachine.Interact.PowerOff"))},
		{Name: "destroy machine", Asks: destroying()},
		{Name: "delete folder", Conditions: []Condition{FolderCreated}, Asks: by("Destroy_Task", on(ScopeFolder, "Folder.Delete"), on(ScopeDatacenter, "Folder.Delete"))},
		{Name: "delete volumes", Asks: slices.Concat(by("CnsQueryAllVolume CnsQueryVolume", on(ScopeVCenter, "Cns.Searchable")),
			managing("CnsDeleteVolume"))},
		{Name: "delete storage policy", Asks: slices.Concat(by("PbmQueryProfile PbmRetrieveContent", on(ScopeVCenter, "StorageProfile.View")),
			by("PbmDelete", on(ScopeVCenter, "StorageProfile.Update")))},
		{Name: "delete cluster tag", Asks: slices.Concat(readingTags("tag.get"), tags("tag.delete", "DeleteTag"),
			readingTags("category.list category.get"), tags("category.delete", "DeleteCategory"))},
	}},
)

// migrationDuties are the steps of a move to another vCenter: of the account of its Secret, the
// installer's, and of that of kube-system/vsphere-creds, machine-api's.
var migrationDuties = table(
	of{component.Installer, reportsPrepared, vcfMigration, moving(VCFMigration,
		Duty{Name: "preflight of a move", Asks: by("HasUserPrivilegeOnEntities",
			on(ScopeVCenter, tagging+"AttachTag", tagging+"CreateCategory", tagging+"CreateTag"),
			on(ScopeDatacenter, "Folder.Create", tagging+"ObjectAttachable"), on(ScopeCluster, tagging+"ObjectAttachable"))},
	)},
	of{component.Installer, reportsTarget, vcfFolder, moving(VCFMigration,
		Duty{Name: "create folder of a move", Asks: slices.Concat(by("CreateFolder", on(ScopeDatacenter, "Folder.Create")), find(ScopeMoveFolder))},
		Duty{
			Name: "tag folder of a move", Asks: slices.Concat(
				by("tag_association.list_attached_tags", on(ScopeMoveFolder, "System.Read")), creatingTags(), attaching(ScopeMoveFolder)),
			Remedy: "or name /DATACENTER/vm/INFRASTRUCTURE-ID as folder of the failure domain: apply --create-folders makes it",
		},
		Duty{Name: "tag region and zone", Asks: slices.Concat(creatingTags(), attaching(ScopeDatacenter), attaching(ScopeCluster))},
	)},
	of{component.Installer, reportsImage, vcfImage, moving(VCFMigration,
		Duty{Name: "check pool for an image", Asks: by("HasUserPrivilegeOnEntities",
			on(ScopeRootPool, "VApp.Import", config+"AddNewDisk", "VirtualMachine.Inventory.CreateFromExisting"))},
		Duty{Name: "import image of a move", Asks: slices.Concat(
			importing(), by("ReconfigVM_Task", on(ScopeMachine, config+"Settings")),
			by("MarkAsTemplate", on(ScopeMachine, "VirtualMachine.Provisioning.MarkAsTemplate")), attaching(ScopeMachine), destroying())},
	)},
	of{component.Installer, reportsPrepared, vcfProbe, moving(VCFMigration,
		Duty{Name: "probe network of a move", Asks: slices.Concat(find(ScopeTemplate), probing(),
			[]Ask{on(ScopeMachine, "System.Read")}, by("PowerOffVM_Task", on(ScopeMachine, "VirtualMachine.Interact.PowerOff")), destroying())},
	)},
	of{component.MachineAPI, reportsPrepared, vcfProbe, moving(VCFMigration,
		Duty{Name: "read networks of machines", Asks: append(find(ScopeMachine), on(ScopeMachine, "System.Read"))},
	)},
	of{component.MachineAPI, reportsMoved, vcfMove, moving(VCFMigrationVMotion,
		Duty{Name: "send machine of a move", Asks: slices.Concat(
			by("PowerOffVM_Task", on(ScopeMachine, "VirtualMachine.Interact.PowerOff")),
			by("RelocateVM_Task", on(ScopeMachine, "Resource.ColdMigrate", "Resource.HotMigrate")))},
	)},
	of{component.Installer, reportsMoved, vcfMove, moving(VCFMigrationVMotion,
		Duty{Name: "receive machine of a move", Asks: slices.Concat(
			by("RelocateVM_Task", on(ScopeResourcePool, "Resource.AssignVMToPool"), on(ScopeFolder, "VirtualMachine.Inventory.Move"),
				on(ScopeDatastore, "Datastore.AllocateSpace"), on(ScopeNetwork, "Network.Assign")),
			by("PowerOnVM_Task", on(ScopeMachine, "VirtualMachine.Interact.PowerOn")))},
	)},
)

// moving are duties under a condition of a move.
func moving(when Condition, all ...Duty) []Duty {
	for i := range all {
		all[i].Conditions = []Condition{when}
	}
	return all
}

// creatingTags is what looking for a category and its tag asks for, and creating them.
func creatingTags() []Ask {
	return slices.Concat(readingTags("category.list category.get tag.list_tags_for_category"),
		tags("category.create", "CreateCategory"), tags("tag.create", "CreateTag"))
}

// probing is what the clone asks for whose address shows the network: it gets a card and runs.
func probing() []Ask {
	return by("CloneVM_Task",
		on(ScopeTemplate, "VirtualMachine.Provisioning.DeployTemplate"),
		on(ScopeFolder, "VirtualMachine.Inventory.CreateFromExisting", config+"AdvancedConfig", config+"EditDevice", config+"Rename",
			"VirtualMachine.Interact.PowerOn"),
		on(ScopeResourcePool, "Resource.AssignVMToPool"), on(ScopeDatastore, "Datastore.AllocateSpace"), on(ScopeNetwork, "Network.Assign"))
}
