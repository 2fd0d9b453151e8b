package vcsim

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Contents is all that one vCenter holds, instead of an estate that a seed makes. What every vCenter has is there besides:
// the administrator and the groups of the SSO domain, the system roles, a datacenter's own four folders, root pools.
// Principals are name@domain or DOMAIN\name. Paths have names as they are stored (%2f for a slash).
type Contents struct {
	Domain      string                     // the SSO domain; "" = that of the options
	LinkedWith  string                     // an earlier vCenter with the same SSO domain and accounts; "" = none, but for Options.Linked
	Sources     []directory.IdentitySource // besides the SSO domain and localos
	Users       []Account
	Groups      []Group
	Roles       []Role
	Knows       []string // privilege ids that this vCenter knows besides the recorded ones
	Without     []string // recorded privilege ids that it does not know
	Guests      string   // a network whose addresses machines that run have; "" = none
	Objects     []Object // in any order
	Permissions []Permission
	Tags        []Tag
}

// Tag is a tag with the paths of the objects that have it. Without a name it is a category that
// has no tag.
type Tag struct {
	Category, Name string
	Objects        []string
}

// Account is a user.
type Account struct {
	Name     string
	Disabled bool

	Description string
	Password    string // "" opens nothing
}

// Group is a group with its direct members.
type Group struct {
	Name          string
	Users, Groups []string
}

// Role is a custom role; the implicit privileges need not be named.
type Role struct {
	Name       string
	Privileges []string
}

// Object is one object of the inventory. Its type is as in the vSphere API: Folder, Datacenter, ClusterComputeResource,
// ComputeResource (a standalone host with the name of its path), ResourcePool, VirtualApp, Datastore, StoragePod, Network,
// OpaqueNetwork, DistributedVirtualSwitch, DistributedVirtualPortgroup, VirtualMachine.
type Object struct {
	Path, Type string
	Hosts      []string // of a cluster, by name
	Switch     string   // of a port group: the path of its switch
	Pool       string   // of a machine: the path of its pool or vApp; "" = a root pool of the datacenter
	Template   bool     // a machine
	Encrypted  bool     // a machine
	HostName   string   // that the guest of a machine tells; a machine with it or with addresses runs
	Addresses  []string // of its guest
}

// Permission is one permission. A principal that is not listed is made, as far as its domain is an identity source.
type Permission struct {
	Path, Principal string // Path is [GlobalPath] for a global one
	Group           bool
	Role            string // by name, a system role by its API name
	Propagate       bool
}

// contents of vCenter i (from 0) of a lab; nil where a seed makes them.
func (o *Options) contents(i int) *Contents {
	if i < len(o.Estate.Contents) {
		return &o.Estate.Contents[i]
	}
	return nil
}

// domain of vCenter i.
func (o *Options) domain(i int) string {
	if c := o.contents(i); c != nil && c.Domain != "" {
		return c.Domain
	}
	return o.Domain
}

// privileges are the ids that vCenter i does not know of the recorded ones, and those that it knows besides.
func (o *Options) privileges(i int) (without, knows []string) {
	without = o.Without
	if c := o.contents(i); c != nil {
		without, knows = slices.Concat(without, c.Without), c.Knows
	}
	return without, knows
}
