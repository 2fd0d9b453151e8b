package kubetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// profile is one way in which `secrets emit` gives the accounts to a cluster.
type profile struct {
	name       string
	words      []string                        // of secrets emit, beside --credentials-file
	fields     string                          // of a provisioning file; "" = emit is given none
	requests   func(t *testing.T, home string) // writes the CredentialsRequests that words name
	components []string                        // that have an account in the credentials file
	secrets    map[string]secret               // by namespace/name
	roles      map[string][]rule               // by namespace/name
	explained  map[string]string               // column of secrets explain: whose account each component has there, "" = its own
}

// secret is what a profile has to make: a component's accounts with the marks that cloud-credential-operator wants.
type secret struct {
	component           string
	labels, annotations map[string]string
}

// consumers are the components that read secrets, with the CredentialsRequest of each in a release.
var consumers = map[string]string{
	"machine-api": "openshift-machine-api-vsphere", "csi-driver": "openshift-vmware-vsphere-csi-driver-operator",
	"cloud-controller": "openshift-vsphere-cloud-controller-manager", "diagnostics": "openshift-vsphere-problem-detector",
}

// requested are secrets as CredentialsRequests could want them; the names are in no other profile.
var requested = map[string]secret{
	"openshift-machine-api/of-machine-api":                   {component: "machine-api"},
	"openshift-cluster-csi-drivers/of-csi-driver":            {component: "csi-driver"},
	"openshift-cloud-controller-manager/of-cloud-controller": {component: "cloud-controller"},
	"openshift-cluster-storage-operator/of-diagnostics":      {component: "diagnostics"},
}

// The names are those of the enhancement (kube-system), of openshift/installer#10895 (component-scoped), and of the
// shipped installer (passthrough). The annotation of vsphere-creds is what cloud-credential-operator refuses to work
// without. The label "true" is the operator's own value, which it would otherwise write itself.
var profiles = []profile{
	{
		name: "kube-system", components: []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics", "installer"},
		secrets:   kubeSystem(),
		explained: map[string]string{"enhancement": ""},
	},
	{
		name: "kube-system, root secret", fields: "profile: kube-system\nsecrets: {rootSecret: true}\n",
		components: []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics", "installer"},
		secrets:    with(kubeSystem(), "kube-system/vsphere-creds", shared("machine-api")),
		explained:  map[string]string{"enhancement": "", "mainline": "machine-api"},
	},
	{
		name: "component-scoped", words: []string{"--profile", "component-scoped"},
		components: []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics"},
		secrets:    componentScoped(),
		explained:  map[string]string{"now": ""},
	},
	{
		name: "component-scoped, extra", fields: "profile: component-scoped\nsecrets: {extra: [cluster-api, machine-config]}\n",
		components: []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics"},
		secrets: with(with(componentScoped(),
			"openshift-cluster-api/capv-manager-bootstrap-credentials", secret{component: "machine-api"}),
			"openshift-machine-config-operator/vsphere-cloud-credentials", secret{component: "machine-api"}),
		explained: map[string]string{"now": ""},
	},
	{
		name: "manual", words: []string{"--profile", "manual", "--credentials-requests", "requests"}, requests: writeRequests,
		components: []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics", "installer"},
		secrets:    requested,
		explained:  map[string]string{"now": ""},
	},
	{
		name: "passthrough", words: []string{"--profile", "passthrough"},
		components: []string{"installer"},
		secrets:    map[string]secret{"kube-system/vsphere-creds": shared("installer")},
		roles: map[string][]rule{"kube-system/vsphere-creds-secret-reader": {
			{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{"vsphere-creds"}, Verbs: []string{"get"}},
		}},
		explained: map[string]string{"enhancement": "installer", "mainline": "installer"},
	},
}

func kubeSystem() map[string]secret {
	const key = "cloudcredential.openshift.io/credentials-request"
	list := map[string]secret{}
	for component, request := range consumers {
		list["kube-system/vsphere-creds-"+component] = secret{
			component, map[string]string{key: "true"}, map[string]string{key: "openshift-cloud-credential-operator/" + request},
		}
	}
	return list
}

func componentScoped() map[string]secret {
	return map[string]secret{
		"openshift-machine-api/vsphere-cloud-credentials":                {component: "machine-api"},
		"openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials": {component: "csi-driver"},
		"openshift-cloud-controller-manager/vsphere-cloud-credentials":   {component: "cloud-controller"},
		"openshift-cluster-storage-operator/vsphere-cloud-credentials":   {component: "diagnostics"},
	}
}

func shared(component string) secret {
	return secret{component, nil, map[string]string{"cloudcredential.openshift.io/mode": "passthrough"}}
}

func with(list map[string]secret, name string, s secret) map[string]secret {
	list[name] = s
	return list
}

// writeRequests writes the CredentialsRequests for requested into the directory requests.
func writeRequests(t *testing.T, home string) {
	t.Helper()
	dir := filepath.Join(home, "requests")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for at, s := range requested {
		ns, name, _ := strings.Cut(at, "/")
		text := fmt.Sprintf(`apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata: {name: %s, namespace: openshift-cloud-credential-operator}
spec:
  secretRef: {namespace: %s, name: %s}
  providerSpec: {apiVersion: cloudcredential.openshift.io/v1, kind: VSphereProviderSpec}
`, consumers[s.component], ns, name)
		if err := os.WriteFile(filepath.Join(dir, s.component+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// namespaces are those that the profiles write to and a new API server does not have.
func namespaces() []string {
	var list []string
	for _, p := range profiles {
		for name := range p.secrets {
			if ns, _, _ := strings.Cut(name, "/"); ns != "kube-system" && !slices.Contains(list, ns) {
				list = append(list, ns)
			}
		}
	}
	return list
}
