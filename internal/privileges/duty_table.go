package privileges

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// What is reported, and where the calls were read. A call that the simulation serves is tried there under the same name
// (TestOperations), so that what this table asks for is what is refused without it.
const (
	reportsMachine = "the Machine does not get on: events FailedCreate, FailedUpdate and FailedDelete of machine-api, \"reconciler failed to ... machine\""
	reportsSession = "no event: machine-api logs \"Error performing SOAP session check request to vSphere\" and logs in anew at each " +
		"reconcile; releases that leave the old sessions behind do so until vCenter answers logins with 503"
	reportsLabels    = "machines and nodes get no labels of their region and zone; machine-api logs \"Failed to reconcile region and zone labels\""
	reportsVolume    = "the volume is not provisioned or attached: events of the claim and the pod"
	reportsOperator  = "the storage operator's controller for StorageClasses fails, and with it the cluster operator storage"
	reportsNode      = "nodes keep the taint node.cloudprovider.kubernetes.io/uninitialized"
	reportsDetector  = "alert VSphereOpenshiftClusterHealthFail or VSphereOpenshiftNodeHealthFail"
	reportsInstaller = "openshift-install ends with an error"
	reportsTags      = "openshift-install logs \"unable to create tag\" or \"unable to attach tag\" and goes on; destroy finds nothing by the tag later"
	reportsDestroy   = "openshift-install destroy cluster does not come to an end"
	reportsCAPI      = "the VSphereMachine does not get ready"
	reportsMigration = "the VmwareCloudFoundationMigration stays at InfrastructurePrepared=False"
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
	bootImages       = "openshift/machine-config-operator@7ff337a4ffac:pkg/controller/bootimage/vsphere_helpers.go"
)

// Prefixes of privileges.
const (
	config  = "VirtualMachine.Config."
	tagging = "InventoryService.Tagging."
)

// duties are those of all components. machine-config-operator and vcf-migration-operator have no account of their own.
var duties = slices.Concat(machineDuties, storageDuties, nodeDuties, installerDuties, clusterAPIDuties, migrationDuties, bootImageDuties)

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

// cloning is what a clone of a template asks for that gets a disk of another size, a network card, an identity and data of its own,
// and more.
func cloning(more ...string) []Ask {
	configured := []string{
		"VirtualMachine.Inventory.CreateFromExisting", config + "AddRemoveDevice", config + "AdvancedConfig", config + "CPUCount",
		config + "DiskExtend", config + "Memory", config + "Settings",
	}
	return by("CloneVM_Task",
		on(ScopeTemplate, "VirtualMachine.Provisioning.DeployTemplate"), on(ScopeFolder, append(configured, more...)...),
		on(ScopeResourcePool, "Resource.AssignVMToPool"), on(ScopeDatastore, "Datastore.AllocateSpace"), on(ScopeNetwork, "Network.Assign"))
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
