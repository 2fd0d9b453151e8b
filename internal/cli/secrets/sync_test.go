package secrets

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// A secret that was changed between the comparison and the dry run is not written over: the guards have not seen it.
func TestSyncWritesWhatWasCompared(t *testing.T) {
	t.Parallel()
	secret := func(password, label string) *corev1.Secret {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "a", Labels: map[string]string{"l": label}, ResourceVersion: "7"},
			Data:       map[string][]byte{"vc.password": []byte(password)},
		}
	}
	e := &emission{cluster: &command.ClusterDump{Cluster: cluster.Of(*secret("x", "y"))}}
	for name, c := range map[string]struct {
		now  *corev1.Secret
		at   string
		want bool
	}{
		"the same": {secret("x", "y"), "n/a", true}, "another password": {secret("z", "y"), "n/a", false}, "another label": {secret("x", "z"), "n/a", false},
		"gone": {nil, "n/a", false}, "new": {secret("x", "y"), "n/b", false}, "none": {nil, "n/b", true},
	} {
		if got := e.saw(c.now, c.at); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The first secrets of a cluster are not written unasked into another one: nothing of this cluster is in it, and it has another name,
// platform or vCenters.
func TestSyncKnowsAnotherCluster(t *testing.T) {
	t.Parallel()
	asked := &spec.Spec{
		Cluster: "cluster1", Accounts: spec.Accounts{Username: spec.DefaultUsername}, VCenters: []spec.VCenter{{Server: "vc1"}},
		Components: map[component.Name]spec.Component{component.CSIDriver: {}},
	}
	secret := func(user string) corev1.Secret {
		return corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "vsphere-creds-csi-driver"},
			Data:       map[string][]byte{"vc1.username": []byte(user), "vc1.password": []byte("x")},
		}
	}
	for name, c := range map[string]struct {
		infrastructure, platform, user string
		want                           string // of the guard; "" = none
	}{
		"its own":                  {infrastructure: "cluster1-x7k2p", platform: "VSphere"},
		"it does not say":          {},
		"another name":             {infrastructure: "prod-x7k2p", platform: "VSphere", want: "it is prod-x7k2p"},
		"another platform":         {infrastructure: "cluster1-x7k2p", platform: "AWS", want: "it is on AWS"},
		"another's accounts":       {user: "ocp-prod-csi-driver@vsphere.local", want: "it is prod"},
		"named anew, with its own": {infrastructure: "prod-x7k2p", platform: "VSphere", user: "ocp-cluster1-csi-driver@vsphere.local"},
	} {
		there := cluster.Of(secret(c.user))
		there.Name, there.Platform = c.infrastructure, c.platform
		o := &SyncOptions{EmitOptions: EmitOptions{Factory: &command.Factory{}}}
		guards := o.guards(&emission{asked: asked, cluster: &command.ClusterDump{Cluster: there, Source: "https://api:6443"}})
		if (len(guards) == 0) != (c.want == "") {
			t.Errorf("%s: %+v, want %q", name, guards, c.want)
		}
		for _, g := range guards { // a person is asked about it, and --yes alone does not do
			if !strings.Contains(g.Asks, c.want) || !strings.Contains(g.Refusal.Error(), c.want) || g.Confirms != "" {
				t.Errorf("%s: %+v, want %q", name, g, c.want)
			}
		}
	}
}
