package diagnosis

import (
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// The Infrastructure of a cluster says what all its secrets lack, what they have too much, and where cluster-capi-operator has its copy.
func TestExplainWithTheInfrastructure(t *testing.T) {
	t.Parallel()
	const copied = "openshift-cluster-api/c-x7k2p"
	d := enhanced(t)
	d.put(copied, map[string][]byte{"username": d[root.String()].Data[vc1+openshift.UserKey], "password": d[root.String()].Data[vc1+openshift.PasswordKey]})
	if got, _ := d.explain(t, asked{Infrastructure: []string{vc1, vc2}, Name: "c-x7k2p"}); len(got) > 0 {
		t.Errorf("all is well: %q", got)
	}
	if got, _ := d.explain(t, asked{Infrastructure: []string{vc1, vc2, "third.example.com"}}); len(got) != 4 {
		t.Errorf("a vCenter that no secret has: %q", got)
	}
	_, e := d.explain(t, asked{Infrastructure: []string{vc1}})
	if !found(e, finding.SecretShadowed, "", vc2+", which is no vCenter of the cluster's Infrastructure") {
		t.Errorf("a vCenter that the cluster has not: %+v", e.Findings)
	}
	if _, e := d.explain(t, asked{Infrastructure: []string{vc1}, Servers: []string{vc1}}); found(e, finding.SecretShadowed, "", vc2) {
		t.Errorf("narrowed: %+v", e.Findings)
	}
	d[copied].Data["password"] = []byte("earlier")
	if got, _ := d.explain(t, asked{Infrastructure: []string{vc1, vc2}, Name: "c-x7k2p"}); !slices.Equal(got, []string{"secret-stale " + copied + ":"}) {
		t.Errorf("an old copy: %q", got)
	}
}
