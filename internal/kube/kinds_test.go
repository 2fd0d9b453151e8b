package kube_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
)

const capi = "/apis/infrastructure.cluster.x-k8s.io"

// Each kind is looked for where API servers have it, in the newest version first, and then the
// server is asked whether it knows another. Commands can name no other kind.
func TestKinds(t *testing.T) {
	t.Parallel()
	var all []string
	for kind, want := range map[kube.Kind]string{
		kube.ConfigMaps:                 "/api/v1/configmaps",
		kube.Namespaces:                 "/api/v1/namespaces",
		kube.PersistentVolumes:          "/api/v1/persistentvolumes",
		kube.Secrets:                    "/api/v1/secrets",
		kube.Roles:                      "/apis/rbac.authorization.k8s.io/v1/roles",
		kube.ClusterOperators:           "/apis/config.openshift.io/v1/clusteroperators",
		kube.ClusterVersions:            "/apis/config.openshift.io/v1/clusterversions",
		kube.Infrastructures:            "/apis/config.openshift.io/v1/infrastructures",
		kube.CloudCredentials:           "/apis/operator.openshift.io/v1/cloudcredentials",
		kube.CredentialsRequests:        "/apis/cloudcredential.openshift.io/v1/credentialsrequests",
		kube.VSphereClusterIdentities:   capi + "/v1beta2,v1beta1/vsphereclusteridentities",
		kube.VSphereClusters:            capi + "/v1beta2,v1beta1/vsphereclusters",
		kube.VSphereDeploymentZones:     capi + "/v1beta2,v1beta1/vspheredeploymentzones",
		kube.VSphereFailureDomains:      capi + "/v1beta2,v1beta1/vspherefailuredomains",
		kube.OpenStackClusterIdentities: capi + "/v1alpha1/openstackclusteridentities",
		kube.OpenStackClusters:          capi + "/v1beta2,v1beta1/openstackclusters",
		kube.OpenStackMachines:          capi + "/v1beta2,v1beta1/openstackmachines",
		kube.OpenStackServers:           capi + "/v1alpha1/openstackservers",
	} {
		a := newAPI(t)
		clear(a.answers)
		c, err := kube.Open(a.kubeconfig(t, token), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Dump(t.Context(), kube.Objects{Kind: kind, Maybe: true}); err != nil {
			t.Error(err)
		}
		parts := strings.Split(want, "/")
		versions, last := parts[len(parts)-2], len(parts)-2
		var paths []string
		for version := range strings.SplitSeq(versions, ",") {
			parts[last] = version
			paths = append(paths, "GET "+strings.Join(parts, "/")+"?limit=500")
		}
		all = append(all, paths...)
		if group := strings.Join(parts[:last], "/"); group != "/api" {
			paths = append(paths, "GET "+group)
		}
		if diff := cmp.Diff(paths, a.asked); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
	for _, path := range resources(t) {
		if !slices.Contains(all, "GET "+path+"?limit=500") {
			t.Errorf("%s is not looked for, and the custom resources of kubetest have it", path)
		}
	}
}

// resources are the paths of the custom resources that kubetest gives a real API server.
func resources(t *testing.T) (paths []string) {
	t.Helper()
	text, err := os.ReadFile("../../kubetest/testdata/crds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for doc := range strings.SplitSeq(string(text), "\n---\n") {
		var crd struct {
			Spec struct {
				Group    string
				Names    struct{ Plural string }
				Versions []struct{ Name string }
			}
		}
		if err := yaml.Unmarshal([]byte(doc), &crd); err != nil || len(crd.Spec.Versions) == 0 {
			t.Fatalf("%v: %s", err, doc)
		}
		for _, v := range crd.Spec.Versions {
			paths = append(paths, "/apis/"+crd.Spec.Group+"/"+v.Name+"/"+crd.Spec.Names.Plural)
		}
	}
	return paths
}

// A kind of several versions is read in the newest that the server has, and in one that the table
// lacks where it has no other. API servers forbid also what they do not have: that is not there.
func TestVersions(t *testing.T) {
	t.Parallel()
	const resource = "/vsphereclusteridentities?limit=500"
	groupOf := func(versions ...string) string {
		list := `{"kind":"APIGroup","apiVersion":"v1","name":"infrastructure.cluster.x-k8s.io","versions":[`
		for i, v := range versions {
			list += strings.Repeat(",", min(i, 1)) + `{"groupVersion":"infrastructure.cluster.x-k8s.io/` + v + `","version":"` + v + `"}`
		}
		return list + `]}`
	}
	const (
		has   = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"x","resources":[{"name":"vsphereclusters"},{"name":"vsphereclusteridentities"}]}`
		hasNo = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"x","resources":[{"name":"vsphereclusters"}]}`
		mayNo = "may not read vsphereclusteridentities.infrastructure.cluster.x-k8s.io"
		none  = "has no vsphereclusteridentities.infrastructure.cluster.x-k8s.io"
	)
	for name, tt := range map[string]struct {
		served    []string          // versions that have an identity of their name
		forbidden bool              // to read identities in all other versions
		lists     map[string]string // what the server says of its kinds
		silent    string            // the path of such a list that it does not give
		want      string            // the identity, or an error
	}{
		"both":                    {served: []string{"v1beta1", "v1beta2"}, want: "v1beta2"},
		"the old one":             {served: []string{"v1beta1"}, want: "v1beta1"},
		"a new one":               {served: []string{"v1"}, lists: map[string]string{"": groupOf("v1", "v1beta2"), "/v1": has, "/v1beta2": hasNo}, want: "v1"},
		"one among others":        {served: []string{"v1alpha4"}, lists: map[string]string{"": groupOf("v1beta2", "v1alpha4"), "/v1beta2": hasNo, "/v1alpha4": has}, want: "v1alpha4"},
		"none":                    {want: none},
		"none of this kind":       {lists: map[string]string{"": groupOf("v1beta1"), "/v1beta1": hasNo}, want: none},
		"forbidden":               {forbidden: true, lists: map[string]string{"": groupOf("v1beta1"), "/v1beta1": has}, want: mayNo},
		"forbidden, a new one":    {forbidden: true, lists: map[string]string{"": groupOf("v1"), "/v1": has}, want: mayNo},
		"forbidden, none":         {forbidden: true, want: none},
		"forbidden, not this one": {forbidden: true, lists: map[string]string{"": groupOf("v1beta2"), "/v1beta2": hasNo}, want: none},
		"forbidden, not told":     {forbidden: true, silent: capi, want: mayNo},
		"forbidden, told half":    {forbidden: true, lists: map[string]string{"": groupOf("v1beta2", "v1beta1"), "/v1beta1": hasNo}, silent: capi + "/v1beta2", want: mayNo},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPI(t)
			clear(a.answers)
			for _, v := range []string{"v1", "v1beta2", "v1beta1", "v1alpha4"} {
				if slices.Contains(tt.served, v) {
					a.answers[capi+"/"+v+resource] = `{"apiVersion":"infrastructure.cluster.x-k8s.io/` + v + `","kind":"VSphereClusterIdentityList","metadata":{},"items":[{"metadata":{"name":"` + v + `"}}]}`
				} else if tt.forbidden {
					a.status[capi+"/"+v+resource] = http.StatusForbidden
				}
			}
			for path, list := range tt.lists {
				a.answers[capi+path] = list
			}
			a.status[tt.silent] = http.StatusForbidden
			c, err := kube.Open(a.kubeconfig(t, token), "")
			if err != nil {
				t.Fatal(err)
			}
			dump, err := c.Dump(t.Context(), identities())
			if tt.want == mayNo || tt.want == none {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s, %v", dump, err)
				}
			} else if err != nil || !strings.Contains(string(dump), `"name":"`+tt.want+`"`) {
				t.Errorf("%s, %v", dump, err)
			}
			optional := identities()
			optional.Maybe = true
			if _, err := c.Dump(t.Context(), optional); (err != nil) != (tt.want == mayNo) {
				t.Errorf("where it may be missing: %v", err)
			}
		})
	}
}

