package secrets

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
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
