package clitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
)

// Cluster is a running cluster for --kubeconfig: the path of a kubeconfig. It knows the kinds that the tool reads, and has the objects
// of answers, JSON by the path of their resource ("/api/v1/secrets") or their own; "" = this user may not read it. What has no answer is
// not there, and a list is empty.
func Cluster(t *testing.T, answers map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodGet {
			t.Errorf("the cluster is changed: %s %s", r.Method, r.URL)
		}
		body, given := answers[r.URL.Path]
		status, reason := 0, ""
		switch found, isKind := discovery(r.URL.Path); {
		case isKind:
			body = found
		case given && body == "":
			status, reason = http.StatusForbidden, "Forbidden"
		case given:
		case slices.Contains(resources(), path.Base(r.URL.Path)):
			body = `{"apiVersion":"v1","kind":"List","metadata":{},"items":[]}`
		default:
			status, reason = http.StatusNotFound, "NotFound"
		}
		if status != 0 {
			w.WriteHeader(status)
			body = fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":%q,"code":%d}`, reason, status)
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return WriteFile(t, "kubeconfig", fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "a"}}],
		"clusters": [{"name": "a", "cluster": {"server": %q}}]}`, server.URL), 0o600)
}

// kinds are those that the cluster knows: group, resource, kind. All of them are of version v1.
var kinds = [][3]string{
	{"", "secrets", "Secret"},
	{"", "configmaps", "ConfigMap"},
	{"config.openshift.io", "clusterversions", "ClusterVersion"},
	{"operator.openshift.io", "cloudcredentials", "CloudCredential"},
	{"cloudcredential.openshift.io", "credentialsrequests", "CredentialsRequest"},
}

func resources() (all []string) {
	for _, k := range kinds {
		all = append(all, k[1])
	}
	return all
}

// discovery is what an API server says of its kinds at a path; ok is false where the path is another.
func discovery(at string) (body string, ok bool) {
	var groups, here []string
	for _, k := range kinds {
		group := k[0] + "/v1"
		if k[0] != "" {
			groups = append(groups, fmt.Sprintf(`{"name":%q,"versions":[{"groupVersion":%q,"version":"v1"}],"preferredVersion":{"groupVersion":%q,"version":"v1"}}`, k[0], group, group))
		}
		if at == "/apis/"+group || at == "/api/v1" && k[0] == "" {
			namespaced := k[0] == "" || k[1] == "credentialsrequests"
			here = append(here, fmt.Sprintf(`{"name":%q,"singularName":"","namespaced":%t,"kind":%q,"verbs":["get","list"]}`, k[1], namespaced, k[2]))
		}
	}
	switch {
	case at == "/api":
		return `{"kind":"APIVersions","versions":["v1"]}`, true
	case at == "/apis":
		return `{"kind":"APIGroupList","apiVersion":"v1","groups":[` + strings.Join(groups, ",") + `]}`, true
	case here != nil:
		return fmt.Sprintf(`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":%q,"resources":[%s]}`, strings.TrimPrefix(strings.TrimPrefix(at, "/apis/"), "/api/"), strings.Join(here, ",")), true
	}
	return "", false
}
