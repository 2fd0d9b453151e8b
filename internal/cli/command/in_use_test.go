package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
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

// The first secrets of a cluster are not written unasked into another one: nothing of this cluster is in it, and it has another name,
// platform or vCenters.
func TestSureOfAnotherCluster(t *testing.T) {
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
		dump := &ClusterDump{Cluster: there, Source: "https://api:6443"}
		for _, yes := range []bool{true, false} { // a person is asked about it, and --yes alone does not do
			f := &Factory{Streams: termtest.NewFake().Streams, Globals: Globals{Yes: yes}}
			err := f.Sure(t.Context(), "secrets sync", asked, dump)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		}
	}
}

// An interrupt is an answer to a question: it says so, as no does.
func TestInterruptedQuestionSaysThatNothingWasDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fake := termtest.NewFake().WithTerminal(80, 24).WithAnswers("yes")
	f := &Factory{Streams: fake.Streams}
	if err := f.Agree(ctx, Consent{Subject: "applying", Question: "apply?"}); !errors.Is(err, context.Canceled) || fake.Stderr.String() != "nothing was done\n" {
		t.Errorf("%v, %q", err, fake.Stderr.String())
	}
}
