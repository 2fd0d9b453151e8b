package command

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
)

// A cluster whose volumes may not be read is one whose volumes are not known: the run goes on with its secrets.
func TestVolumesOfACluster(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"/api/v1/secrets": `{"apiVersion":"v1","kind":"SecretList","metadata":{},"items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"n"}}]}`,
	}
	const some = `{"apiVersion":"v1","kind":"PersistentVolumeList","metadata":{},"items":[{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pvc-1"},"spec":{"csi":{"driver":"csi.vsphere.vmware.com"}}}]}`
	const none = `{"apiVersion":"v1","kind":"PersistentVolumeList","metadata":{},"items":[]}`
	for name, tt := range map[string]struct {
		volumes string // forbidden where it is empty
		want    []string
		unknown string
	}{
		"some":      {some, []string{"pvc-1"}, ""},
		"none":      {none, nil, ""},
		"forbidden": {"", nil, "may not read persistentvolumes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				body, ok := answers[r.URL.Path]
				switch {
				case r.Method != http.MethodGet:
					t.Errorf("the cluster is changed: %s %s", r.Method, r.URL)
				case r.URL.Path == "/api/v1/persistentvolumes" && tt.volumes != "":
					body, ok = tt.volumes, true
				}
				if !ok {
					w.WriteHeader(http.StatusForbidden)
					body = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403}`
				}
				_, _ = w.Write([]byte(body))
			}))
			t.Cleanup(server.Close)
			kubeconfig := filepath.Join(t.TempDir(), "config")
			text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "a"}}],
				"clusters": [{"name": "a", "cluster": {"server": %q, "insecure-skip-tls-verify": true}}]}`, server.URL)
			if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			from := SecretsFlags{Cluster: ClusterFlags{Kubeconfig: kubeconfig}}
			used, err := from.InUse(t.Context(), &Factory{Streams: termtest.NewFake().Streams})
			if err != nil || len(used.Cluster.Objects()) != 1 || used.Volumes == nil {
				t.Fatalf("%+v, %v", used, err)
			}
			if v := used.Volumes; !slices.Equal(v.Names, tt.want) || (v.Unknown == "") != (tt.unknown == "") || !strings.Contains(v.Unknown, tt.unknown) {
				t.Errorf("got %+v, want %+v", *v, tt)
			}
		})
	}
}
