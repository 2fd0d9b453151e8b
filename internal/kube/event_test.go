package kube_test

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
)

// created is the part of an Event that a run decides.
type created struct {
	Metadata            map[string]string `json:"metadata"`
	Type                string            `json:"type"`
	Reason              string            `json:"reason"`
	Action              string            `json:"action"`
	Note                string            `json:"note"`
	Regarding           map[string]string `json:"regarding"`
	Related             map[string]string `json:"related"`
	ReportingController string            `json:"reportingController"`
	ReportingInstance   string            `json:"reportingInstance"`
}

// events is an API server that takes Events from the account of [token], and a pod's environment and mounted token for it.
func events(t *testing.T, status int) (got *created, env map[string]string, dir string) {
	t.Helper()
	got = &created{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/apis/events.k8s.io/v1/namespaces/vsphere-fleet/events" || r.Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		if status != http.StatusCreated {
			w.WriteHeader(status)
			reason := map[int]string{403: "Forbidden", 500: "InternalError"}[status]
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"` + reason + `"}`))
			return
		}
		if err := json.Unmarshal(body, got); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	dir = t.TempDir()
	write(t, filepath.Join(dir, "token"), token)
	write(t, filepath.Join(dir, "ca.crt"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	return got, map[string]string{
		"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port,
		"POD_NAMESPACE": "vsphere-fleet", "POD_NAME": "night-1-abc", "POD_UID": "11", "JOB_NAME": "night-1", "JOB_UID": "22",
	}, dir
}

func getenv(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

// An Event regards the Job of the pod, and the pod where there is no Job.
func TestPost(t *testing.T) {
	t.Parallel()
	got, env, dir := events(t, http.StatusCreated)
	e, err := kube.OpenEventsAt(getenv(env), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Post(t.Context(), kube.Event{Warning: true, Reason: "FleetDiffers", Action: "Verify", Note: "2 clusters differ"}); err != nil {
		t.Fatal(err)
	}
	pod := map[string]string{"apiVersion": "v1", "kind": "Pod", "namespace": "vsphere-fleet", "name": "night-1-abc", "uid": "11"}
	want := &created{
		Metadata: map[string]string{"namespace": "vsphere-fleet", "generateName": "ocp-vsphere-admin-"},
		Type:     "Warning", Reason: "FleetDiffers", Action: "Verify", Note: "2 clusters differ",
		Regarding:           map[string]string{"apiVersion": "batch/v1", "kind": "Job", "namespace": "vsphere-fleet", "name": "night-1", "uid": "22"},
		Related:             pod,
		ReportingController: "ocp-vsphere-admin", ReportingInstance: "night-1-abc",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	*got = created{}
	env["JOB_NAME"] = ""
	if e, err = kube.OpenEventsAt(getenv(env), dir); err != nil {
		t.Fatal(err)
	}
	if err := e.Post(t.Context(), kube.Event{Reason: "FleetVerified", Action: "Verify", Note: strings.Repeat("é", 600)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pod, got.Regarding); diff != "" || got.Related != nil || got.Type != "Normal" {
		t.Errorf("%s %v %s", diff, got.Related, got.Type)
	}
	if len(got.Note) > 1024 || !utf8.ValidString(got.Note) || !strings.HasSuffix(got.Note, "é...") {
		t.Errorf("%d bytes: %q", len(got.Note), got.Note)
	}
}

// Errors say what to do, and none holds the token.
func TestPostErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		change func(env map[string]string)
		want   string
	}{
		"forbidden":     {http.StatusForbidden, func(map[string]string) {}, "may not create events in namespace vsphere-fleet"},
		"broken":        {http.StatusInternalServerError, func(map[string]string) {}, "the event was not created: "},
		"no pod":        {0, func(env map[string]string) { delete(env, "POD_NAME") }, "POD_NAME is not set"},
		"no namespace":  {0, func(env map[string]string) { delete(env, "POD_NAMESPACE") }, "POD_NAMESPACE is not set"},
		"no cluster":    {0, func(env map[string]string) { delete(env, "KUBERNETES_SERVICE_HOST") }, "this is no pod"},
		"no kubeconfig": {0, func(env map[string]string) { env["KUBECONFIG"] = "/nowhere" }, "kubeconfig /nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, env, dir := events(t, c.status)
			c.change(env)
			e, err := kube.OpenEventsAt(getenv(env), dir)
			if err == nil {
				err = e.Post(t.Context(), kube.Event{Reason: "FleetFailed", Action: "Verify"})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), token) {
				t.Error(err)
			}
		})
	}
}

// With a kubeconfig the Events go where it says.
func TestPostByKubeconfig(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	env := map[string]string{"POD_NAMESPACE": "n", "POD_NAME": "p", "KUBECONFIG": a.kubeconfig(t, token)}
	a.answers["/apis/events.k8s.io/v1/namespaces/n/events"] = `{"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e"}}`
	e, err := kube.OpenEvents(getenv(env))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Post(t.Context(), kube.Event{Reason: "FleetVerified", Action: "Plan"}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"POST /apis/events.k8s.io/v1/namespaces/n/events"}, a.asked); diff != "" {
		t.Error(diff)
	}
}
