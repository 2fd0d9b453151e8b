// Package openshift writes the secrets of each profile: those of the enhancement "vSphere
// multi-account credential management" (openshift/enhancements#1931), of openshift/installer#10895,
// of a release's CredentialsRequests (package release), and the shared one. Package cluster reads
// them.
//
// Their readers are stricter than Kubernetes: the cloud controller manager refuses unknown keys,
// the CSI driver and the problem detector refuse user names without a domain, and all read
// `<vCenter>.username` and `<vCenter>.password` by the server name of the installation. What one of
// them would reject is refused here, where the administrator sees why.
package openshift

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// The names of the profiles.
const (
	ProfileKubeSystem      = "kube-system"
	ProfileComponentScoped = "component-scoped"
	ProfileManual          = "manual"
	ProfilePassthrough     = "passthrough"
	ProfileKubernetes      = "kubernetes"
)

// Profile is a way to give accounts to a cluster: which there are, in which secrets, and how in an
// install-config. A new one is one value in [Profiles].
type Profile struct {
	Name string
	Note string // what it comes to, in a list of choices

	Form      string                            // one of installconfig.Forms; "" = no install-config
	Works     map[component.Name]component.Name // another component whose account it uses
	RoleWords map[component.Name]string         // in role names of shared accounts

	Only    []component.Name                 // those that clusters have; nil = all
	Homes   map[component.Name]component.Ref // secrets that they read; nil = OpenShift's
	Implies []privileges.Condition           // openshift-install checks for what they need
	// matrix whose groups openshift-install checks by component; "" = for the installer alone
	Preflight string

	Main     bool // there is a main account, which a component without one of its own may be given
	Manual   bool // nothing copies secrets, and upgrades wait for release.ClusterVersion.UpgradeableTo
	Labelled bool // cloud-credential-operator finds the secrets by label, annotation and name
	Requests bool // a release's CredentialsRequests place the secrets, in files named as by ccoctl

	head  string // above the secrets
	sink  func(EmitOptions, release.Consumer) sink
	warns func(EmitOptions, Accounts) []string
}

// Profiles lists them, the default first.
func Profiles() []Profile {
	everybody := map[component.Name]component.Name{}
	for _, c := range component.Names() {
		everybody[c] = component.Installer
	}
	return []Profile{
		{
			// openshift/enhancements#1931: one account each, copied by cloud-credential-operator
			Name:     ProfileKubeSystem,
			Note:     "five accounts, secrets in kube-system",
			Form:     "kube-system",
			Main:     true,
			Labelled: true,
			head:     "# vSphere accounts per component, for `oc apply -f -`. Keys: <vCenter>.username and <vCenter>.password, nothing else.\n",
			sink:     EmitOptions.labelled,
			warns:    EmitOptions.ofKubeSystem,
		},
		{
			// openshift/enhancements#2106, openshift/installer#10895: secrets beside the components;
			// openshift-install uses machine-api's account, machineManagement in its install-config
			Name:      ProfileComponentScoped,
			Implies:   []privileges.Condition{privileges.StoragePolicy, privileges.VSANFile},
			Preflight: "component-scoped",
			Note:      "four accounts, secrets beside each component",
			Form:      "component-scoped",
			Works:     map[component.Name]component.Name{component.Installer: component.MachineAPI},
			RoleWords: map[component.Name]string{component.MachineAPI: "machine-management"},
			Manual:    true,
			head: "# vSphere accounts where the four components read them; the cluster is in Manual mode. Keys: <vCenter>.username and\n" +
				"# <vCenter>.password, nothing else.\n",
			sink:  EmitOptions.atTarget,
			warns: EmitOptions.ofComponentScoped,
		},
		{
			// a secret for each CredentialsRequest of a release, where it wants it: an account per component
			Name:     ProfileManual,
			Note:     "five accounts, secrets of a release's CredentialsRequests",
			Form:     "passthrough",
			Main:     true,
			Manual:   true,
			Requests: true,
			head: "# vSphere accounts where the CredentialsRequests of the release want them; the cluster is in Manual mode. Keys:\n" +
				"# <vCenter>.username and <vCenter>.password, nothing else.\n",
			sink:  EmitOptions.atTarget,
			warns: EmitOptions.ofRequests,
		},
		{
			// what releases have: kube-system/vsphere-creds, with the one account that all components share
			Name:      ProfilePassthrough,
			Note:      "one account for everything",
			Form:      "passthrough",
			Works:     everybody,
			RoleWords: map[component.Name]string{component.Installer: "shared"},
			Main:      true,
			head: "# The vSphere account that all components share. Keys: <vCenter>.username and <vCenter>.password, nothing else.\n" +
				"# cloud-credential-operator copies it where it is asked for; it wants the annotation, which it sets itself, too.\n",
			warns: EmitOptions.ofPassthrough,
		},
		{
			// upstream's storage driver and cloud controller manager, outside OpenShift
			Name:   ProfileKubernetes,
			Note:   "two accounts, secrets of Kubernetes without OpenShift",
			Only:   []component.Name{component.CSIDriver, component.CloudController, component.Auditor},
			Homes:  homes(),
			Manual: true,
			head: "# vSphere accounts for the vSphere CSI driver and the cloud controller manager of Kubernetes. The driver's is in its\n" +
				"# whole configuration: apply it the first time, and then use 'secrets renew', which keeps what others wrote there.\n",
			sink:  EmitOptions.atHome,
			warns: EmitOptions.ofKubernetes,
		},
	}
}

