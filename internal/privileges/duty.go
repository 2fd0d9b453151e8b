package privileges

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Duty is something that a component does with its account, as read from its code. Duties tell
// whether a component can do its work; a matrix tells what it is granted.
type Duty struct {
	Component  component.Name
	Name       string // what it does: what it "cannot", in messages
	Conditions []Condition
	Asks       []Ask
	Reports    string // what the component or the cluster reports when it is refused
	Source     string
	Remedy     string // what lets the account do it besides another matrix; "" = nothing
}

// Ask is what calls of a duty need on the objects of a scope.
type Ask struct {
	Calls      []string // methods of SOAP, PBM, CNS or REST; none: it only finds or reads
	Scope      Scope
	Find       bool     // the account finds the object by its path, from the root folder down
	Privileges []string // that it holds on it; System.View: it sees it
}

// Scopes that duties have beside those of matrices.
const (
	ScopeMachine Scope = "machine" // a virtual machine in the folder and the pool
	ScopeHost    Scope = "host"    // a host of the cluster

	ScopeRootPool   Scope = "root-pool"   // the cluster's own resource pool
	ScopeMoveFolder Scope = "move-folder" // /DATACENTER/vm/INFRASTRUCTURE-ID, which a move makes
)

// Holds reports whether the duty exists where some conditions hold.
func (d *Duty) Holds(holds map[Condition]bool) bool {
	return len(d.Conditions) == 0 || anyHolds(d.Conditions, holds)
}

// Duties are those of a component, in the order in which it does them.
func Duties(c component.Name) []*Duty {
	var all []*Duty
	for i := range duties {
		if duties[i].Component == c {
			all = append(all, &duties[i])
		}
	}
	return all
}

