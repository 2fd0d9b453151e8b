package openshift

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// requestNamespace is where all CredentialsRequests live.
const requestNamespace = "openshift-cloud-credential-operator"

// root is the secret with the one account that releases share among all components.
var root = component.At("kube-system", "vsphere-creds")

// RootSecret is the secret with the one account that releases share among all components.
func RootSecret() component.Ref { return root }

// consumer is a known CredentialsRequest of vSphere.
type consumer struct {
	component.Request
	component component.Name // "" = one that the enhancement gives no account
	secret    string         // in kube-system, which the enhancement's operator finds by its name
}

// consumers are the requests of the releases, those of components first.
func consumers() []consumer {
	var all []consumer
	for _, c := range component.All() {
		if in := c.InCluster; in != nil {
			all = append(all, consumer{in.Request, c.Name, in.Secret})
		}
	}
	for _, r := range component.Others() {
		all = append(all, consumer{Request: r})
	}
	return all
}

// consumerNamed finds a known request by its name.
func consumerNamed(request string) (consumer, bool) {
	all := consumers()
	i := slices.IndexFunc(all, func(k consumer) bool { return k.Name == request })
	if i < 0 {
		return consumer{}, false
	}
	return all[i], true
}
