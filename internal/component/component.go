// Package component lists OpenShift's parts that log in to vCenter: one row for each component.
package component

import (
	"slices"
	"sync"
)

// Name is a component in the design, matrices, files, accounts and roles.
type Name string

// The components, in the order of [Names].
const (
	MachineAPI      Name = "machine-api"
	CSIDriver       Name = "csi-driver"
	CloudController Name = "cloud-controller"
	Diagnostics     Name = "diagnostics"
	Installer       Name = "installer"      // its account is the main one, which others fall back to
	ClusterAPI      Name = "cluster-api"    // opt-in: see Component.OptIn
	MachineConfig   Name = "machine-config" // opt-in: else machine-api's account updates boot images
	Auditor         Name = "auditor"        // opt-in, outside clusters: it only reads
)

// Component is a row of the list.
type Component struct {
	Name      Name
	Short     string   // what it does, in a list of choices
	Purpose   string   // what it does with its account, for those who are asked to make one
	Spellings []string // what people call it besides Name; case, hyphens and underscores do not count
	InCluster *Cluster // nil = not in a cluster, without a secret
	OptIn     bool     // not every cluster has it: it has an account only where it is named
}

// Cluster is how a component gets its account inside the cluster, and from an install-config.
type Cluster struct {
	Request Request
	Secret  string // in kube-system, by openshift/enhancements#1931; or ""
	Member  string // in componentCredentials, by openshift/enhancements#1931; or ""
	Scoped  string // there by openshift/enhancements#2106, credentialType: component-scoped; "" = none
}

// Request is a CredentialsRequest of the releases, without its namespace, which all of them share.
type Request struct {
	Name   string
	Target Ref    // spec.secretRef: what the component reads
	File   string // the word for it in the file names of openshift/installer#10895
	Gate   string // feature gate without which there is no such request; "" = it is always there
	Who    string // who reads it, for people
}

// Ref names an object in a namespace.
type Ref struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// At is the Ref of an object.
func At(namespace, name string) Ref { return Ref{namespace, name} }

// String is namespace/name.
func (r Ref) String() string { return r.Namespace + "/" + r.Name }

// All returns the components in the order of display. Names of secrets in kube-system are the
// enhancement's table "crNameToSecretName" (openshift/enhancements#1931). Requests and targets:
// openshift/machine-api-operator@951196122fe4, openshift/cluster-storage-operator@bb8d2fd11a18,
// openshift/cluster-cloud-controller-manager-operator@bc52198c1c3c,
// openshift/cluster-capi-operator@409c6b44c81b; machine-config-operator's is not merged yet
// (openshift/machine-config-operator@621c7fedf1d3): releases without it read the root secret.
func All() []Component { return slices.Clone(all()) }