// Calls are the requests of a duty, in its order. A duty that only finds and reads has none,
// because any method may refuse that.
func (d *Duty) Calls() (calls []string) {
	for _, a := range d.Asks {
		for _, call := range a.Calls {
			if !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// Privileges are all that one call of a duty needs, or the whole duty for "", besides reading
// objects.
func (d *Duty) Privileges(call string) []string {
	var all []string
	for _, a := range d.Asks {
		if call == "" || slices.Contains(a.Calls, call) {
			all = append(all, a.Privileges...)
		}
	}
	return Strip(all)
}

// find asks that an object is found.
func find(s Scope) []Ask { return []Ask{{Scope: s, Find: true}} }

// on asks for privileges on an object.
func on(s Scope, ids ...string) Ask { return Ask{Scope: s, Privileges: ids} }

// by says which calls, with spaces between them, ask for something.
func by(calls string, asks ...Ask) []Ask {
	for i := range asks {
		asks[i].Calls = strings.Fields(calls)
	}
	return asks
}

// Reported effects, and where the calls were read. TestOperations tries each call that the
// simulation serves under the same name, so the table asks for what is refused without it.
const (
	reportsMachine = "the Machine does not get on: events FailedCreate, FailedUpdate and FailedDelete of machine-api, \"reconciler failed to ... machine\""
	reportsSession = "no event: machine-api logs \"Error performing SOAP session check request to vSphere\" and logs in anew at each " +
		"reconcile; releases that leave the old sessions behind do so until vCenter answers logins with 503"
	reportsLabels = "machines and nodes get no labels of their region and zone; machine-api logs \"Failed to reconcile region and zone labels\""
	reportsVolume = "the volume is not provisioned or attached: events of the claim and the pod"
	reportsDetach = "the volume stays attached and its pod starts on no other node, says the API reference; " +
		"documented roles lack VirtualMachine.Config.RemoveDisk, and clusters with them detach volumes: sources contradict each other"
	reportsOperator  = "the storage operator's controller for StorageClasses fails, and with it the cluster operator storage"
	reportsNode      = "nodes keep the taint node.cloudprovider.kubernetes.io/uninitialized"
	reportsDetector  = "alert VSphereOpenshiftClusterHealthFail or VSphereOpenshiftNodeHealthFail"
	reportsDies      = "vsphere-problem-detector-operator ends and starts again, because it reads the host of each machine (node_cluster_permissions.go)"
	reportsSkipped   = "nothing: the detector leaves out its check of the datastore's folders (folder.go)"
	reportsInstaller = "openshift-install ends with an error"
	reportsTags      = "openshift-install logs \"unable to create tag\" or \"unable to attach tag\" and goes on; destroy finds nothing by the tag later"
	reportsDestroy   = "openshift-install destroy cluster does not come to an end"
	reportsCAPI      = "the VSphereMachine does not get ready"
	reportsPrepared  = "the VmwareCloudFoundationMigration stays at InfrastructurePrepared=False"
	reportsTarget    = "the VmwareCloudFoundationMigration stays at DestinationInitialized=False"
	reportsImage     = "the VmwareCloudFoundationMigration stays at DestinationImageImported=False"
	reportsMoved     = "the VmwareCloudFoundationMigration stays at WorkloadMigrated=False"
	reportsBootImage = "Upgrades have been disabled due to boot image update failures (machine-config, Upgradeable=False)"

	machineController = "openshift/machine-api-operator@951196122fe4:pkg/controller/vsphere (session.go, reconciler.go)"
	machineSession    = "openshift/machine-api-operator@951196122fe4:pkg/controller/vsphere/session/session.go (GetOrCreate); " +
		"openshift/machine-api-operator#921, aws/eks-anywhere#4202"
	csiDriver        = "openshift/vmware-vsphere-csi-driver@6b18bb29fc45:pkg/common/cns-lib, pkg/csi/service/common/authmanager.go"
	csiOperator      = "openshift/vmware-vsphere-csi-driver-operator@030ff0e32620:pkg/operator/storageclasscontroller/vmware.go"
	cloudProvider    = "openshift/cloud-provider-vsphere@a15538776eb2:pkg/common, pkg/cloudprovider/vsphere/zones.go"
	detector         = "openshift/vsphere-problem-detector@b2f09a5b559d:pkg/check"
	openshiftInstall = "openshift/installer@0bb3c6fec93b:pkg/asset/installconfig/vsphere, pkg/infrastructure/vsphere"
	openshiftDestroy = "openshift/installer@0bb3c6fec93b:pkg/destroy/vsphere/client.go"
	clusterAPI       = "kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52:pkg/services/govmomi (vcenter/clone.go, service.go)"
	vcfMigration     = "openshift/vcf-migration-operator@8aeef145:internal/controller/preflight.go"
	vcfFolder        = "openshift/vcf-migration-operator@8aeef145:internal/controller (ensureDestinationInitialized), internal/vsphere/tags.go"
	vcfImage         = "openshift/vcf-migration-operator@824dc0207ff4:internal/vsphere/image.go; @83930ea1dfa8:internal/controller/preflight.go"
	vcfProbe         = "openshift/vcf-migration-operator@b802be0547d0:internal/vsphere/probe.go, internal/controller/preflight_netcheck.go"
	vcfMove          = "openshift/vcf-migration-operator@017b82b5a889:docs/dev/node-migration-api.md; vSphere Web Services API, RelocateVM_Task"
	bootImages       = "openshift/machine-config-operator@7ff337a4ffac:pkg/controller/bootimage/vsphere_helpers.go"
)

// Prefixes of privileges.
const (
	config  = "VirtualMachine.Config."
	tagging = "InventoryService.Tagging."

	fileManagement = "Datastore.FileManagement"
)

// duties are those of all components. vcf-migration-operator has no account of its own.
var duties = slices.Concat(machineDuties, storageDuties, nodeDuties, installerDuties, clusterAPIDuties, migrationDuties, bootImageDuties)

// of are duties of one component with the same source and the same report of refusals.
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

// cloning is what a clone of a template with a new disk, network card and identity asks for, and
// more.
func cloning(more ...string) []Ask {
	configured := []string{
		"VirtualMachine.Inventory.CreateFromExisting", config + "AddRemoveDevice", config + "AdvancedConfig", config + "CPUCount",
		config + "DiskExtend", config + "Memory", config + "Settings",
	}
	return by("CloneVM_Task",
		on(ScopeTemplate, "VirtualMachine.Provisioning.DeployTemplate"), on(ScopeFolder, append(configured, more...)...),
		on(ScopeResourcePool, "Resource.AssignVMToPool"), on(ScopeDatastore, "Datastore.AllocateSpace"), on(ScopeNetwork, "Network.Assign"))
}

// cloningEncrypted is what the clone of an encrypted template asks for besides. Source: VMware
// vSphere 8.0 Security, Cryptographic Operations Privileges. The encryption mode of the host is
// assumed to be off.
func cloningEncrypted() Duty {
	return Duty{Name: "clone encrypted template", Conditions: []Condition{VMEncryption}, Asks: by("CloneVM_Task",
		on(ScopeTemplate, "Cryptographer.Clone"), on(ScopeCluster, "Cryptographer.RegisterHost"))}
}

// importing is what the import of an image asks for.
func importing() []Ask {
	return by("ImportVApp",
		on(ScopeResourcePool, "VApp.Import"), on(ScopeFolder, "VApp.Import"), on(ScopeDatastore, "Datastore.AllocateSpace"), on(ScopeNetwork, "Network.Assign"))
}

// destroying is checked on the folder, too (API reference, Destroy_Task).
func destroying() []Ask {
	return by("Destroy_Task", on(ScopeMachine, "VirtualMachine.Inventory.Delete"), on(ScopeFolder, "VirtualMachine.Inventory.Delete"))
}

// tags is what calls about categories and tags ask for: privileges on the root folder.
func tags(calls string, ids ...string) []Ask {
	for i := range ids {
		ids[i] = tagging + ids[i]
	}
	return by(calls, on(ScopeVCenter, ids...))
}

// readingTags is what reading categories and tags asks for, which is inferred.
func readingTags(calls string) []Ask { return by(calls, on(ScopeVCenter, "System.Read")) }

// attaching is what attaching a tag to an object asks for, and other calls with the same needs.
func attaching(s Scope, more ...string) []Ask {
	return by(strings.Join(append([]string{"tag_association.attach"}, more...), " "), on(ScopeVCenter, tagging+"AttachTag"), on(s, tagging+"ObjectAttachable"))
}

// grouping is what the groups of virtual machines of a cluster ask for.
func grouping() []Ask {
	return by("ReconfigureComputeResource_Task", on(ScopeCluster, "Host.Inventory.EditCluster"))
}

// above asks that what is above an object is read, by calls.
func above(s Scope, calls string) []Ask { return by(calls, Ask{Scope: s, Find: true}) }

// The problem detector checks its own account for the privileges of a machine installation
// (openshift/vsphere-problem-detector@b2f09a5b559d:pkg/check, permissions.go, datastore.go,
// node_cluster_permissions.go, node_resource_pool_permissions.go).
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

// Alarms are the checks that the problem detector makes of its own account, in its order, each with
// its alert. They do not tell whether a component can do its work.
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