// ProfileNames lists the names of the profiles, the default first.
func ProfileNames() []string {
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// listed is [FindProfile]'s list, made on first use, because values of profiles refer to profiles.
var listed struct {
	once sync.Once
	all  []Profile
}

// FindProfile finds a profile by its name, "" for the default.
func FindProfile(name string) (Profile, bool) {
	listed.once.Do(func() { listed.all = Profiles() })
	all := listed.all
	i := slices.IndexFunc(all, func(p Profile) bool { return name == "" || p.Name == name })
	if i < 0 {
		return Profile{}, false
	}
	return all[i], true
}

// Has reports whether a cluster with the profile may have a component.
func (p Profile) Has(c component.Name) bool { return p.Only == nil || slices.Contains(p.Only, c) }

// CheckOpenShift refuses a profile for clusters without what only OpenShift has.
func CheckOpenShift(profile, what string) error {
	p, _ := FindProfile(profile)
	if p.Homes == nil {
		return nil
	}
	return hint.Errorf("'secrets emit' writes the secrets of such a cluster, once 'apply' has made the accounts",
		"profile %s is for Kubernetes without OpenShift, which has no %s", p.Name, what)
}

// Default returns the components that have an account where none is named.
func (p Profile) Default() []component.Name {
	return slices.DeleteFunc(component.Default(),
		func(c component.Name) bool { return !p.Has(c) })
}

// Lacks says that a cluster with the profile has no such component; nil = it may have it.
func (p Profile) Lacks(c component.Name) error {
	if p.Has(c) {
		return nil
	}
	return fmt.Errorf("profile %s has no %s, which is a part of OpenShift: it has %s", p.Name, c,
		names(p.Only))
}

// ReadFrom are the namespaces from which components of every cluster read, kube-system first.
func (p Profile) ReadFrom() []string {
	all := []string{root.Namespace}
	for _, c := range p.Default() {
		if at, ok := p.Homes[c]; ok {
			all = append(all, at.Namespace)
		} else if p.Homes == nil && c.InCluster() {
			all = append(all, SecretOf(c).Namespace)
		}
	}
	return lists.AppendNew([]string(nil), all...)
}

// AccountOf is the component whose account a component works with.
func (p Profile) AccountOf(c component.Name) component.Name {
	if of, ok := p.Works[c]; ok {
		return of
	}
	return c
}

// Shared reports whether all components work with one account.
func (p Profile) Shared() bool {
	return len(p.Works) == len(component.Names()) &&
		len(slices.Compact(slices.Sorted(maps.Values(p.Works)))) == 1
}

// Writes reports whether a profile has a secret for a component's account. With
// CredentialsRequests, an opt-in component has one if they include its request.
func (p Profile) Writes(c component.Name) bool {
	row, _ := component.Find(c)
	in := row.InCluster
	if p.Homes != nil {
		return p.Homes[c].Name != ""
	}
	return p.Shared() || in != nil && (!p.Labelled || in.Secret != "")
}
