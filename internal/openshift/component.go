package openshift

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// requestNamespace is where all CredentialsRequests live.
const requestNamespace = "openshift-cloud-credential-operator"

// Ref names an object in a namespace.
type Ref struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// String is namespace/name.
func (r Ref) String() string { return r.Namespace + "/" + r.Name }

// root is the secret with the one account that releases share among all components.
var root = Ref{"kube-system", "vsphere-creds"}

// consumer is a known CredentialsRequest of vSphere.
type consumer struct {
	component privileges.Component // "" = one that the enhancement gives no account
	request   string               // name of the CredentialsRequest
	secret    string               // in kube-system, which the enhancement's operator finds by its name
	target    Ref                  // spec.secretRef: what the component reads
	scoped    string               // the word for it in the file names of openshift/installer#10895
	gate      string               // feature gate without which there is no such request
	who       string               // for people
}

// consumers are the requests of the releases, in the order of [privileges.Components]. The names of secrets in
// kube-system are the enhancement's table "crNameToSecretName" (openshift/enhancements#1931). Requests and targets:
// openshift/machine-api-operator@951196122fe4, openshift/cluster-storage-operator@bb8d2fd11a18,
// openshift/cluster-cloud-controller-manager-operator@bc52198c1c3c, openshift/cluster-capi-operator@409c6b44c81b; that of
// the machine-config-operator is not merged yet (openshift/machine-config-operator@621c7fedf1d3).
var consumers = []consumer{
	{
		privileges.MachineAPI, "openshift-machine-api-vsphere", "vsphere-creds-machine-api",
		Ref{"openshift-machine-api", "vsphere-cloud-credentials"},
		"machine-api", "", "machine-api-operator",
	},
	{
		privileges.CSIDriver, "openshift-vmware-vsphere-csi-driver-operator", "vsphere-creds-csi-driver",
		Ref{"openshift-cluster-csi-drivers", "vmware-vsphere-cloud-credentials"},
		"csi", "", "the CSI driver and its operator",
	},
	{
		privileges.CloudController, "openshift-vsphere-cloud-controller-manager", "vsphere-creds-cloud-controller",
		Ref{"openshift-cloud-controller-manager", "vsphere-cloud-credentials"},
		"cloud-controller", "", "the cloud controller manager",
	},
	{
		privileges.Diagnostics, "openshift-vsphere-problem-detector", "vsphere-creds-diagnostics",
		Ref{"openshift-cluster-storage-operator", "vsphere-cloud-credentials"},
		"problem-detector", "", "the problem detector",
	},
	{
		"", "openshift-cluster-api-vsphere", "",
		Ref{"openshift-cluster-api", "capv-manager-bootstrap-credentials"},
		"cluster-api", "ClusterAPIMachineManagement", "Cluster API",
	},
	{
		"", "openshift-machine-config-operator-vsphere", "",
		Ref{"openshift-machine-config-operator", "vsphere-cloud-credentials"},
		"machine-config", "", "machine-config-operator",
	},
}

// consumerOf finds the known request of a component.
func consumerOf(c privileges.Component) (consumer, bool) {
	i := slices.IndexFunc(consumers, func(k consumer) bool { return c != "" && k.component == c })
	if i < 0 {
		return consumer{}, false
	}
	return consumers[i], true
}

// consumerNamed finds a known request by its name.
func consumerNamed(request string) (consumer, bool) {
	i := slices.IndexFunc(consumers, func(k consumer) bool { return k.request == request })
	if i < 0 {
		return consumer{}, false
	}
	return consumers[i], true
}

// RequestName names the CredentialsRequest of a component; both are empty for the installer, which has none.
func RequestName(c privileges.Component) (ns, name string) {
	if known, ok := consumerOf(c); ok {
		return requestNamespace, known.request
	}
	return "", ""
}
