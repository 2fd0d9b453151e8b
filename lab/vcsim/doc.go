// Package vcsim serves simulated vCenters that refuse what a vCenter refuses: govmomi's simulator for inventory and
// SOAP, with roles, permissions, accounts, tokens and transport of our own over it.
//
// # Use
//
// Start serves a [Lab] of vCenters on ports of this machine until Close. Each has an [Estate] to provision on. Clients
// trust [Lab.CA] or [VCenter.Thumbprint], and reach the servers by name with [Lab.DialContext] or at [VCenter.Addr];
// [VCenter.Login] gives tests a govmomi client. A test compares [VCenter.Snapshot] before and after, changes accounts
// behind the tool's back with [VCenter.Directory] (package directory, below), counts requests with [VCenter.Requests] and breaks them with
// [VCenter.SetFault]. Nothing in here sleeps but latency, tasks that last and slow faults: delays
// count on the clock of [Options.Now].
//
// # What is simulated
//
// Roles, permissions, global ones too, and their faults; effective rights along folders, pools, complex entities and groups; the
// privilege of every call of the API reference, also on arguments; what a login sees of the inventory and of properties;
// SSO accounts, groups, identity sources, password and lockout policies; the STS; the lookup service; linked vCenters;
// datastore files over HTTP; tags over REST, storage policies (PBM) that follow them, container volumes (CNS) that follow the
// policies, and their disks (VSLM). Rules R1 to R48 are what is known about vCenters, from the API reference and from measurements; each is tested by the
// tests that begin with its number (TestR16...).
//
// # Size
//
// One call meets all of it: authorization, visibility, SSO and transport decide together over the state of one vCenter, under
// its locks. What can be said without that is below (directory, automation, policy, volumes, consumers); prefixes of file names
// divide the rest.
//
// # What it rests on
//
// [Rules] says of each rule whether it was recorded from a real server, comes from a reference, or is inferred, and what
// is not known and what is done meanwhile; `vcenter-lab explain` prints it. [Options.Releases] are the releases
// of vCenter that can be simulated; what is not known to differ between them does not.
//
// Of what a session sees, these are inferred: that any reference to a hidden object is left out where it may be unset (the
// reference says so of VirtualMachine.resourcePool), and data in lists that are about one; which events and tasks are shown;
// that a hidden object as a parameter is NoPermission. Older clients are spared newer elements, but not newer types and values
// of enumerations. Of the managers in HostSystem.configManager most do not exist.
//
// How a tool is to act on a rule (what it never calls, compares, shows or repeats: parts of R1, R4, R5, R13, R14, R29,
// R36, R38, R43) is the matter of the packages of the tool and their tests.
//
// A container view of govmomi's simulator reads the children of objects without their locks, when it is made and with
// each new object. Under the race detector don't use one while other requests change the inventory; traversals are safe.
package vcsim
