package vcsim

var rulesOfInventory = []Rule{
	{"inventory", Inference, "UUIDs of machines, hosts, switches and volumes follow from their names and the name of their vCenter: they differ between vCenters, and are the same in every run", "", "estate_identity.go", by("TestUUIDsOfVCentersDiffer", "TestVolumesOfDatastores")},
	{"inventory", Reference, "The option disk.enableUUID of a machine and its flag diskUuidEnabled say the same. Machines of an estate have both", apiReference, "estate_identity.go", by("TestHardwareOfMachines")},
	{"inventory", Inference, "A new machine has hardware version 19 where none is asked for, which all simulated releases have", "", "estate_identity.go", by("TestHardwareOfMachines")},
	{"inventory", Reference, "A clone has files of its own for its disks, also for those that the request changes: the source keeps its own when the clone is destroyed", apiReference, "estate_clones.go", by("TestClonesHaveTheirOwnDisks")},
	{"inventory", Inference, "A clone has an address of its own for each card whose address nobody set by hand, and the options of its source that the request does not set", "", "estate_clones.go", by("TestClonesHaveTheirOwnAddresses", "TestClonesHaveTheirOwnDisks")},
	{"inventory", Recording, "The descriptionId of a task is one of TaskManager.description: that of a clone is VirtualMachine.clone", "TaskManager.description in vmware/govmomi v0.56.0, simulator/vpx; machine-api-operator depends on it", "estate_complete.go", by("TestClonesHaveTheirOwnDisks")},
	{"inventory", Reference, "A network that is destroyed leaves the lists of its hosts, clusters and datacenter", apiReference, "estate_departures.go", by("TestDestroyedNetworksLeaveTheirHosts")},
	{"inventory", Inference, "A distributed switch that is destroyed takes its port groups with it, whatever folders they lie in", "", "estate_departures.go", by("TestDestroyedSwitchesTakeTheirPortGroups")},
	{"inventory", Reference, "A cluster or standalone host has the networks of its hosts, opaque ones too", apiReference + ", ComputeResource.network", "estate_objects.go", by("TestNetworksOfHostsAreTheirClusters")},
	{"inventory", Reference, "A machine that is destroyed leaves the DRS groups of its cluster, which stay", "Broadcom KB 436954", "estate_departures.go", by("TestDestroyedMachinesLeaveTheirGroups")},
	{"inventory", Inference, "An imported machine whose directory's name is taken gets one with a number behind it: name_1", "", "estate_files.go", by("TestImportUnderATakenName")},
	{"inventory", Reference, "The file that a fault names is a path of a datastore", apiReference + ", FileFault.file", "estate_files.go", by("TestFaultsNameFilesOfDatastores")},
	{"events", Reference, "What somebody changes of roles and permissions posts RoleAddedEvent, PermissionAddedEvent and the like: who did it, principal, object, role and propagation, and what was before. They need System.View on the object, those of roles on the root folder", apiReference, "authz_events.go", by("TestAuthorizationEvents")},
	{"events", Inference, "A permission that is set again as it was posts no event, and what a vCenter changes by itself none: permissions of objects and principals that are gone, roles of linked vCenters", "", "authz_events.go", by("TestAuthorizationEvents")},
	{"events", Inference, "An event of an object that is gone is its datacenter's, or else the root folder's", "", "visibility_history.go", by("TestMachineEvents")},
	{"inventory", Reference, "A datastore of an estate is a VMFS volume, and its URL is ds:///vmfs/volumes/UUID/", apiReference, "estate_volumes.go", by("TestVolumesOfDatastores", "TestFilesOfVolumes")},
	{"inventory", Inference, "Hosts have the newest ESXi that their vCenter manages and govmomi's simulator knows: 7.0.2, 8.0.1 or 8.0.2", "", "release.go", by("TestHostsAreNotNewerThanTheirVCenter")},
	{"inventory", Inference, "A new cluster says of vSAN, DPM, DRS and HA what applies where nobody set anything: DRS is on, the others are off", "", "estate_complete.go", by("TestSettingsOfClusters")},
	{"inventory", Unknown, "The texts by which a vCenter describes privileges and their groups: they are the words of the ids", "", "authz_catalogue.go", by("TestDescriptionsOfPrivileges")},
	{"inventory", Inference, "A category of an estate's tags is for objects of all types, each of which can have several of its tags", "", "automation/tagged.go", by("TestTagsOfContents")},
}
