package cluster

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

const (
	vc1 = "vcenter1.example.com"
	vc2 = "vcenter2.example.com"
	idA = "11111111-2222-3333-4444-555555555555"
	idB = "aaaaaaaa-2222-3333-4444-555555555555"

	csiRequest      = release.RequestNamespace + "/openshift-vmware-vsphere-csi-driver-operator"
	mapiRequested   = release.RequestNamespace + "/openshift-machine-api-vsphere"
	passthroughMode = "  annotations: {cloudcredential.openshift.io/mode: passthrough}\n"
)

func pair(user, password string) []string {
	return []string{vc1 + ".username=" + user, vc1 + ".password=" + password}
}

func forCSI(label string) string {
	return "  annotations: {" + openshift.RequestKey + ": " + csiRequest + "}\n  labels: {" + openshift.RequestKey + ": \"" + label + "\"}\n"
}

// full has an account of its own for every component on every server.
func full(servers ...string) openshift.Accounts {
	a := openshift.Accounts{}
	for _, s := range servers {
		a[s] = map[component.Name]credfile.Account{}
		for _, c := range component.Names() {
			a[s][c] = account(fmt.Sprintf("ocp-cluster1-%s@vsphere.local", c), fmt.Sprintf("pw-%s-%s", c, s))
		}
	}
	return a
}

// in is a secret of text, namespace/name.
func in(at string, keys ...string) corev1.Secret {
	s := corev1.Secret{Data: map[string][]byte{}}
	s.Namespace, s.Name, _ = strings.Cut(at, "/")
	for _, k := range keys {
		key, value, _ := strings.Cut(k, "=")
		s.Data[key] = []byte(value)
	}
	return s
}
