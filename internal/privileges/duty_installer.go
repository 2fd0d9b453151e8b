package privileges

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
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

var migrationDuties = table(
	of{component.Installer, reportsMigration, vcfMigration, []Duty{
		{Name: "create folder of a move", Conditions: []Condition{VCFMigration}, Asks: by("CreateFolder", on(ScopeDatacenter, "Folder.Create"))},
		{Name: "tag region and zone", Conditions: []Condition{VCFMigration}, Asks: slices.Concat(
			tags("category.create", "CreateCategory"), tags("tag.create", "CreateTag"), attaching(ScopeDatacenter), attaching(ScopeCluster))},
	}},
)
