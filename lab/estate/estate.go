// Package estate is what vCenters hold as a file: places, roles, permissions, principals and identity sources, and nothing that
// is secret or private to somebody's work: no password, no annotation, no description but that of accounts that this tool created. [Parse] reads such a file strictly,
// [Capture] takes one from a live vCenter, [Estate.YAML] writes it. What is in the file can be simulated.
package estate

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

// What such a file says of itself.
const (
	APIVersion = "ocp-vsphere-admin/v1"
	Kind       = "Estate"
)

// DefaultDomain is the SSO domain of a vCenter that names none.
const DefaultDomain = "vsphere.local"

// localOS is the domain of the appliance's own accounts, which is an identity source of every vCenter.
const localOS = "localos"

// Estate is some vCenters and what they hold.
type Estate struct {
	VCenters []VCenter
}

// VCenter is one vCenter. Principals are name@domain, or DOMAIN\name with the alias of an identity source. Paths have names as
// they are stored, which is with %2f for a slash. Permissions and tags name an opaque network that has the path of another
// network by that path and " (OpaqueNetwork)".
type VCenter struct {
	Server      string
	Domain      string // the SSO domain
	LinkedWith  string // the first of the vCenters before it that share this domain and its accounts; "" = it is the first
	Sources     []Source
	Knows       []string // privilege ids that it knows besides the catalogue of this tool
	Without     []string // privilege ids of the catalogue that it does not know
	Guests      string   // a network whose addresses machines that run have; "" = none
	Users       []User
	Groups      []Group
	Roles       []Role // custom ones
	Objects     []Object
	Permissions []Permission
	Tags        []Tag
}

// Source is an identity source besides the SSO domain and the appliance's own accounts.
type Source struct {
	Name, Alias string
	Type        string // ActiveDirectory or OpenLdap
}

// sourceTypes are the types of identity sources; the first is the default.
func sourceTypes() []string { return []string{"ActiveDirectory", "OpenLdap"} }

// User is an account.
type User struct {
	Name     string
	Disabled bool
	Mark     string // description of an account that this tool created (knownBy); "" = of somebody else
}

// Group is a group with its direct members, as far as they are known.
type Group struct {
	Name          string
	Users, Groups []string
}

// Role is a custom role. The three privileges that every role has are left out.
type Role struct {
	Name       string
	Privileges []string
}

// Object is an object of the inventory. What comes with others is not listed: a datacenter's own four folders, root pools, the
// host of a ComputeResource, which has its name.
type Object struct {
	Path, Type string
	Hosts      []string // clusters: names
	Switch     string   // port groups: path of their distributed switch
	Pool       string   // machines: path of their pool or vApp; "" = a root pool of the datacenter
	Template   bool     // machines
	Encrypted  bool     // machines
	HostName   string   // machines: what the guest tells; one with it or with addresses runs
	Addresses  []string // machines: IP addresses of the guest
}

// Permission is one permission.
type Permission struct {
	Object, Principal string // Object is a path, or [inventory.GlobalPath]
	Group             bool
	Role              string // by name, a system role by its API name
	Propagate         bool
}

// Tag is a tag with the paths of the objects that have it. Without a name it is a category that
// has no tag.
type Tag struct {
	Category, Name string
	Objects        []string
}

// The types of objects.
const (
	datacenter   = "Datacenter"
	folder       = "Folder"
	cluster      = "ClusterComputeResource"
	compute      = "ComputeResource"
	host         = "HostSystem" // never listed
	pool         = "ResourcePool"
	vApp         = "VirtualApp"
	datastore    = "Datastore"
	pod          = "StoragePod"
	network      = "Network"
	opaque       = "OpaqueNetwork"
	dvSwitch     = "DistributedVirtualSwitch"
	dvPortgroup  = "DistributedVirtualPortgroup"
	machine      = "VirtualMachine"
	rootPool     = "Resources"
	realDVSwitch = "VmwareDistributedVirtualSwitch"

	besideOther = " (" + opaque + ")" // ends the path of an opaque network where a port group or standard network has the same one
)

// Types are the types that an object of the file can have.
func Types() []string {
	return []string{
		datacenter, folder, cluster, compute, pool, vApp, datastore, pod, network, opaque, dvSwitch, dvPortgroup, machine,
	}
}

// SystemRoles are the roles that every vCenter has and nobody changes, by their API names (measured on vCenter 8.0).
func SystemRoles() []string {
	return []string{"Admin", "ReadOnly", "View", "Anonymous", "NoAccess", "NoCryptoAdmin", "TrustedAdmin", "NoTrustedAdmin"}
}

// ungrantable are system roles that no permission can carry. Source: vSphere Web Services API reference, SetEntityPermissions.
func ungrantable(role string) bool { return slices.Contains([]string{"View", "Anonymous"}, role) }

// ownFolders are the folders that every datacenter has.
func ownFolders() []string { return []string{"vm", "host", "datastore", "network"} }

// Load reads the file at path. All its problems come in one error, a line each: "estate.yaml:12: ...".
func Load(path string) (*Estate, error) {
	data, err := files.Read(path, files.Text)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}
