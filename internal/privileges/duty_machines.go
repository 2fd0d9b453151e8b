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

// zones is what reading the tags of a host and of all above it asks for.
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
			by("GenerateKey", on(ScopeVCenter, "Cryptographer.ManageKeys")), by("CloneVM_Task", on(ScopeFolder, "Cryptographer.EncryptNew")))},
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
	of{component.MachineAPI, reportsBootImage, bootImages, []Duty{
		{Name: "import boot image", Conditions: []Condition{BootImageUpdates}, Asks: importing()},
		{Name: "make boot image a template", Conditions: []Condition{BootImageUpdates}, Asks: slices.Concat(
			by("ReconfigVM_Task", on(ScopeMachine, config+"Settings")), by("Rename_Task", on(ScopeMachine, config+"Rename")),
			by("MarkAsTemplate", on(ScopeMachine, "VirtualMachine.Provisioning.MarkAsTemplate")))},
		{Name: "tag boot image", Conditions: []Condition{BootImageUpdates}, Asks: attaching(ScopeMachine)},
		{Name: "destroy boot image", Conditions: []Condition{BootImageUpdates}, Asks: destroying()},
	}},
)
