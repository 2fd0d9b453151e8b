package release

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// RequestNamespace is where all CredentialsRequests live.
const RequestNamespace = "openshift-cloud-credential-operator"

// Consumer is a known CredentialsRequest of vSphere.
type Consumer struct {
	component.Request
	Component component.Name // "" = one that the enhancement gives no account
	Secret    string         // in kube-system, which the enhancement's operator finds by its name
}

// Consumers are the requests of the releases, those of components first.
func Consumers() []Consumer {
	var all []Consumer
	for _, c := range component.All() {
		if in := c.InCluster; in != nil {
			all = append(all, Consumer{in.Request, c.Name, in.Secret})
		}
	}
	for _, r := range component.Others() {
		all = append(all, Consumer{Request: r})
	}
	return all
}

// ConsumerNamed finds a known request by its name.
func ConsumerNamed(request string) (Consumer, bool) {
	all := Consumers()
	i := slices.IndexFunc(all, func(k Consumer) bool { return k.Name == request })
	if i < 0 {
		return Consumer{}, false
	}
	return all[i], true
}
