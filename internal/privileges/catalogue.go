package privileges

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

//go:embed data/catalogue.txt
var catalogue string

// Catalogue returns the 482 recorded ids of one vCenter, sorted; the file's header names their
// source. It serves lint without a vCenter: releases differ, so check what is sent against its
// vCenter.
func Catalogue() []string {
	var ids []string
	for line := range strings.Lines(catalogue) {
		if id := strings.TrimSpace(line); id != "" && !strings.HasPrefix(id, "#") {
			ids = append(ids, id)
		}
	}
	return ids
}

// APIReference is the release of vSphere whose API reference data/methods.tsv is from.
const APIReference = "8.0.2"

// ReadOnly is the name of the system role with no privilege but the implicit ones.
const ReadOnly = "ReadOnly"

// ImplicitIDs are those that vCenter puts into every role by itself, asked or not, sorted.
func ImplicitIDs() []string { return []string{"System.Anonymous", "System.Read", "System.View"} }

// Implicit reports whether an id is one of ImplicitIDs.
func Implicit(id string) bool { return slices.Contains(ImplicitIDs(), id) }

// Strip returns ids sorted, without duplicates and without the implicit three, as roles are
// compared.
func Strip(ids []string) []string {
	return slices.DeleteFunc(sortedUnique(ids), Implicit)
}

// UIName returns the path of labels that the vSphere Client shows for an id, "" if none is
// recorded. Labels are those of vSphere 8 in English; vSphere 7 names the StorageProfile ids
// differently.
func UIName(id string) string { return labels[id].ui }

// Operation says in a few words what an account without the id cannot do, "" if none is recorded.
func Operation(id string) string { return labels[id].operation }

