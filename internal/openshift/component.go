package openshift

import "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"

// requestNamespace is where all CredentialsRequests live.
const requestNamespace = "openshift-cloud-credential-operator"

// consumer is what the enhancement fixes for a component: the CredentialsRequest that it is served by and the secret
// in kube-system that cloud-credential-operator finds for that request, by its name alone if need be.
type consumer struct{ request, secret string }

// consumers is the enhancement's table "crNameToSecretName". The installer has no request: its account is the main
// one, which the others fall back to.
var consumers = map[privileges.Component]consumer{
	privileges.MachineAPI:      {"openshift-machine-api-vsphere", "vsphere-creds-machine-api"},
	privileges.CSIDriver:       {"openshift-vmware-vsphere-csi-driver-operator", "vsphere-creds-csi-driver"},
	privileges.CloudController: {"openshift-vsphere-cloud-controller-manager", "vsphere-creds-cloud-controller"},
	privileges.Diagnostics:     {"openshift-vsphere-problem-detector", "vsphere-creds-diagnostics"},
}

// RequestName names the CredentialsRequest of a component; both are empty for the installer, which has none.
func RequestName(c privileges.Component) (ns, name string) {
	if consumer, ok := consumers[c]; ok {
		return requestNamespace, consumer.request
	}
	return "", ""
}
