package kubetest

import (
	"os"
	"strings"
	"testing"
)

// resources gives the cluster the custom resources that the tool and its pages use, and waits until it serves them.
func (c *cluster) resources(t *testing.T) {
	t.Helper()
	for _, file := range []string{"testdata/crds.yaml", "testdata/gitops.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c.do(t, text, "apply", "-f", "-")
	}
	// kubectl complains of its own watch when the wait is over.
	if _, stderr, err := c.try(t, nil, "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
}

// TestResourcesRefuse keeps this promise: the custom resources of these tests refuse what those of the projects refuse, so that
// it says something when they take what the tool writes.
func TestResourcesRefuse(t *testing.T) {
	c := start(t, need(t))
	c.resources(t)
	c.do(t, nil, "create", "namespace", "team-a")
	const infrastructure = "apiVersion: infrastructure.cluster.x-k8s.io/"
	for name, o := range map[string]struct{ text, want string }{
		"no secret":            {infrastructure + "v1beta2\nkind: VSphereClusterIdentity\nmetadata: {name: i}\nspec: {allowedNamespaces: {}}\n", "spec.secretName"},
		"an empty secret":      {infrastructure + "v1beta1\nkind: VSphereClusterIdentity\nmetadata: {name: i}\nspec: {secretName: \"\"}\n", "spec.secretName"},
		"the seed's secretRef": {infrastructure + "v1beta2\nkind: VSphereClusterIdentity\nmetadata: {name: i}\nspec: {secretRef: {name: s}}\n", "spec.secretRef"},
		"another kind": {
			infrastructure + "v1beta2\nkind: VSphereCluster\nmetadata: {name: c, namespace: team-a}\nspec: {identityRef: {kind: ConfigMap, name: i}}\n",
			"spec.identityRef.kind",
		},
		"no cloud": {
			infrastructure + "v1beta1\nkind: OpenStackCluster\nmetadata: {name: c, namespace: team-a}\nspec: {identityRef: {type: ClusterIdentity, name: i}}\n",
			"spec.identityRef.cloudName",
		},
		"another type": {
			infrastructure + "v1beta1\nkind: OpenStackCluster\nmetadata: {name: c, namespace: team-a}\nspec: {identityRef: {type: Other, name: i, cloudName: o}}\n",
			"spec.identityRef.type",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, err := c.try(t, []byte(o.text), "apply", "--validate=strict", "-f", "-")
			if err == nil || !strings.Contains(stderr, o.want) {
				t.Errorf("%v, %s", err, stderr)
			}
		})
	}
}