// Secrets and roles are looked for, and applied, where API servers have them.
func TestApplyKinds(t *testing.T) {
	t.Parallel()
	for of, want := range map[string]string{
		"v1 Secret":                         "/api/v1/namespaces/n/secrets/a",
		"rbac.authorization.k8s.io/v1 Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/n/roles/a",
	} {
		a := newAPI(t)
		c, err := kube.Open(a.kubeconfig(t, token), "")
		if err != nil {
			t.Fatal(err)
		}
		object := toApply()
		object.Object["apiVersion"], object.Object["kind"], _ = strings.Cut(of, " ")
		a.answers[want+"?dryRun=All&fieldManager=ocp-vsphere-admin&force=false"] = `{"apiVersion":"v1","kind":"x"}`
		applied, err := c.Preview(t.Context(), object, false)
		if err != nil || applied.Before != nil || applied.After == nil {
			t.Errorf("%+v, %v", applied, err)
		}
		asked := []string{"GET " + want, "PATCH " + want + "?dryRun=All&fieldManager=ocp-vsphere-admin&force=false"}
		if diff := cmp.Diff(asked, a.asked); diff != "" {
			t.Error(diff)
		}
	}
}

// An object of another kind is refused, and no request is sent.
func TestApplyAnotherKind(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	c, err := kube.Open(a.kubeconfig(t, token), "")
	if err != nil {
		t.Fatal(err)
	}
	for of, want := range map[string]string{
		"v1 ConfigMap":        "n/a is a ConfigMap of v1: only secrets and roles can be applied",
		"apps/v1 Secret":      "n/a is a Secret of apps/v1: only secrets and roles can be applied",
		"v1 Role":             "n/a is a Role of v1: only secrets and roles can be applied",
		"storage.k8s.io/v1 x": "n/a is a x of storage.k8s.io/v1: only secrets and roles can be applied",
	} {
		object := toApply()
		object.Object["apiVersion"], object.Object["kind"], _ = strings.Cut(of, " ")
		if _, err := c.Apply(t.Context(), object, kube.ApplyOptions{}); err == nil || err.Error() != want {
			t.Error(err)
		}
		if _, err := c.Preview(t.Context(), object, false); err == nil || err.Error() != want {
			t.Error(err)
		}
	}
	if len(a.asked) > 0 {
		t.Error(a.asked)
	}
}