// sortedUnique returns a sorted copy without duplicates, never nil.
func sortedUnique(ids []string) []string {
	out := slices.Clone(ids)
	if out == nil {
		out = []string{}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

type label struct{ ui, operation string }

// labels holds the vSphere Client's path of labels and the operation of each id that a matrix uses.
//
// Paths: OpenShift Container Platform 4.22, Installing on VMware vSphere, table 2.7;
// Host.Inventory.EditCluster, Resource.QueryVMotion, Cryptographer.* and VirtualMachine.State.*
// from the privilege tables of VMware vSphere 8.0 Security. The implicit ids and the two ids that
// do not exist have no label. Operations are our words for these labels.
var labels = map[string]label{
	"Cns.Searchable":                               {"Cns > Searchable", "search and list CNS volumes"},
	"Cryptographer.AddDisk":                        {"Cryptographic operations > Add disk", "add a disk to an encrypted virtual machine"},
	"Cryptographer.Clone":                          {"Cryptographic operations > Clone", "clone an encrypted virtual machine"},
	"Cryptographer.EncryptNew":                     {"Cryptographic operations > Encrypt new", "encrypt a virtual machine or a disk when it is created"},
	"Cryptographer.ManageKeys":                     {"Cryptographic operations > Manage keys", "generate and remove keys at a key provider"},
	"Cryptographer.RegisterHost":                   {"Cryptographic operations > Register host", "turn on the encryption mode of a host"},
	"Datastore.AllocateSpace":                      {"Datastore > Allocate space", "allocate space for disks, clones and snapshots on a datastore"},
	"Datastore.Browse":                             {"Datastore > Browse datastore", "list and search the files of a datastore"},
	"Datastore.FileManagement":                     {"Datastore > Low level file operations", "read, write, delete and rename files on a datastore"},
	"Folder.Create":                                {"Folder > Create folder", "create a folder"},
	"Folder.Delete":                                {"Folder > Delete folder", "delete a folder"},
	"Host.Config.Storage":                          {"Host > Configuration > Storage partition configuration", "work with the storage configuration of hosts, vSAN file shares included"},
	"Host.Inventory.EditCluster":                   {"Host > Inventory > Modify cluster", "change a cluster: groups of virtual machines and affinity rules"},
	"Host.Inventory.View":                          {"", "nothing: reading hosts needs only System.View and System.Read"},
	"InventoryService.Tagging.AttachTag":           {"vSphere Tagging > Assign or Unassign vSphere Tag", "attach a tag to an object, or detach it"},
	"InventoryService.Tagging.CreateCategory":      {"vSphere Tagging > Create vSphere Tag Category", "create a tag category"},
	"InventoryService.Tagging.CreateTag":           {"vSphere Tagging > Create vSphere Tag", "create a tag"},
	"InventoryService.Tagging.DeleteCategory":      {"vSphere Tagging > Delete vSphere Tag Category", "delete a tag category"},
	"InventoryService.Tagging.DeleteTag":           {"vSphere Tagging > Delete vSphere Tag", "delete a tag"},
	"InventoryService.Tagging.EditCategory":        {"vSphere Tagging > Edit vSphere Tag Category", "change a tag category"},
	"InventoryService.Tagging.EditTag":             {"vSphere Tagging > Edit vSphere Tag", "change a tag"},
	"InventoryService.Tagging.ObjectAttachable":    {"vSphere Tagging > Assign or Unassign vSphere Tag on Object", "attach a tag to this object, or detach it"},
	"Network.Assign":                               {"Network > Assign network", "connect a network adapter to this network"},
	"Resource.ColdMigrate":                         {"Resource > Migrate powered off virtual machine", "migrate a virtual machine that is powered off"},
	"Resource.HotMigrate":                          {"Resource > Migrate powered on virtual machine", "migrate a virtual machine that is powered on"},
	"Resource.AssignVMToPool":                      {"Resource > Assign virtual machine to resource pool", "place a virtual machine in a resource pool"},
	"Resource.QueryVMotion":                        {"Resource > Query vMotion", "ask whether a virtual machine could be moved to a host"},
	"Sessions.ValidateSession":                     {"Sessions > Validate session", "check whether a session is still valid"},
	"StorageProfile.Update":                        {"VM storage policies > Update VM storage policies", "create, change and delete VM storage policies"},
	"StorageProfile.View":                          {"VM storage policies > View VM storage policies", "read VM storage policies and the datastores that satisfy them"},
	"System.Anonymous":                             {"", "reach the few parts of the API that need no login"},
	"System.Read":                                  {"", "read the properties of an object"},
	"System.View":                                  {"", "see that an object exists"},
	"VApp.ApplicationConfig":                       {"vApp > vApp application configuration", "change what a vApp, or the vApp part of a virtual machine, says of its application"},
	"VApp.AssignResourcePool":                      {"vApp > Assign resource pool", "assign a resource pool to a vApp"},
	"VApp.Import":                                  {"vApp > Import", "import an OVA, such as the RHCOS image"},
	"VirtualMachine.Config.AddExistingDisk":        {"Virtual machine > Change Configuration > Add existing disk", "attach an existing disk, such as a volume, to a virtual machine"},
	"VirtualMachine.Config.AddNewDisk":             {"Virtual machine > Change Configuration > Add new disk", "add a new disk to a virtual machine"},
	"VirtualMachine.Config.AddRemoveDevice":        {"Virtual machine > Change Configuration > Add or remove device", "add a device other than a disk to a virtual machine, or remove it"},
	"VirtualMachine.Config.AdvancedConfig":         {"Virtual machine > Change Configuration > Advanced configuration", "set advanced options of a virtual machine, such as guestinfo with its ignition configuration"},
	"VirtualMachine.Config.Annotation":             {"Virtual machine > Change Configuration > Set annotation", "set the notes of a virtual machine"},
	"VirtualMachine.Config.CPUCount":               {"Virtual machine > Change Configuration > Change CPU count", "change the number of CPUs of a virtual machine"},
	"VirtualMachine.Config.DiskExtend":             {"Virtual machine > Change Configuration > Extend virtual disk", "extend a disk of a virtual machine"},
	"VirtualMachine.Config.DiskLease":              {"Virtual machine > Change Configuration > Acquire disk lease", "acquire a lease on a disk of a virtual machine"},
	"VirtualMachine.Config.EditDevice":             {"Virtual machine > Change Configuration > Modify device settings", "change the settings of a device of a virtual machine"},
	"VirtualMachine.Config.Memory":                 {"Virtual machine > Change Configuration > Change Memory", "change the memory of a virtual machine"},
	"VirtualMachine.Config.Query":                  {"", "nothing: reading virtual machines needs only System.View and System.Read"},
	"VirtualMachine.Config.RemoveDisk":             {"Virtual machine > Change Configuration > Remove disk", "remove a disk from a virtual machine"},
	"VirtualMachine.Config.Rename":                 {"Virtual machine > Change Configuration > Rename", "rename a virtual machine"},
	"VirtualMachine.Config.ResetGuestInfo":         {"Virtual machine > Change Configuration > Reset guest information", "reset the guest information of a virtual machine"},
	"VirtualMachine.Config.Resource":               {"Virtual machine > Change Configuration > Change resource", "change the shares, reservations and limits of a virtual machine"},
	"VirtualMachine.Config.Settings":               {"Virtual machine > Change Configuration > Change Settings", "change general settings of a virtual machine"},
	"VirtualMachine.Config.UpgradeVirtualHardware": {"Virtual machine > Change Configuration > Upgrade virtual machine compatibility", "upgrade the hardware version of a virtual machine"},
	"VirtualMachine.Interact.GuestControl":         {"Virtual machine > Interaction > Guest operating system management by VIX API", "run operations inside the guest operating system"},
	"VirtualMachine.Interact.PowerOff":             {"Virtual machine > Interaction > Power off", "power off a virtual machine"},
	"VirtualMachine.Interact.PowerOn":              {"Virtual machine > Interaction > Power on", "power on a virtual machine"},
	"VirtualMachine.Interact.Reset":                {"Virtual machine > Interaction > Reset", "reset a virtual machine"},
	"VirtualMachine.Inventory.Create":              {"Virtual machine > Edit Inventory > Create new", "create a virtual machine"},
	"VirtualMachine.Inventory.CreateFromExisting":  {"Virtual machine > Edit Inventory > Create from existing", "create a virtual machine from another one or from a template"},
	"VirtualMachine.Inventory.Move":                {"Virtual machine > Edit Inventory > Move", "move a virtual machine to another folder"},
	"VirtualMachine.Inventory.Delete":              {"Virtual machine > Edit Inventory > Remove", "delete a virtual machine"},
	"VirtualMachine.Provisioning.Clone":            {"Virtual machine > Provisioning > Clone virtual machine", "clone a virtual machine"},
	"VirtualMachine.Provisioning.DeployTemplate":   {"Virtual machine > Provisioning > Deploy template", "deploy a virtual machine from a template"},
	"VirtualMachine.Provisioning.MarkAsTemplate":   {"Virtual machine > Provisioning > Mark as template", "make a virtual machine a template"},
	"VirtualMachine.State.CreateSnapshot":          {"Virtual machine > Snapshot management > Create snapshot", "take a snapshot of a virtual machine"},
	"VirtualMachine.State.RemoveSnapshot":          {"Virtual machine > Snapshot management > Remove snapshot", "remove a snapshot of a virtual machine"},
}

// Unconfirmed is an id of a matrix that a catalogue does not confirm. An error is an id that no
// recorded vCenter has. A warning is a real id that the catalogue lacks, or one marked unknown that
// it has. A note is an id marked unknown.
type Unconfirmed struct {
	Component component.Name
	Scope     Scope
	Privilege string
	Nearest   string // the id of the catalogue that may be meant, "" if none is near
	Lost      string // what the component cannot do without it
	Severity  finding.Severity
}

// String is the finding in one line.
func (u Unconfirmed) String() string {
	s := fmt.Sprintf("%s %s: privilege %q ", u.Component, u.Scope, u.Privilege)
	switch {
	case u.Severity == finding.Note:
		s += "exists on no vCenter and is never sent"
	case u.Severity == finding.Warning && u.Nearest == u.Privilege:
		return s + "is marked unknown, so it is not sent, but this catalogue has it"
	default:
		s += "is not in this catalogue"
	}
	if u.Nearest != "" {
		s += fmt.Sprintf("; nearest: %q", u.Nearest)
	}
	if u.Lost != "" {
		s += "; lost: " + u.Lost
	}
	return s
}

// Lint returns the ids that the catalogue lacks and those marked unknown, sorted by component,
// scope and id. An empty catalogue confirms nothing. The implicit ids need no confirmation.
func (m *Matrix) Lint(catalogue []string) []Unconfirmed {
	have := make(map[string]bool, len(catalogue))
	for _, id := range catalogue {
		have[id] = true
	}
	recorded := Catalogue()
	seen := map[Unconfirmed]bool{}
	var out []Unconfirmed
	for _, r := range m.Rows {
		if Implicit(r.Privilege) || have[r.Privilege] && !r.Unknown {
			continue
		}
		f := Unconfirmed{
			Component: r.Component, Scope: r.Scope, Privilege: r.Privilege,
			Lost: cmp.Or(Operation(r.Privilege), r.Why),
		}
		_, isReal := slices.BinarySearch(recorded, r.Privilege)
		switch {
		case have[r.Privilege]: // marked unknown all the same
			f.Severity, f.Nearest = finding.Warning, r.Privilege
		case r.Unknown:
			f.Severity, f.Nearest = finding.Note, hint.Nearest(r.Privilege, catalogue)
		case isReal: // not misspelt, so a neighbour would mislead
			f.Severity = finding.Warning
		default:
			f.Severity, f.Nearest = finding.Error, hint.Nearest(r.Privilege, catalogue)
		}
		// One id may stand at a scope twice, with and without propagation.
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Unconfirmed) int {
		return cmp.Or(
			cmp.Compare(slices.Index(component.Names(), a.Component), slices.Index(component.Names(), b.Component)),
			cmp.Compare(slices.Index(Scopes(), a.Scope), slices.Index(Scopes(), b.Scope)),
			cmp.Compare(a.Privilege, b.Privilege))
	})
	return out
}
