package kube_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
)

const token = "sesame-opens-the-cluster"

// api is an API server that has some secrets and cluster identities.
type api struct {
	*httptest.Server
	answers map[string]string // path -> body; a path that is missing is NotFound
	status  map[string]int    // path -> another status

	mu    sync.Mutex
	asked []string
}

func newAPI(t *testing.T) *api {
	t.Helper()
	a := &api{status: map[string]int{}, answers: map[string]string{
		"/apis/infrastructure.cluster.x-k8s.io/v1beta2/vsphereclusteridentities?limit=500": `{"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2","kind":"VSphereClusterIdentityList",
			"metadata":{},"items":[{"metadata":{"name":"east"},"spec":{"secretName":"s"}}]}`,
		"/api/v1/secrets?limit=500": `{"apiVersion":"v1","kind":"SecretList","metadata":{"continue":"more"},"items":[{"metadata":{"name":"a","namespace":"n"}}]}`,
		"/api/v1/secrets?continue=more&limit=500": `{"apiVersion":"v1","kind":"SecretList","metadata":{},
			"items":[{"metadata":{"name":"b","namespace":"m"},"data":{"k":"dg=="}}]}`,
		"/api/v1/namespaces/kube-system/secrets/vsphere-creds": `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"vsphere-creds","namespace":"kube-system"}}`,
	}}
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		q.Del("timeout")
		r.URL.RawQuery = q.Encode()
		path := r.URL.RequestURI()
		a.mu.Lock()
		a.asked = append(a.asked, r.Method+" "+path)
		a.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Add("Warning", `299 - "this version is old"`)
		body, ok := a.answers[path]
		status := a.status[path]
		switch {
		case r.Header.Get("Authorization") != "Bearer "+token:
			status = http.StatusUnauthorized
		case status == 0 && !ok:
			status = http.StatusNotFound
		}
		if status != 0 {
			reason := map[int]string{401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 500: "InternalError"}[status]
			w.WriteHeader(status)
			body = fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":%q,"code":%d}`, reason, status)
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(a.Close)
	return a
}

// kubeconfig writes a kubeconfig whose CA lies beside it.
func (a *api) kubeconfig(t *testing.T, token string) string {
	t.Helper()
	dir := t.TempDir()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Certificate().Raw})
	write(t, filepath.Join(dir, "ca.crt"), string(ca))
	path := filepath.Join(dir, "config")
	write(t, path, fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: here
contexts:
- {name: here, context: {cluster: c, user: u}}
- {name: elsewhere, context: {cluster: gone, user: u}}
clusters:
- {name: c, cluster: {server: %q, certificate-authority: ca.crt}}
- {name: gone, cluster: {server: "https://127.0.0.1:1"}}
users:
- {name: u, user: {token: %s}}
`, a.URL, token))
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func secrets() kube.Objects { return kube.Objects{Kind: kube.Secrets} }

func identities() kube.Objects {
	return kube.Objects{Kind: kube.VSphereClusterIdentities}
}

// names are kind, namespace and name of what a dump holds.
func names(t *testing.T, dump []byte) []string {
	t.Helper()
	var list struct {
		APIVersion, Kind string
		Items            []struct {
			APIVersion, Kind string
			Metadata         struct{ Namespace, Name string }
		}
	}
	if err := json.Unmarshal(dump, &list); err != nil || list.Kind != "List" || list.APIVersion != "v1" {
		t.Fatalf("%v: %s", err, dump)
	}
	var out []string
	for _, i := range list.Items {
		out = append(out, strings.Join([]string{i.APIVersion, i.Kind, i.Metadata.Namespace, i.Metadata.Name}, " "))
	}
	return out
}

// All pages are read, and nothing is written.
func TestDump(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	c, err := kube.Open(a.kubeconfig(t, token), "")
	if err != nil {
		t.Fatal(err)
	}
	maybe := kube.Objects{Kind: kube.OpenStackClusters, Maybe: true}
	nobody := kube.Objects{Kind: kube.Secrets, Namespace: "kube-system", Name: "nobody", Maybe: true}
	a.status["/api/v1/namespaces?limit=500"] = http.StatusForbidden
	forbidden := kube.Objects{Kind: kube.Namespaces, Forbidden: true}
	dump, err := c.Dump(t.Context(), secrets(), identities(), kube.Objects{Kind: kube.Secrets, Namespace: "kube-system", Name: "vsphere-creds"}, maybe, nobody, forbidden)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"v1 Secret n a", "v1 Secret m b", "infrastructure.cluster.x-k8s.io/v1beta2 VSphereClusterIdentity  east", "v1 Secret kube-system vsphere-creds",
	}
	if diff := cmp.Diff(want, names(t, dump)); diff != "" {
		t.Error(diff)
	}
	for _, asked := range a.asked {
		if !strings.HasPrefix(asked, "GET ") {
			t.Error(asked)
		}
	}
	if c.Server() != a.URL {
		t.Error(c.Server())
	}
}

// Every error names the server, the kubeconfig or the objects, and none holds the token.
func TestDumpErrors(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.status["/api/v1/secrets?limit=500"] = http.StatusForbidden
	a.status["/api/v1/namespaces/kube-system/secrets/vsphere-creds"] = http.StatusForbidden
	a.status["/api/v1/namespaces?limit=500"] = http.StatusInternalServerError
	for name, c := range map[string]struct {
		token, context string
		wanted         kube.Objects
		want           string
	}{
		"forbidden":   {token, "", secrets(), "may not read secrets"},
		"one":         {token, "", kube.Objects{Kind: kube.Secrets, Namespace: "kube-system", Name: "vsphere-creds"}, "may not read secrets/vsphere-creds in namespace kube-system"},
		"not there":   {token, "", kube.Objects{Kind: kube.Secrets, Namespace: "n", Name: "x"}, "has no secrets/x in namespace n"},
		"no kind":     {token, "", kube.Objects{Kind: kube.ClusterVersions}, "has no clusterversions.config.openshift.io"},
		"broken":      {token, "", kube.Objects{Kind: kube.Namespaces}, "read namespaces"},
		"wrong token": {"another-one", "", secrets(), "is not accepted"},
		"no server":   {token, "elsewhere", secrets(), "https://127.0.0.1:1: read secrets: dial tcp 127.0.0.1:1: connect"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster, err := kube.Open(a.kubeconfig(t, c.token), c.context)
			if err != nil {
				t.Fatal(err)
			}
			dump, err := cluster.Dump(t.Context(), c.wanted)
			if err == nil || !strings.Contains(err.Error(), c.want) || dump != nil {
				t.Errorf("%s, %v", dump, err)
			}
			if err != nil && strings.Contains(err.Error(), c.token) {
				t.Errorf("the token is in it: %v", err)
			}
		})
	}
}

// A server that gives no answer, or none to this user, is asked once, and said to be so once.
func TestDumpEndsEarly(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for want, c := range map[string]struct{ token, context string }{"is not accepted": {"another-one", ""}, "dial tcp": {token, "elsewhere"}} {
		cluster, err := kube.Open(a.kubeconfig(t, c.token), c.context)
		if err != nil {
			t.Fatal(err)
		}
		_, err = cluster.Dump(t.Context(), secrets(), identities(), kube.Objects{Kind: kube.Namespaces})
		if err == nil || strings.Count(err.Error(), want) != 1 {
			t.Error(err)
		}
	}
	if len(a.asked) != 1 {
		t.Error(a.asked)
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	empty := filepath.Join(t.TempDir(), "empty")
	write(t, empty, "")
	broken := filepath.Join(t.TempDir(), "broken")
	write(t, broken, "clusters: [\n")
	for name, c := range map[string]struct{ path, context, want string }{
		"no file":    {filepath.Join(t.TempDir(), "nothing"), "", syscall.ENOENT.Error()},
		"empty":      {empty, "", "kubeconfig " + empty},
		"broken":     {broken, "", "kubeconfig " + broken},
		"no context": {a.kubeconfig(t, token), "prod", `context "prod" does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := kube.Open(c.path, c.context); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
		})
	}
}