// all is the list, made once: a run over many vCenters asks for it thousands of times.
var all = sync.OnceValue(func() []Component {
	return []Component{
		{
			Name:      MachineAPI,
			Short:     "creates and deletes machines",
			Purpose:   "creates, changes and deletes the cluster's virtual machines",
			Spellings: []string{"machinemanagement"},
			InCluster: &Cluster{ //nolint:gosec // names of secrets, not what is in them
				Request: Request{
					Name:   "openshift-machine-api-vsphere",
					Target: At("openshift-machine-api", "vsphere-cloud-credentials"),
					File:   "machine-api",
					Who:    "machine-api-operator",
				},
				Secret: "vsphere-creds-machine-api",
				Member: "machineAPI",
				Scoped: "machineManagement",
			},
		},
		{
			Name:      CSIDriver,
			Short:     "creates and attaches volumes",
			Purpose:   "creates, attaches and deletes storage volumes",
			Spellings: []string{"csi", "storage"},
			InCluster: &Cluster{ //nolint:gosec // names of secrets, not what is in them
				Request: Request{
					Name:   "openshift-vmware-vsphere-csi-driver-operator",
					Target: At("openshift-cluster-csi-drivers", "vmware-vsphere-cloud-credentials"),
					File:   "csi",
					Who:    "the CSI driver and its operator",
				},
				Secret: "vsphere-creds-csi-driver",
				Member: "csiDriver",
				Scoped: "storage",
			},
		},
		{
			Name:      CloudController,
			Short:     "reads nodes and zones",
			Purpose:   "reads which virtual machines are nodes, and where they are",
			Spellings: []string{"cloudcontrollermanager", "ccm"},
			InCluster: &Cluster{ //nolint:gosec // names of secrets, not what is in them
				Request: Request{
					Name:   "openshift-vsphere-cloud-controller-manager",
					Target: At("openshift-cloud-controller-manager", "vsphere-cloud-credentials"),
					File:   "cloud-controller",
					Who:    "the cloud controller manager",
				},
				Secret: "vsphere-creds-cloud-controller",
				Member: "cloudController",
				Scoped: "cloudControllerManager",
			},
		},
		{
			Name:      Diagnostics,
			Short:     "checks the configuration",
			Purpose:   "checks the vSphere configuration and reports problems",
			Spellings: []string{"vsphereproblemdetector", "problemdetector"},
			InCluster: &Cluster{ //nolint:gosec // names of secrets, not what is in them
				Request: Request{
					Name:   "openshift-vsphere-problem-detector",
					Target: At("openshift-cluster-storage-operator", "vsphere-cloud-credentials"),
					File:   "problem-detector",
					Who:    "the problem detector",
				},
				Secret: "vsphere-creds-diagnostics",
				Member: "diagnostics",
				Scoped: "vsphereProblemDetector",
			},
		},
		{
			Name:      Installer,
			Short:     "openshift-install",
			Purpose:   "installs the cluster (openshift-install)",
			Spellings: []string{},
		},
		{
			Name:      ClusterAPI,
			Short:     "Cluster API: creates machines of clusters",
			Purpose:   "creates, changes and deletes the virtual machines of clusters (Cluster API, CAPV)",
			Spellings: []string{"capi", "capv"},
			OptIn:     true,
			InCluster: &Cluster{
				Request: Request{
					Name:   "openshift-cluster-api-vsphere",
					Target: At("openshift-cluster-api", "capv-manager-bootstrap-credentials"),
					File:   "cluster-api",
					Gate:   "ClusterAPIMachineManagement",
					Who:    "Cluster API",
				},
			},
		},
		{
			Name:      MachineConfig,
			Short:     "updates the images that machines are made of",
			Purpose:   "imports newer boot images as templates, and removes those that they replace",
			Spellings: []string{"mco", "machineconfigoperator"},
			OptIn:     true,
			InCluster: &Cluster{
				Request: Request{
					Name:   "openshift-machine-config-operator-vsphere",
					Target: At("openshift-machine-config-operator", "vsphere-cloud-credentials"),
					File:   "machine-config",
					Who:    "machine-config-operator",
				},
			},
		},
		{
			Name:      Auditor,
			Short:     "looks with this tool, and changes nothing",
			Purpose:   "reads roles, permissions and inventory for reviews and for jobs that watch for drift, and changes nothing",
			Spellings: []string{"reviewer"},
			OptIn:     true,
		},
	}
})

// RootSecret is the secret with the one account that releases share among all components.
func RootSecret() Ref { return At("kube-system", "vsphere-creds") }

// Names returns the names of all components in the order in which they are shown.
func Names() []Name {
	rows := all()
	names := make([]Name, len(rows))
	for i, c := range rows {
		names[i] = c.Name
	}
	return names
}

// Default returns the components that have an account where none is named, in the order of [Names].
func Default() []Name {
	return slices.DeleteFunc(Names(), Name.OptIn)
}

// OptIn reports whether a component has an account only where it is named.
func (n Name) OptIn() bool {
	c, _ := Find(n)
	return c.OptIn
}

// InCluster reports whether a component gets its account inside the cluster.
func (n Name) InCluster() bool {
	c, _ := Find(n)
	return c.InCluster != nil
}

// Find finds a component by its name.
func Find(name Name) (Component, bool) {
	rows := all()
	i := slices.IndexFunc(rows, func(c Component) bool { return c.Name == name })
	if i < 0 {
		return Component{}, false
	}
	return rows[i], true
}

// Of are the components that words name; nil for none.
func Of(words []string) (names []Name) {
	for _, word := range words {
		names = append(names, Name(word))
	}
	return names
}

// Words are the names of components, scopes and the like as plain strings, for messages and flags.
func Words[T ~string](names []T) []string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = string(n)
	}
	return words
}
