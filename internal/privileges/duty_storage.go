package privileges

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

var storageDuties = table(
	of{component.CSIDriver, reportsVolume, csiDriver, []Duty{
		{Name: "list datacenters", Asks: find(ScopeDatacenter)},
		{Name: "find datastore", Asks: find(ScopeDatastore)},
		{Name: "read datastore", Asks: []Ask{on(ScopeDatastore, "System.Read")}},
		{Name: "find machine by uuid", Asks: slices.Concat(find(ScopeDatacenter), by("FindByUuid", on(ScopeMachine, "System.View")))},
		{Name: "read above machine", Asks: find(ScopeMachine)},
		{Name: "read machine", Asks: []Ask{on(ScopeMachine, "System.Read")}},
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
		{Name: "choose datastores", Asks: by("HasUserPrivilegeOnEntities", on(ScopeDatastore, "Datastore.FileManagement", "System.Read"))},
		{Name: "create volume", Asks: managing("CnsCreateVolume CnsExtendVolume CnsDeleteVolume")},
		{Name: "create volume with a policy", Conditions: []Condition{ManagedStorageClass, StoragePolicy}, Asks: slices.Concat(
			by("CnsCreateVolume", on(ScopeVCenter, "StorageProfile.View")), managing("CnsCreateVolume"))},
		{Name: "query volumes", Asks: by("CnsQueryVolume CnsQueryAllVolume CnsQueryAsync CnsUpdateVolumeMetadata", on(ScopeVCenter, "Cns.Searchable"))},
		{Name: "attach volume", Asks: by("CnsAttachVolume", on(ScopeMachine, config+"AddExistingDisk", config+"AddRemoveDevice"))},
		{Name: "detach volume", Asks: by("CnsDetachVolume", on(ScopeMachine, config+"AddExistingDisk", config+"AddRemoveDevice"))},
		{Name: "snapshot volume", Asks: slices.Concat(
			managing("CnsCreateSnapshots CnsDeleteSnapshots"), by("CnsQuerySnapshots", on(ScopeVCenter, "Cns.Searchable")))},
		{Name: "make volumes of the vSAN file service", Conditions: []Condition{VSANFile}, Asks: by("HasUserPrivilegeOnEntities CnsCreateVolume",
			on(ScopeCluster, "Host.Config.Storage"))},
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
	return by(calls, on(ScopeDatastore, "Datastore.FileManagement"), on(ScopeDatacenter, "System.Read"))
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
		{Name: "read hosts", Asks: []Ask{on(ScopeHost, "System.Read")}},
		{Name: "read datastore", Asks: []Ask{on(ScopeDatastore, "System.Read")}},
		{Name: "browse datastore", Asks: by("SearchDatastore_Task SearchDatastoreSubFolders_Task", on(ScopeDatastore, "Datastore.Browse"))},
		{Name: "check zone tags", Asks: slices.Concat(readingTags("category.list category.get"),
			above(ScopeCluster, "tag_association.list_attached_tags_on_objects"), readingTags("tag.get"))},
		{Name: "query storage policies", Conditions: []Condition{StoragePolicy}, Asks: querying()},
	}},
)
