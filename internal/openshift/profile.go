// Package openshift writes what OpenShift reads, the secrets of each profile: those of the enhancement "vSphere
// multi-account credential management" (openshift/enhancements#1931), those of openshift/installer#10895, those that the
// CredentialsRequests of a release want (package release), and the shared one. Package cluster reads them.
//
// The readers of these secrets are stricter than Kubernetes: the cloud controller manager refuses any key that it
// does not know, the CSI driver and the problem detector refuse user names without a domain, and all of them look up
// `<vCenter>.username` and `<vCenter>.password` by the server name that the cluster was installed with. What one of
// them would reject is refused here, where the administrator still sees why.
package openshift

import (
	"maps"
	"slices"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// The names of the profiles.
const (
	ProfileKubeSystem      = "kube-system"
	ProfileComponentScoped = "component-scoped"
	ProfileManual          = "manual"
	ProfilePassthrough     = "passthrough"
)

// Profile is a way in which accounts reach the cluster: which accounts there are, where their secrets are, and how an
// install-config holds them. A new one is one value in [Profiles].
type Profile struct {
	Name string
	Note string // what it comes to, in a list of choices
	Long string // which secrets it writes, in lines of a help text

	Form      string                            // of accounts in an install-config: one of installconfig.Forms
	Works     map[component.Name]component.Name // with whose account a component works, where that is not its own
	RoleWords map[component.Name]string         // in the names of roles of an account that several components share

	Implies   []privileges.Condition // that hold without being named, because openshift-install checks what they ask for
	Preflight string                 // matrix whose groups openshift-install checks for each component; "" = for the installer alone

	Main     bool // there is a main account, which a component without one of its own may be given
	Manual   bool // the cluster is in Manual mode: nobody copies secrets, and an upgrade waits for release.ClusterVersion.UpgradeableTo
	Labelled bool // cloud-credential-operator finds the secrets by label, annotation and name
	Requests bool // the CredentialsRequests of a release say where the secrets are, in files named as ccoctl names them

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
			// openshift/enhancements#1931: an account per component, copied from kube-system by cloud-credential-operator
			Name:     ProfileKubeSystem,
			Note:     "five accounts, secrets in kube-system",
			Long:     "kube-system/vsphere-creds-<component>, which the cloud-credential-operator of the\nenhancement copies to the components",
			Form:     "kube-system",
			Main:     true,
			Labelled: true,
			head:     "# vSphere accounts per component, for `oc apply -f -`. Keys: <vCenter>.username and <vCenter>.password, nothing else.\n",
			sink:     EmitOptions.labelled,
			warns:    EmitOptions.ofKubeSystem,
		},
		{
			// openshift/enhancements#2106, openshift/installer#10895: secrets where the components read them;
			// openshift-install works with the account of machine-api, machineManagement in its install-config
			Name:      ProfileComponentScoped,
			Implies:   []privileges.Condition{privileges.StoragePolicy, privileges.VSANFile},
			Preflight: "component-scoped",
			Note:      "four accounts, secrets beside each component",
			Long:      "the secrets that the four components read, for a cluster in Manual mode",
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
			Long:     "a secret for each CredentialsRequest of a release, with ccoctl's file names",
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
			Long:      "kube-system/vsphere-creds, the one account that releases share, and the Role of its readers",
			Form:      "passthrough",
			Works:     everybody,
			RoleWords: map[component.Name]string{component.Installer: "shared"},
			Main:      true,
			head: "# The vSphere account that all components share. Keys: <vCenter>.username and <vCenter>.password, nothing else.\n" +
				"# cloud-credential-operator copies it where it is asked for; it wants the annotation, which it sets itself, too.\n",
			warns: EmitOptions.ofPassthrough,
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

// listed is the list for [FindProfile], made once: a run over many vCenters asks thousands of times whose account a component
// works with. It is made when it is first asked for, because what profiles refer to asks for profiles.
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

// AccountOf is the component whose account a component works with.
func (p Profile) AccountOf(c component.Name) component.Name {
	if of, ok := p.Works[c]; ok {
		return of
	}
	return c
}

// Shared reports whether all components work with one account.
func (p Profile) Shared() bool {
	return len(p.Works) == len(component.Names()) && len(slices.Compact(slices.Sorted(maps.Values(p.Works)))) == 1
}

// Writes reports whether a profile has a secret for the account of a component. Where the CredentialsRequests of a release say
// where the secrets are, that of a component that is opt-in is there if they have its request.
func (p Profile) Writes(c component.Name) bool {
	row, _ := component.Find(c)
	in := row.InCluster
	return p.Shared() || in != nil && (!p.Labelled || in.Secret != "")
}
