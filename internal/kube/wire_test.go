package kube_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
)

// at opens a cluster whose API server is a handler. user is what its kubeconfig has of the user.
func at(t *testing.T, user string, handler http.HandlerFunc) *kube.Cluster {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	c, err := kube.Open(kubeconfigOf(t, server.URL, user), "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func kubeconfigOf(t *testing.T, server, user string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"+
		"clusters: [{name: c, cluster: {server: %s, insecure-skip-tls-verify: true}}]\nusers: [{name: u, user: %s}]\n", server, user))
	return path
}

const withToken = "{token: " + token + "}"

// No redirect is followed, wherever it points and whatever is asked: neither a secret nor the token goes anywhere else.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	seen := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	plain, safe := httptest.NewServer(seen), httptest.NewTLSServer(seen)
	t.Cleanup(plain.Close)
	t.Cleanup(safe.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{plain.URL, safe.URL, "/api/v1/elsewhere"} {
			c := at(t, withToken, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/elsewhere") {
					reached.Add(1)
				}
				http.Redirect(w, r, to+"?code=canary", status)
			})
			_, dumped := c.Dump(t.Context(), secrets())
			_, applied := c.Apply(t.Context(), toApply(), kube.ApplyOptions{})
			_, seen := c.Preview(t.Context(), toApply(), false)
			for _, err := range []error{dumped, applied, seen} {
				if err == nil || !strings.Contains(err.Error(), "redirects to ") || !strings.Contains(err.Error(), to) || strings.Contains(err.Error(), "canary") {
					t.Errorf("%d to %s: %v", status, to, err)
				}
			}
		}
	}
	if reached.Load() > 0 {
		t.Errorf("%d redirects were followed", reached.Load())
	}
}

// What the API server sends has an end: in time, in bytes and in pages.
func TestBounds(t *testing.T) {
	t.Parallel()
	page := func(more, name string) string {
		return `{"apiVersion":"v1","kind":"SecretList","metadata":{"continue":"` + more + `"},"items":[{"metadata":{"name":"` + name + `"}}]}`
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	var flooded atomic.Int64
	flood := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			sent, _ := w.Write([]byte(strings.Repeat(" ", 64<<10)))
			flooded.Add(int64(sent))
		}
	}
	drip := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte(" "))
			_ = http.NewResponseController(w).Flush()
		}
	}
	var n atomic.Int32
	answer := func(text func() string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(text()))
		}
	}
	const never, little = time.Hour, 50 * time.Millisecond
	for name, tt := range map[string]struct {
		request, list time.Duration
		bytes         int64
		handler       http.HandlerFunc
		want          string
	}{
		"a request that hangs": {little, never, 1 << 20, hang, "it did not answer within 50ms"},
		"a request that drips": {little, never, 1 << 40, drip, "it did not answer within 50ms"},
		"a list that hangs":    {never, little, 1 << 20, hang, "it did not answer within 50ms"},
		"retries for ever": {never, little, 1 << 20, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}, "it did not answer within 50ms"},
		"bytes without end": {never, never, 1 << 20, flood, "it sends more than 1 MiB, which was not read to the end"},
		"large pages": {never, never, 1 << 20, answer(func() string {
			return page(strconv.Itoa(int(n.Add(1))), strings.Repeat("x", 300<<10))
		}), "it sends more than 1 MiB"},
		"one page for ever": {never, never, 1 << 20, answer(func() string { return page("same", "a") }), "it sent a page of its list twice"},
		"pages for ever": {never, never, 1 << 20, answer(func() string {
			return page(strconv.Itoa(int(n.Add(1))), "a")
		}), "it sent more than 10 pages of a list"},
		"no list": {never, never, 1 << 20, answer(func() string { return `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}` }), "the answer is no list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := at(t, withToken, tt.handler)
			c.Hurry(tt.request, tt.list, tt.bytes, 10)
			dump, err := c.Dump(t.Context(), secrets(), kube.Objects{Kind: kube.Namespaces})
			if err == nil || dump != nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") && name != "no list" {
				t.Errorf("%v: does not say once %q", err, tt.want)
			}
			if flooded.Load() > 100<<20 {
				t.Errorf("%d bytes were taken", flooded.Load())
			}
		})
	}
}

// A list whose pages were too slow is read once more, in one piece.
func TestExpiredPages(t *testing.T) {
	t.Parallel()
	var expired atomic.Int32
	c := at(t, withToken, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		q := r.URL.Query()
		switch {
		case q.Get("continue") != "":
			expired.Add(1)
			w.WriteHeader(http.StatusGone)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old","reason":"Expired","code":410}`))
		case q.Get("limit") != "":
			_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"SecretList","metadata":{"continue":"more"},"items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}]}`))
		default:
			_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"SecretList","metadata":{},"items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}},{"apiVersion":"v1","kind":"Secret","metadata":{"name":"b"}}]}`))
		}
	})
	dump, err := c.Dump(t.Context(), secrets())
	if err != nil || len(names(t, dump)) != 2 || expired.Load() != 1 {
		t.Errorf("%s, %v", dump, err)
	}
}

// An interrupt ends a request, and says so.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	c := at(t, withToken, func(_ http.ResponseWriter, r *http.Request) {
		cancel(interrupted)
		<-r.Context().Done()
	})
	if _, err := c.Dump(ctx, secrets()); !errors.Is(err, interrupted) {
		t.Error(err)
	}
}

// Neither secrets nor a login go to an address without TLS, wherever it is.
func TestOpenWithoutTLS(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"http://api.example.com:6443":    "http://api.example.com:6443 has no TLS: secrets and the login would be sent in the clear",
		"http://127.0.0.1:8001":          "has no TLS",
		"http://u:canary@127.0.0.1:8001": "has a user in it",
		"https://u:canary@127.0.0.1":     "has a user in it",
	} {
		_, err := kube.Open(kubeconfigOf(t, server, withToken), "")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", server, err)
		}
	}
}

// A kubeconfig, and what it names, is read to a limit, and nobody waits for what is no file.
func TestOpenDevices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no device without an end")
	}
	t.Parallel()
	for path, want := range map[string]string{
		"/dev/zero": "/dev/zero: larger than 4 MiB",
		kubeconfigOf(t, "https://127.0.0.1", "{tokenFile: /dev/zero}"):                                 "/dev/zero is not a regular file",
		kubeconfigOf(t, "https://127.0.0.1", "{client-certificate: /dev/zero, client-key: /dev/zero}"): "/dev/zero is not a regular file",
		kubeconfigOf(t, "https://127.0.0.1, certificate-authority: /dev/zero", "{token: x}"):           "/dev/zero is not a regular file",
	} {
		_, err := kube.Open(path, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
