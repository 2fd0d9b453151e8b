package vcsim

import (
	"slices"
	"strings"
	"testing"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// reading are how names of calls begin that change nothing but what is the session's own.
var reading = []string{
	"Query", "Retrieve", "Find", "Get", "List", "Fetch", "Check", "Search", "Has", "Is", "Are", "Browse", "Describe", "Read", "Wait", "Estimate", "Recommend",
	"Validate", "Lookup", "HostRetrieve", "HostList", "HostSpecGet", "HostImageConfigGet", "Reload", "Refresh", "Current", "Continue", "CreateFilter", "CreateContainerView",
	"CreateInventoryView", "CreateListView", "CreateCollector", "DestroyView", "Download", "Compare", "Generate", "EvcManager", "PlaceVm", "CustomizationSpecItemToXml",
	"XmlToCustomizationSpecItem", "BatchQuery", "Convert", "DVSManagerLookup", "Scan", "ExecuteHostProfile", "CreateDefaultProfile", "CanProvision",
	"ReconfigurationSatisfiable", "ParseDescriptor", "PerformVsanUpgradePreflightCheck", "VstorageObjectVCenterQuery",
}

// elsewhere are calls that do change something, of objects that this simulation has not, or by a rule of their own.
var elsewhere = map[string]bool{
	"CancelRecommendation":           true, // drops a suggestion
	"RectifyDvsHost_Task":            true,
	"RectifyDvsOnHost_Task":          true,
	"ChangePassword":                 true, // of a host's local account, with its old password
	"DeleteHostSpecification":        true,
	"DeleteHostSubSpecification":     true,
	"RunVsanPhysicalDiskDiagnostics": true,
	"PerformVsanUpgrade_Task":        true,
	"AttachTagToVStorageObject":      true, // judged as tags are
	"DetachTagFromVStorageObject":    true,
}

// Whoever may only read changes nothing: no call that changes something is left to the System privileges, which the role Read-only has.
func TestReadersChangeNothing(t *testing.T) {
	table, err := newMethodTable()
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"View", "ManagedObjectView", "ListView", "InventoryView", "ContainerView", "PropertyCollector", "PropertyFilter", "HistoryCollector", "EventHistoryCollector", "TaskHistoryCollector", "SessionManager", "ServiceInstance", "HostVStorageObjectManager"}
	for key, needed := range table {
		kind, name := key[0], key[1]
		if kind == "VStorageObjectManagerBase" || slices.Contains(own, kind) || len(weighty(needed)) > 0 || strings.ToUpper(name[:1]) != name[:1] && !strings.HasSuffix(name, "_Task") {
			continue
		}
		if _, argued := callNeeds[name]; argued || elsewhere[name] || slices.ContainsFunc(reading, func(verb string) bool { return strings.HasPrefix(name, verb) }) {
			continue
		}
		t.Errorf("%s.%s needs no more than %v", kind, name, needed)
	}

	r := newRig(t)
	r.user("reader")
	r.grantRole("/", "reader@vsphere.local", false, true, -2)
	c := r.login("reader@vsphere.local")
	ds := r.ref("/DC0/datastore/LocalDS_0")
	disks := types.ManagedObjectReference{Type: "VcenterVStorageObjectManager", Value: c.ServiceContent.VStorageObjectManager.Value}
	for name, call := range map[string]func() error{
		"destroy datastore": func() error {
			_, err := methods.Destroy_Task(ctx, c, &types.Destroy_Task{This: ds})
			return err
		},
		"destroy network": func() error {
			_, err := methods.Destroy_Task(ctx, c, &types.Destroy_Task{This: r.ref("/DC0/network/VM Network")})
			return err
		},
		"delete first class disk": func() error {
			_, err := methods.DeleteVStorageObject_Task(ctx, c, &types.DeleteVStorageObject_Task{This: disks, Id: types.ID{Id: "x"}, Datastore: ds})
			return err
		},
		"extend first class disk": func() error {
			_, err := methods.ExtendDisk_Task(ctx, c, &types.ExtendDisk_Task{This: disks, Id: types.ID{Id: "x"}, Datastore: ds, NewCapacityInMB: 2})
			return err
		},
		"delete file": func() error {
			return finish(object.NewFileManager(c.Client).DeleteDatastoreFile(ctx, "[LocalDS_0] x", object.NewDatacenter(c.Client, r.ref("/DC0"))))
		},
	} {
		if err := call(); !fault.Is(err, &types.NoPermission{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
