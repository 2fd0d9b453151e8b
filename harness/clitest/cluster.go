package clitest

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Cluster is a running cluster for --kubeconfig: the path of a kubeconfig. It has the objects of answers,
// JSON by the path of their resource ("/api/v1/secrets") or their own; "" = this user may not read it, nor
// a list of kinds. What has no answer is not there; lists of secrets and CredentialsRequests are empty.
func Cluster(t *testing.T, answers map[string]string) string {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodGet {
			t.Errorf("the cluster is changed: %s %s", r.Method, r.URL)
		}
		body, given := answers[r.URL.Path]
		switch {
		case given && body == "", strings.Count(r.URL.Path, "/") == 2: // of a group
			w.WriteHeader(http.StatusForbidden)
		case !given && (strings.HasSuffix(r.URL.Path, "/secrets") || strings.HasSuffix(r.URL.Path, "/credentialsrequests")):
			body = `{"apiVersion":"v1","kind":"List","metadata":{},"items":[]}`
		case !given:
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return WriteFile(t, "kubeconfig", fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "a"}}],
		"clusters": [{"name": "a", "cluster": {"server": %q, "certificate-authority-data": %q}}]}`, server.URL, base64.StdEncoding.EncodeToString(ca)), 0o600)
}
