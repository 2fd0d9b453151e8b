package privileges

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Condition says in which clusters a row is needed. One of a row's conditions is enough.
type Condition string

// The conditions. A failure domain decides the five that Topology reports, a spec the others.
const (
	Always              Condition = "always"
	FolderExisting      Condition = "folder-existing"
	FolderCreated       Condition = "folder-created"
	PoolExisting        Condition = "pool-existing"
	PoolRoot            Condition = "pool-root"
	HostGroup           Condition = "host-group"
	ManagedStorageClass Condition = "managed-storageclass"
	VSANFile            Condition = "vsan-file"
	StoragePolicy       Condition = "storage-policy"
	HardwareUpgrade     Condition = "hardware-upgrade"
	OVAImport           Condition = "ova-import"
	DocumentedOnly      Condition = "documented-only"
	VMTags              Condition = "vm-tags"
	VMEncryption        Condition = "vm-encryption"
	ClusterModules      Condition = "cluster-modules"
	BootImageUpdates    Condition = "boot-image-updates"
	VCFMigration        Condition = "vcf-migration"
	DataDisks           Condition = "data-disks"
	VMResources         Condition = "vm-resources"
	PCIDevices          Condition = "pci-devices"
	SourceIsVM          Condition = "source-is-vm"
	VCFMigrationVMotion Condition = "vcf-migration-vmotion"

	SeveralDomains Condition = "several-failure-domains" // of duties; no matrix has it
)

// off switches a condition off that holds unless it is named.
const off = "no-"

// Conditions returns every condition that a matrix may use.
func Conditions() []Condition {
	return []Condition{
		Always, FolderExisting, FolderCreated, PoolExisting, PoolRoot, HostGroup,
		ManagedStorageClass, VSANFile, StoragePolicy, HardwareUpgrade, OVAImport, BootImageUpdates,
		VCFMigration, VCFMigrationVMotion, DocumentedOnly,
		VMTags, VMEncryption, ClusterModules, DataDisks, VMResources, PCIDevices, SourceIsVM,
	}
}

// Selectable returns the conditions that privileges.conditions of a spec may name.
// ManagedStorageClass is on by default; "no-managed-storageclass" switches it off.
func Selectable() []Condition {
	return []Condition{
		VSANFile, StoragePolicy, HardwareUpgrade, OVAImport, BootImageUpdates, VCFMigration,
		VCFMigrationVMotion, DocumentedOnly, ManagedStorageClass,
		VMTags, VMEncryption, ClusterModules, DataDisks, VMResources, PCIDevices, SourceIsVM,
	}
}

// Topology reports whether a failure domain decides the condition. A spec cannot name such a one.
func (c Condition) Topology() bool {
	switch c {
	case FolderExisting, FolderCreated, PoolExisting, PoolRoot, HostGroup:
		return true
	}
	return false
}

// Describe says in a few words when the condition holds, "" for a condition that does not exist.
func (c Condition) Describe() string {
	switch c {
	case Always:
		return "in every installation"
	case FolderExisting:
		return "the failure domain has a folder for virtual machines"
	case FolderCreated:
		return "the failure domain has no folder: the installer creates it"
	case PoolExisting:
		return "the failure domain has a resource pool"
	case PoolRoot:
		return "the failure domain has no resource pool: virtual machines use the root pool of the cluster"
	case HostGroup:
		return "zones are host groups: virtual machines are placed by groups and affinity rules"
	case ManagedStorageClass:
		return "the CSI operator manages the default StorageClass (on unless no-managed-storageclass is set)"
	case VSANFile:
		return "volumes of the vSAN file service are used"
	case StoragePolicy:
		return "virtual machines, disks or a StorageClass use a VM storage policy"
	case HardwareUpgrade:
		return "the machine controller upgrades the hardware version of virtual machines"
	case OVAImport:
		return "the account imports the RHCOS image, because no template is given"
	case BootImageUpdates:
		return "the machine-config-operator updates boot images with the account of machine-api, having none of its own"
	case VCFMigration:
		return "the cluster moves to this vCenter, which the vcf-migration-operator prepares with the account of the installer"
	case VCFMigrationVMotion:
		return "the vcf-migration-operator moves the machines from one vCenter to the other (spec.nodeMigration, type VMotion), as for a UPI cluster"
	case DocumentedOnly:
		return "the documentation lists it, but no call was found in the operators' code"
	case VMTags:
		return "machines of Cluster API have tags, which are attached to their virtual machines"
	case VMEncryption:
		return "virtual machines are encrypted, as their template is, or by Cluster API"
	case ClusterModules:
		return "Cluster API separates machines by cluster modules (its feature gate NodeAntiAffinity)"
	case DataDisks:
		return "machines of Cluster API have disks besides that of their template"
	case VMResources:
		return "machines of Cluster API have shares, reservations or limits"
	case PCIDevices:
		return "machines of Cluster API have PCI devices or virtual GPUs"
	case SeveralDomains:
		return "the cluster has more than one failure domain"
	case SourceIsVM:
		return "machines of Cluster API are cloned from a virtual machine that is not a template"
	}
	return ""
}

// ParseConditions returns the conditions that a spec selects (privileges.conditions). The result
// always holds Always, and ManagedStorageClass as false only for "no-managed-storageclass". The
// error lists every unusable name with the nearest usable one.
func ParseConditions(list []string) (map[Condition]bool, error) {
	holds := map[Condition]bool{Always: true, ManagedStorageClass: true}
	known := append(component.Words(Selectable()), off+string(ManagedStorageClass))
	var errs []error
	for _, name := range list {
		c := Condition(name)
		switch {
		case name == off+string(ManagedStorageClass):
			if slices.Contains(list, string(ManagedStorageClass)) {
				errs = append(errs, fmt.Errorf("conditions %q and %q exclude each other", string(ManagedStorageClass), name))
			}
			holds[ManagedStorageClass] = false
		case slices.Contains(Selectable(), c):
			holds[c] = true
		case c == Always:
		case c.Topology():
			errs = append(errs, fmt.Errorf("condition %q follows from the failure domains and cannot be set", name))
		default:
			errs = append(errs, unknown("condition", name, known))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return holds, nil
}

// unknown is the error for an unknown name, with the nearest known one, or all if none is near.
func unknown(what, name string, known []string) error {
	if near := hint.Nearest(name, known); near != "" {
		return fmt.Errorf("unknown %s %q; nearest: %q", what, name, near)
	}
	return fmt.Errorf("unknown %s %q; known: %s", what, name, strings.Join(known, ", "))
}
