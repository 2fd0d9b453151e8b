package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const (
	vc1 = "vcenter1.example.com"
	vc2 = "vcenter2.example.com"
	idA = "11111111-2222-3333-4444-555555555555"
	idB = "aaaaaaaa-2222-3333-4444-555555555555"
)

// asked is a cluster beside its secrets, and what it is held against.
type asked struct {
	Requests       *release.Requests
	Manual         *bool
	Infrastructure []string // vCenters
	Name           string   // of the Infrastructure
	Whole          bool

	Servers       []string
	AllowFallback []component.Name
	Emit          []string
	Named         bool
}

// of is the cluster with these secrets.
func (a asked) of(secrets ...corev1.Secret) *cluster.Cluster {
	c := cluster.Of(secrets...)
	c.Requests, c.Manual, c.Name, c.Whole = a.Requests, a.Manual, a.Name, a.Whole
	if a.Infrastructure != nil {
		c.Topology = &spec.Spec{}
		for _, server := range a.Infrastructure {
			c.Topology.VCenters = append(c.Topology.VCenters, spec.VCenter{Server: server})
		}
	}
	return c
}

func (a asked) explain(secrets ...corev1.Secret) (*Explanation, error) {
	return Explain(a.of(secrets...), Options{Servers: a.Servers, AllowFallback: a.AllowFallback, Emit: a.Emit, Named: a.Named})
}

func account(user, password string) credfile.Account {
	return credfile.Account{User: user, Password: secret.New(password)}
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

func record(server, id string) string {
	return "  annotations: {" + openshift.VCentersKey + ": '" + openshift.Instances{server: id}.String() + "'}\n"
}

func mentions(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}

func holding(namespace, name, server, user, password string) corev1.Secret {
	return corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data:       map[string][]byte{server + ".username": []byte(user), server + ".password": []byte(password)},
	}
}
