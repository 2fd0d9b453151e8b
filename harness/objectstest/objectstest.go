// Package objectstest writes objects of Kubernetes by hand, for tests.
package objectstest

import (
	"os"
	"path/filepath"
	"strings"
)

// RequestYAML is a CredentialsRequest as a release has it.
func RequestYAML(name, secret, provider string, annotations ...string) string {
	ns, secret, _ := strings.Cut(secret, "/")
	text := "---\napiVersion: cloudcredential.openshift.io/v1\nkind: CredentialsRequest\nmetadata:\n  name: " + name +
		"\n  namespace: openshift-cloud-credential-operator\n  annotations:\n    include.release.openshift.io/self-managed-high-availability: \"true\"\n"
	for _, a := range annotations {
		text += "    " + a + "\n"
	}
	return text + "spec:\n  secretRef:\n    namespace: " + ns + "\n    name: " + secret +
		"\n  providerSpec:\n    apiVersion: cloudcredential.openshift.io/v1\n    kind: " + provider + "\n"
}

// The secrets that components read, namespace/name, and what a CredentialsRequest for vSphere says of itself.
const (
	Provider   = "VSphereProviderSpec"
	MapiTarget = "openshift-machine-api/vsphere-cloud-credentials"
	CSITarget  = "openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials"
	CCMTarget  = "openshift-cloud-controller-manager/vsphere-cloud-credentials"
	VPDTarget  = "openshift-cluster-storage-operator/vsphere-cloud-credentials"
	CapiTarget = "openshift-cluster-api/capv-manager-bootstrap-credentials"
)

// MapiRequest is the CredentialsRequest of machine-api.
func MapiRequest() string {
	return RequestYAML("openshift-machine-api-vsphere", MapiTarget, Provider)
}

// CapiRequest is that of Cluster API, behind its feature gate.
func CapiRequest() string {
	return RequestYAML("openshift-cluster-api-vsphere", CapiTarget, Provider, "release.openshift.io/feature-gate: ClusterAPIMachineManagement")
}

// Release is a directory of manifests as oc extracts it.
func Release(t interface {
	Fatal(...any)
	TempDir() string
}, files map[string]string,
) string {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// SecretYAML writes a secret by hand.
func SecretYAML(at, more string, keys ...string) string {
	ns, name, _ := strings.Cut(at, "/")
	text := "---\napiVersion: v1\nkind: Secret\nmetadata:\n  namespace: " + ns + "\n  name: " + name + "\n" + more + "stringData:\n"
	for _, k := range keys {
		key, value, _ := strings.Cut(k, "=")
		text += "  " + key + ": '" + value + "'\n"
	}
	return text
}

// Told checks that each line of an error names the file.
func Told(t interface {
	Helper()
	Errorf(format string, args ...any)
}, err error, file string,
) {
	t.Helper()
	if err == nil {
		return
	}
	for text := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(text, file+":") {
			t.Errorf("got %q", text)
		}
	}
}
