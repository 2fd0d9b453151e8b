package kubetest

import (
	"strings"
	"testing"
)

// profile is one way in which `secrets emit` gives the accounts to a cluster.
type profile struct {
	name       string
	words      []string                        // of secrets emit, beside --credentials-file
	components []string                        // that have an account in the credentials file
	secrets    map[string]string               // namespace/name of each secret: the component whose accounts it holds
	roles      map[string][]rule               // namespace/name
	requests   map[string]string               // component: the CredentialsRequest in label and annotation; nil = neither
	prepare    func(t *testing.T, home string) // writes what the profile reads
}

// credentialsRequest is the key of the label and the annotation that tie a secret to its request.
const credentialsRequest = "cloudcredential.openshift.io/credentials-request"

// The names are those of the enhancement (kube-system), of openshift/enhancements PR #2106 (component-scoped), of the
// release's CredentialsRequests (manual) and of the shipped installer (passthrough).
var profiles = []profile{
	{
		name: "kube-system", components: []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics", "installer"},
		secrets: map[string]string{
			"kube-system/vsphere-creds-machine-api": "machine-api", "kube-system/vsphere-creds-csi-driver": "csi-driver",
			"kube-system/vsphere-creds-cloud-controller": "cloud-controller", "kube-system/vsphere-creds-diagnostics": "diagnostics",
		},
		requests: map[string]string{
			"machine-api": "openshift-machine-api-vsphere", "csi-driver": "openshift-vmware-vsphere-csi-driver-operator",
			"cloud-controller": "openshift-vsphere-cloud-controller-manager", "diagnostics": "openshift-vsphere-problem-detector",
		},
	},
}

// marks are the labels and annotations that the secret of a component must have.
func (p profile) marks(component string) (labels, annotations map[string]string) {
	if p.requests == nil {
		return nil, nil
	}
	return map[string]string{credentialsRequest: "true"},
		map[string]string{credentialsRequest: "openshift-cloud-credential-operator/" + p.requests[component]}
}

// namespaces are those that the profiles write to and a new API server does not have.
func namespaces() map[string]bool {
	list := map[string]bool{}
	for _, p := range profiles {
		for name := range p.secrets {
			if ns, _, _ := strings.Cut(name, "/"); ns != "kube-system" {
				list[ns] = true
			}
		}
	}
	return list
}
