package kube_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
)

func toApply() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": "n", "name": "a"},
		"data": map[string]any{"vc.password": "Y2FuYXJ5", "csi.conf": base64.StdEncoding.EncodeToString([]byte("[vc]\npassword = \"hunter22\"\n"))}, // canary
	}}
}

// What the API server answers to an apply is said in words of ours, with the manager of a field, and never with a value of the object.
func TestApplyErrors(t *testing.T) {
	t.Parallel()
	const conflict = `"details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"oc\" using v1","field":".data.vc.password"}]}`
	for name, c := range map[string]struct {
		code                    int
		reason, message, detail string
		want                    string
	}{
		"another manager":  {409, "Conflict", "Apply failed with 1 conflict", conflict, "secret n/a: fields of another manager differ: oc: .data.vc.password"},
		"another version":  {409, "Conflict", "Operation cannot be fulfilled", `"details":{}`, "secret n/a was changed since it was read"},
		"no right":         {403, "Forbidden", `secrets "a" is forbidden: User "u" cannot patch resource "secrets"`, `"details":{}`, "may not patch it"},
		"no right to make": {403, "Forbidden", `secrets "a" is forbidden: User "u" cannot create resource "secrets"`, `"details":{}`, "may not create it"},
		"a webhook":        {400, "BadRequest", `admission webhook "w" denied the request: no team`, `"details":{}`, `secret n/a: admission webhook "w" denied the request: no team`},
		"a leak":           {400, "BadRequest", "data Y2FuYXJ5", `"details":{}`, "secret n/a: data (sensitive value)"},
		"a plain leak":     {500, "canary", "password canary", `"details":{}`, "secret n/a: password (sensitive value)"},
		"hexadecimal":      {500, "InternalError", "password 63616E617279", `"details":{}`, "secret n/a: password (sensitive value)"},
		"a line of a file": {500, "InternalError", "password hunter22", `"details":{}`, "secret n/a: password (sensitive value)"},
		"no message":       {400, "Y2FuYXJ5", "", `"details":{"causes":[{"reason":"Y2FuYXJ5","message":"canary","field":"63616e617279"}]}`, "secret n/a: "},
		"a field and a manager": {
			409, "Conflict", "canary",
			`"details":{"causes":[{"reason":"FieldManagerConflict","message":"with \"Y2FuYXJ5\"","field":".63616e617279"},{"reason":"FieldManagerConflict","message":"with \"canary\"","field":".data"}]}`,
			"secret n/a: fields of another manager differ: (sensitive value): .(sensitive value), (sensitive value): .data",
		},
		"no namespace": {404, "NotFound", `namespaces "n" not found`, `"details":{}`, `namespaces "n" not found`},
	} {
		a := newAPI(t)
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPatch {
				a.Config.Handler.ServeHTTP(w, r)
				return
			}
			q, _ := io.ReadAll(r.Body)
			if r.Header.Get("Content-Type") != "application/apply-patch+yaml" || r.URL.Query().Get("fieldManager") != "ocp-vsphere-admin" ||
				r.URL.Query().Get("dryRun") != "All" || !strings.Contains(string(q), "Y2FuYXJ5") {
				t.Errorf("%s: %s %s", name, r.URL, q)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.code)
			_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"reason":%q,"code":%d,%s}`, c.message, c.reason, c.code, c.detail)
		}))
		t.Cleanup(server.Close)
		path := filepath.Join(t.TempDir(), "config")
		write(t, path, fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"+
			"clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]\nusers: [{name: u, user: {token: %s}}]\n", server.URL, token))
		cluster, err := kube.Open(path, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = cluster.Apply(t.Context(), toApply(), kube.ApplyOptions{DryRun: true})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "Y2Fu") ||
			strings.Contains(strings.ToLower(err.Error()), "63616e61") || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
